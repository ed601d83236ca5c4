// The tensor as an ARIA grid: edited like a spreadsheet, its groups outlined as one points.
import { adopt, make, once } from "./sheet.js";
import { marksOf, meets } from "./groups.js";
import { scaleOf, sliceTitle, strength } from "./shape.js";
import { short } from "./number.js";
import { buildCells, sizeClass } from "./cells.js";
import { Editor } from "./editor.js";

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el);
  const box = make("div", "tensor");
  const slices = make("div", "slices");
  const reason = make("p", "reason");
  reason.setAttribute("role", "status");
  reason.id = "reason";
  const key = make("p", "key");
  box.append(slices, reason, key);
  box.setAttribute("role", "grid");

  /** @type {ReturnType<typeof buildCells> | null} */
  let built = null;
  let pointed = -1;
  let shape = "";

  const say = (/** @type {object} */ message) => model.send_msg(message);
  const editor = new Editor({
    cells: () => built,
    model,
    commit: (start, rows) => say({ type: "edit", start, rows }),
    cancel: (index) => say({ type: "cancel", index }),
    move: (index) => say({ type: "cell", index }),
  });
  editor.listen(box);

  box.addEventListener("pointerover", (event) => {
    const index = built?.indexOf(event.target) ?? -1;
    if (index < 0 || index === pointed || editor.editing) return;
    pointed = index;
    outline();
    say({ type: "point", index });
  });
  box.addEventListener("pointerleave", () => {
    if (pointed < 0) return;
    pointed = -1;
    outline();
    say({ type: "point", index: -1 });
  });

  function outline() {
    if (!built) return;
    const size = built.cells.length;
    const { marks, shown } = marksOf(model.groups, size, pointed < 0 ? model.cell : pointed, model.selected);
    const colours = shown.map((n) => model.colours[n]);
    built.cells.forEach((cell, index) => {
      const mark = marks[index];
      const state = !mark ? "" : meets(mark) ? "both" : colours[Math.log2(mark)];
      if (cell.dataset.group !== state) cell.dataset.group = state;
    });
    drawKey(shown);
  }

  function drawKey(/** @type {number[]} */ shown) {
    const items = shown.map((n) => keyItem(model.colours[n], model.labels[n]));
    if (shown.length > 1) items.push(keyItem("both", model.words.both));
    const scale = scaleOf(model.values);
    items.push(make("span", "range", model.words.range.replace("{range}", short(scale, 2))));
    key.replaceChildren(...items);
  }

  function keyItem(/** @type {string} */ colour, /** @type {string} */ text) {
    const swatch = make("i");
    const item = make("span", "", swatch, text);
    item.dataset.colour = colour;
    return item;
  }

  function draw() {
    const wanted = JSON.stringify([model.shape, model.names]);
    if (!built || wanted !== shape) {
      shape = wanted;
      pointed = -1;
      built = buildCells(model.shape, model.names, true);
      slices.replaceChildren(...built.slices.map((part, n) => titled(part, sliceTitle(built.plan, n))));
      slices.className = `slices ${sizeClass(built.plan)}`;
      box.setAttribute("aria-rowcount", String(built.plan.slices * built.plan.rows));
      box.setAttribute("aria-colcount", String(built.plan.columns));
    }
    box.setAttribute("aria-label", model.label);
    const scale = scaleOf(model.values);
    built.cells.forEach((cell, index) => {
      const bad = model.bad[index];
      if (!editor.isIn(cell)) {
        const text = bad ? bad.text : short(model.values[index], 4);
        if (cell.textContent !== text) cell.textContent = text;
        cell.classList.toggle("long", text.length > 6);
      }
      const power = bad ? 0 : strength(model.values[index], scale);
      cell.style.setProperty("--k", `${Math.abs(power)}%`);
      cell.dataset.sign = power < 0 ? "neg" : "pos";
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
      cell.tabIndex = index === model.cell ? 0 : -1;
      cell.setAttribute("aria-selected", String(index === model.cell));
    });
    reason.textContent = Object.values(model.bad).map((bad) => bad.reason).join(" · ");
    drawEdge();
    outline();
  }

  function drawEdge() {
    if (!built) return;
    const size = built.cells.length;
    const all = Int32Array.from(model.groups); // Bokeh's own array type cannot be cut
    const row = all.subarray(model.selected * size, (model.selected + 1) * size);
    built.edges(row, model.edge.symbol ?? "", (group) => edgeText(model.edge, group));
  }

  const later = once(draw);
  for (const name of ["values", "shape", "names", "groups", "colours", "labels", "selected", "edge", "bad", "cell", "label"]) {
    model.on(name, later);
  }
  draw();
  el.append(box);
  return box;
}

function titled(/** @type {HTMLElement} */ part, /** @type {string} */ title) {
  const slice = make("div", "slice", make("p", "", title), part);
  slice.setAttribute("role", "rowgroup");
  if (title) slice.setAttribute("aria-label", title);
  return slice;
}

function edgeText(/** @type {any} */ edge, /** @type {number} */ group) {
  return (edge.columns ?? []).map((/** @type {number[]} */ column) => short(column[group], 2)).join(", ");
}
