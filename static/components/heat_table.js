// A small matrix as a table of coloured cells on a scale centred on 0.
import { adopt, make, once, refill } from "./sheet.js";
import { softmaxSheet } from "./softmax_sheet.js";
import { scaleOf, strength } from "./shape.js";

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el, softmaxSheet);
  const table = make("table", "heat");

  function draw() {
    table.setAttribute("aria-label", model.label);
    table.classList.toggle("many", model.columns.length > 4);
    const width = model.columns.length;
    const scale = scaleOf(model.values);
    const head = make("tr", "", make("td"), ...model.columns.map((/** @type {string} */ name) => heading(name, "col")));
    const lines = model.rows.map((/** @type {string} */ name, /** @type {number} */ i) => {
      const cells = model.columns.map((/** @type {string} */ column, /** @type {number} */ j) => cell(model.values[i * width + j], scale, model.texts[i * width + j]));
      return make("tr", "", heading(name, "row"), ...cells);
    });
    refill(table, make("thead", "", head), make("tbody", "", ...lines));
  }

  const later = once(draw);
  for (const name of ["values", "texts", "rows", "columns", "label"]) model.on(name, later);
  draw();
  el.append(table);
  return table;
}

function heading(/** @type {string} */ name, /** @type {string} */ scope) {
  const head = make("th", "", name);
  head.setAttribute("scope", scope);
  return head;
}

function cell(/** @type {number} */ value, /** @type {number} */ scale, /** @type {string} */ text) {
  const data = make("td", "", text);
  const power = strength(value, scale);
  data.style.setProperty("--k", `${Math.abs(power)}%`);
  data.dataset.sign = power < 0 ? "neg" : "pos";
  data.toggleAttribute("data-broken", !Number.isFinite(value));
  return data;
}
