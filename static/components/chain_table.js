// The chain from q and k to the gradient as a table: steps from left to right, or downwards where it is narrow.
import { adopt, make, once, refill } from "./sheet.js";
import { softmaxSheet } from "./softmax_sheet.js";

const NARROW = 520; // pixels below which the steps run downwards

/** @typedef {{key: string, title: string, formula: string, active: boolean}} Step */
/** @typedef {{name: string, dim: boolean, cells: string[]}} Row */

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el, softmaxSheet);
  const table = make("table", "chain");
  const box = make("div", "chain-box", table);
  let narrow = false;

  function draw() {
    table.setAttribute("aria-label", model.label);
    table.classList.toggle("down", narrow);
    const down = /** @type {Step[]} */ (model.steps);
    const across = /** @type {Row[]} */ (model.rows);
    refill(table, ...(narrow ? stepsDown(down, across) : stepsAcross(down, across)));
  }

  function stepsAcross(/** @type {Step[]} */ steps, /** @type {Row[]} */ rows) {
    const head = make("tr", "", headOf("", "col"), ...steps.map((step) => stepHead(step, "col")));
    const lines = rows.map((row) =>
      mark(make("tr", "", headOf(row.name, "row"), ...steps.map((step, n) => cell(step, row, n))), row),
    );
    return [make("thead", "", head), make("tbody", "", ...lines)];
  }

  function stepsDown(/** @type {Step[]} */ steps, /** @type {Row[]} */ rows) {
    const head = make("tr", "", headOf("", "col"), ...rows.map((row) => headOf(row.name, "col")));
    const lines = steps.map((step, n) =>
      make("tr", "", stepHead(step, "row"), ...rows.map((row) => cell(step, row, n))),
    );
    return [make("thead", "", head), make("tbody", "", ...lines)];
  }

  const later = once(draw);
  for (const name of ["steps", "rows", "label"]) model.on(name, later);
  new ResizeObserver(([entry]) => {
    const now = entry.contentRect.width > 0 && entry.contentRect.width < NARROW;
    if (now === narrow) return;
    narrow = now;
    draw();
  }).observe(box);
  draw();
  el.append(box);
  return box;
}

function headOf(/** @type {string} */ text, /** @type {string} */ scope) {
  const head = make(text ? "th" : "td", "", text);
  if (text) head.setAttribute("scope", scope);
  return head;
}

/** MathML from our own tables: it takes long to parse, and there are few. @type {Map<string, HTMLElement>} */
const formulas = new Map();

function formulaOf(/** @type {string} */ text) {
  const known = formulas.get(text);
  if (known) return known.cloneNode(true);
  const formula = make("span", "formula");
  formula.innerHTML = text;
  formulas.set(text, formula);
  return formula.cloneNode(true);
}

function stepHead(/** @type {Step} */ step, /** @type {string} */ scope) {
  const formula = formulaOf(step.formula);
  const head = make("th", "", make("span", "title", step.title), formula);
  head.setAttribute("scope", scope);
  head.toggleAttribute("data-idle", !step.active);
  return head;
}

function cell(/** @type {Step} */ step, /** @type {Row} */ row, /** @type {number} */ index) {
  const data = make("td", "", row.cells[index]);
  data.dataset.step = step.key;
  data.toggleAttribute("data-idle", !step.active);
  data.toggleAttribute("data-broken", row.cells[index].includes("NaN"));
  return data;
}

function mark(/** @type {HTMLElement} */ line, /** @type {Row} */ row) {
  line.toggleAttribute("data-masked", row.dim);
  return line;
}
