// One normalizer's output: its cells on the same plan as the tensor, and the current group's statistics.
import { adopt, changes, make, once, write } from "./sheet.js";
import { plan, scaleOf, sliceTitle, strength } from "./shape.js";
import { fixed, short } from "./number.js";
import { buildCells, sizeClass } from "./cells.js";
import { MOST_ELEMENTS, MOST_OUTLINED, buildRaster } from "./raster.js";

const MOST_ACROSS = 12; // numbers side by side that can be read

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el);
  const title = make("h3");
  const cellsBox = make("div", "slices bare");
  cellsBox.setAttribute("role", "table");
  const statistics = make("dl", "statistics");
  const note = make("p", "note");
  const card = make("article", "norm", title, cellsBox, statistics, note);
  /** @type {ReturnType<typeof buildCells> | null} */
  let built = null;
  /** @type {ReturnType<typeof buildRaster> | null} */
  let raster = null;
  let shape = "";

  const head = changes((/** @type {string} */ name, /** @type {string} */ over) => {
    title.replaceChildren(make("i"), name, make("span", "", over));
    cellsBox.setAttribute("aria-label", `${name}, ${over}`);
  });
  const terms = changes((/** @type {[string, string][]} */ ...pairs) => {
    statistics.replaceChildren(
      ...pairs.map(([symbol, name]) => {
        const term = make("dt", "", symbol);
        term.title = name;
        term.setAttribute("aria-label", name);
        return make("div", "", term, make("dd"));
      }),
    );
  });

  function draw() {
    const { values, groups, cell: current } = model; // a model's properties are slow to read, one by one in a loop
    card.dataset.colour = model.colour;
    card.toggleAttribute("data-current", model.current);
    head(model.title, model.over);
    const wanted = JSON.stringify([model.shape, model.names]);
    const size = values.length;
    const p = plan(model.shape, model.names);
    if (wanted !== shape && (size > MOST_ELEMENTS || p.slices * p.columns > MOST_ACROSS)) {
      shape = wanted;
      built = null;
      raster = buildRaster(model.shape, model.names, { width: Math.min(312, cellsBox.clientWidth || 310), height: 96 });
      raster.box.querySelector(".cursor")?.parentElement?.remove();
      cellsBox.setAttribute("role", "img");
      cellsBox.replaceChildren(raster.box);
    } else if (wanted !== shape) {
      shape = wanted;
      raster = null;
      cellsBox.setAttribute("role", "table");
      built = buildCells(model.shape, model.names, false);
      const { cells, slices } = built;
      cells.forEach((cell) => cell.setAttribute("role", "cell"));
      cellsBox.replaceChildren(...slices.map((part, n) => slice(part, sliceTitle(p, n))));
      cellsBox.className = `slices bare ${sizeClass(p)}`;
    }
    const scale = Math.min(scaleOf(values), 1e300);
    const own = groups[current];
    if (raster) {
      const marks = size > MOST_OUTLINED ? null : new Uint8Array(size);
      if (marks) for (let i = 0; i < size; i++) marks[i] = groups[i] === own ? 1 : 0;
      raster.paint(values, Math.max(scale, 1e-300), marks, [model.colour], (index) => fixed(values[index], 2));
    }
    built?.cells.forEach((cell, index) => {
      const value = values[index];
      const text = fixed(value, 2);
      write(cell, text);
      cell.classList.toggle("long", text.length > 5);
      const power = strength(value, Math.max(scale, 1e-300));
      cell.style.setProperty("--k", `${Math.abs(power)}%`);
      cell.dataset.sign = power < 0 ? "neg" : "pos";
      cell.toggleAttribute("data-broken", !Number.isFinite(value));
      cell.dataset.group = index === current ? "current" : groups[index] === own ? "own" : "";
    });
    /** @type {[string, string, number][]} */
    const told = model.statistics;
    terms(...told.map(([symbol, name]) => /** @type {[string, string]} */ ([symbol, name])));
    told.forEach(([, , value], n) => write(/** @type {Element} */ (statistics.children[n].lastElementChild), short(value, 4)));
    write(note, model.note);
    note.hidden = !model.note;
  }

  const later = once(draw);
  for (const name of ["title", "over", "colour", "values", "shape", "names", "cell", "groups", "statistics", "note", "current"]) {
    model.on(name, later);
  }
  new MutationObserver(() => raster && later()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  draw();
  el.append(card);
  return card;
}

function slice(/** @type {HTMLElement} */ part, /** @type {string} */ title) {
  const box = make("div", "slice", part);
  box.setAttribute("role", "rowgroup");
  if (title) box.setAttribute("aria-label", title);
  return box;
}
