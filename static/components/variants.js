// The curves by name and line, with their numbers as a table, or as a short legend without.
import { adopt, make, once, refill } from "./sheet.js";
import { softmaxSheet } from "./softmax_sheet.js";

/** @typedef {{name: string, colour: string, dashed: boolean, current: boolean, cells: string[]}} Variant */

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el, softmaxSheet);
  const box = make("div");

  function draw() {
    refill(box, model.compact ? legend(model.rows) : table(model));
  }

  const later = once(draw);
  for (const name of ["rows", "columns", "label"]) model.on(name, later);
  draw();
  el.append(box);
  return box;
}

function legend(/** @type {Variant[]} */ rows) {
  const list = make("p", "legend", ...rows.map((row) => name(row, "span")));
  list.setAttribute("aria-hidden", "true"); // the table says the same, with numbers
  return list;
}

function table(/** @type {any} */ model) {
  const heads = ["", ...model.columns].map((text) => {
    const head = make(text ? "th" : "td", "", text);
    if (text) head.setAttribute("scope", "col");
    return head;
  });
  const lines = model.rows.map((/** @type {Variant} */ row) => {
    const head = name(row, "th");
    head.setAttribute("scope", "row");
    const line = make("tr", "", head, ...row.cells.map((text) => make("td", "", text)));
    line.toggleAttribute("data-current", row.current);
    if (row.current) line.setAttribute("aria-current", "true");
    return line;
  });
  const element = make("table", "curve-table", make("thead", "", make("tr", "", ...heads)), make("tbody", "", ...lines));
  element.setAttribute("aria-label", model.label);
  return element;
}

function name(/** @type {Variant} */ row, /** @type {string} */ tag) {
  const sample = make("i");
  sample.style.borderTop = `${row.current ? 3 : 2}px ${row.dashed ? "dashed" : "solid"} var(--${row.colour})`;
  const element = make(tag, "", sample, row.name);
  element.toggleAttribute("data-current", row.current);
  return element;
}
