// The tensor as an ARIA grid: edited like a spreadsheet, its groups outlined as one points.
import { adopt, changes, make, once, write } from "./sheet.js";
import { marksOf, meets } from "./groups.js";
import { plan, scaleOf, sliceTitle, strength } from "./shape.js";
import { short } from "./number.js";
import { buildCells, sizeClass } from "./cells.js";
import { MOST_ELEMENTS, MOST_OUTLINED, buildRaster, cellLabel } from "./raster.js";
import { Editor } from "./editor.js";

/** @typedef {ReturnType<typeof buildCells>} Cells */
/** @typedef {ReturnType<typeof buildRaster>} Raster */

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el);
  const slices = make("div", "slices");
  const reason = make("p", "reason");
  reason.setAttribute("role", "status");
  reason.id = "reason";
  const range = make("span", "range");
  const key = make("p", "key");
  const keyItems = changes((/** @type {string[][]} */ ...items) => {
    const drawn = items.map(([colour, text]) => {
      const item = make("span", "", make("i"), text);
      item.dataset.colour = colour;
      return item;
    });
    key.replaceChildren(...drawn, range);
  });
  const grid = make("div", "grid", slices);
  grid.setAttribute("role", "grid");
  const box = make("div", "tensor", grid, reason, key);

  /** @type {Cells | null} */
  let cells = null;
  /** @type {Raster | null} */
  let raster = null;
  let pointed = -1;
  let built = "";
  /** @type {string[]} */
  let rows = [];

  const say = (/** @type {object} */ message) => model.send_msg(message);
  const editor = new Editor({
    cells: () => cells ?? raster,
    model,
    commit: (start, rows, cell = start) => say({ type: "edit", start, rows, cell }),
    cancel: (index) => say({ type: "cancel", index }),
    move: (index) => say({ type: "cell", index }),
    drag: (index, value) => say({ type: "drag", index, value }),
  });
  editor.listen(grid);

  grid.addEventListener("pointermove", (event) => {
    const index = (cells ?? raster)?.indexOf(event) ?? -1;
    if (index === pointed || editor.editing || event.buttons) return;
    pointed = index;
    outline();
    say({ type: "point", index });
  });
  grid.addEventListener("pointerleave", () => {
    if (pointed < 0) return;
    pointed = -1;
    outline();
    say({ type: "point", index: -1 });
  });

  function outline() {
    const size = (cells ?? raster)?.size ?? 0;
    const { values, groups } = model; // a model's properties are slow to read, one by one in a loop
    if (!size || groups.length < size) return;
    if (size > MOST_OUTLINED) {
      raster?.paint(values, scaleOf(values), null, []);
      drawKey([]);
      return;
    }
    const { marks, shown } = marksOf(groups, size, pointed < 0 ? model.cell : pointed, model.selected);
    const colours = shown.map((n) => model.colours[n]);
    cells?.cells.forEach((cell, index) => {
      const mark = marks[index];
      const state = !mark ? "" : meets(mark) ? "both" : colours[Math.log2(mark)];
      if (cell.dataset.group !== state) cell.dataset.group = state;
    });
    raster?.paint(values, scaleOf(values), marks, colours, (index) => short(values[index], 2));
    if (raster) label(raster.elementAt(model.cell), model.cell, values[model.cell], Boolean(model.faded?.[model.cell]));
    drawKey(shown);
  }

  function drawKey(/** @type {number[]} */ shown) {
    const { labels, colours, words, values } = model;
    const items = labels.length ? shown.map((n) => [colours[n], labels[n]]) : [];
    if (items.length > 1) items.push(["both", words.both]);
    keyItems(...items);
    write(range, words.range.replace("{range}", short(scaleOf(values), 2)));
    key.hidden = !labels.length;
  }

  function rebuild() {
    const wanted = JSON.stringify([model.shape, model.names, model.rows]);
    if (built === wanted) return;
    built = wanted;
    rows = model.rows;
    pointed = -1;
    const p = plan(model.shape, model.names);
    cells = raster = null;
    if (p.size > MOST_ELEMENTS) {
      raster = buildRaster(model.shape, model.names, { width: Math.min(640, slices.clientWidth || 600), height: 300 });
      slices.replaceChildren(raster.box);
      slices.className = "slices";
    } else {
      cells = buildCells(model.shape, model.names, true, model.rows);
      slices.replaceChildren(...cells.slices.map((part, n) => titled(part, sliceTitle(p, n))));
      slices.className = `slices ${model.compact ? "snug neutral" : sizeClass(p)}`;
    }
    grid.setAttribute("aria-rowcount", String(p.slices * p.rows));
    grid.setAttribute("aria-colcount", String(p.columns));
  }

  function label(/** @type {HTMLElement} */ cell, /** @type {number} */ index, /** @type {number} */ value, /** @type {boolean} */ faded) {
    const p = /** @type {Cells | Raster} */ (cells ?? raster).plan;
    const row = rows[Math.floor(index / p.columns) % p.rows] ?? "";
    const text = `${row} ${cellLabel(p, index, value)}${faded ? `, ${model.words.faded}` : ""}`.trim();
    if (cell.ariaLabel !== text) cell.ariaLabel = text;
  }

  function draw() {
    rebuild();
    grid.setAttribute("aria-label", model.label);
    const { values, bad, cell: current, faded } = model; // a model's properties are slow to read, one by one in a loop
    const scale = scaleOf(values);
    cells?.cells.forEach((cell, index) => {
      drawCell(cell, index, values[index], scale, bad[index], Boolean(faded?.[index]));
      drawCurrent(cell, index === current);
    });
    if (raster) mark(raster.elementAt(current), bad[current]);
    write(reason, Object.values(bad).map((one) => one.reason).join(" · "));
    drawEdge();
    outline();
  }

  /** @param {HTMLElement} cell @param {number} index @param {number} value @param {number} scale @param {{text: string, reason: string} | undefined} bad @param {boolean} faded */
  function drawCell(cell, index, value, scale, bad, faded) {
    if (!editor.isIn(cell)) {
      const text = bad ? bad.text : short(value, 4);
      write(cell, text);
      cell.classList.toggle("long", text.length > 5);
    }
    const power = bad ? 0 : strength(value, scale);
    cell.style.setProperty("--k", `${Math.abs(power)}%`);
    cell.dataset.sign = power < 0 ? "neg" : "pos";
    cell.toggleAttribute("data-broken", !Number.isFinite(value));
    cell.toggleAttribute("data-faded", faded);
    mark(cell, bad);
    label(cell, index, value, faded);
  }

  function drawCurrent(/** @type {HTMLElement} */ cell, /** @type {boolean} */ isCurrent) {
    if (cell.ariaSelected === String(isCurrent)) return;
    cell.tabIndex = isCurrent ? 0 : -1;
    cell.ariaSelected = String(isCurrent);
  }

  function mark(/** @type {HTMLElement} */ cell, /** @type {{reason: string} | undefined} */ bad) {
    cell.toggleAttribute("data-bad", Boolean(bad));
    if (bad) {
      cell.setAttribute("aria-invalid", "true");
      cell.setAttribute("aria-describedby", "reason");
      cell.title = bad.reason;
    } else if (cell.hasAttribute("aria-invalid")) {
      cell.removeAttribute("aria-invalid");
      cell.removeAttribute("aria-describedby");
      cell.removeAttribute("title");
    }
  }

  function drawEdge() {
    if (!cells || !model.edge.columns) return;
    const all = Int32Array.from(model.groups); // Bokeh's own array type cannot be cut
    const row = all.subarray(model.selected * cells.size, (model.selected + 1) * cells.size);
    cells.edges(row, model.edge.symbol, (group) =>
      model.edge.columns.map((/** @type {number[]} */ column) => short(column[group], 2)).join(", "),
      (slice, words) => {
        const title = slices.children[slice]?.querySelector("p span");
        if (title) write(title, words);
      },
    );
  }

  const later = once(draw);
  for (const name of ["values", "shape", "names", "rows", "faded", "groups", "colours", "labels", "selected", "edge", "bad", "label"]) {
    model.on(name, later);
  }
  model.on("cell", once(drawCursor));
  function drawCursor() {
    const current = model.cell;
    cells?.cells.forEach((cell, index) => drawCurrent(cell, index === current));
    outline();
  }
  new MutationObserver(() => raster && outline()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  draw();
  el.append(box);
  if (raster) {
    built = "";
    requestAnimationFrame(draw); // now its width is known
  }
  return box;
}

function titled(/** @type {HTMLElement} */ part, /** @type {string} */ title) {
  const heading = make("p", "", title, make("span"));
  heading.hidden = !title;
  const slice = make("div", "slice", heading, part);
  slice.setAttribute("role", "rowgroup");
  if (title) slice.setAttribute("aria-label", title);
  return slice;
}
