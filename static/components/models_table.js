// All systems as a table one walks through with the arrow keys: headings sort, rows are picked to compare.
import { adopt, make, once, write } from "./sheet.js";
import { modelsSheet } from "./models_sheet.js";
import { Walk } from "./walk.js";

/** @typedef {{key: string, title: string}} Column */
/** @typedef {{text: string, known: boolean, colour: string}} Cell */
/** @typedef {{key: string, name: string, cells: Cell[], source: string, note: string}} Row */

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el, modelsSheet);
  const say = (/** @type {object} */ message) => model.send_msg(message);
  const filter = makeFilter(model.words, (text) => say({ type: "filter", text }));
  const head = make("thead");
  const body = make("tbody");
  const table = make("table", "systems", head, body);
  table.setAttribute("role", "grid");
  table.setAttribute("aria-multiselectable", "true");
  table.setAttribute("aria-label", model.label);
  const source = make("p", "source");
  source.id = "source";
  const box = make("div", "models", filter.label, make("div", "scroll", table), source);

  const headings = /** @type {Column[]} */ (model.columns).map((column) => heading(column));
  head.append(make("tr", "", ...headings));
  /** @type {Map<string, HTMLElement>} */
  const lines = new Map(/** @type {Row[]} */ (model.rows).map((row) => [row.key, line(row, model.columns)]));
  /** @type {Map<string, Row>} */
  const rows = new Map(/** @type {Row[]} */ (model.rows).map((row) => [row.key, row]));

  const walk = new Walk(table, () => [headings, ...model.order.map((/** @type {string} */ key) => [.../** @type {HTMLElement} */ (lines.get(key)).children])]);
  walk.onPress = (cell) => {
    const key = /** @type {HTMLElement} */ (cell.parentElement).dataset.key;
    if (key) say({ type: "pick", key });
    else say({ type: "sort", column: cell.dataset.column });
  };
  walk.onCell = tell;
  table.addEventListener("pointermove", (event) => {
    const cell = event.target instanceof Element ? event.target.closest("td, tbody th") : null;
    if (cell instanceof HTMLElement) tell(cell);
  });

  function tell(/** @type {HTMLElement} */ cell) {
    const row = rows.get(cell.parentElement?.dataset.key ?? "");
    if (!row) return;
    const column = model.columns.find((/** @type {Column} */ one) => one.key === cell.dataset.column);
    const value = column.key === "name" ? "" : ` ${column.title}: ${cell.textContent}.`;
    source.replaceChildren(make("b", "", `${row.name}.`), value, make("span", "", ` ${model.words.source}: ${row.source}.`), row.note ? ` ${row.note}` : "");
  }

  function draw() {
    filter.show(model.filter, model.words.shown.replace("{shown}", model.order.length).replace("{all}", model.rows.length));
    const held = walk.hasFocus(); // a row that is moved loses it
    body.replaceChildren(...model.order.map((/** @type {string} */ key) => lines.get(key)));
    table.setAttribute("aria-rowcount", String(model.order.length + 1));
    for (const cell of headings) {
      const own = cell.dataset.column === model.sort;
      cell.setAttribute("aria-sort", own ? (model.descending ? "descending" : "ascending") : "none");
    }
    for (const [key, element] of lines) {
      const place = model.picked.indexOf(key);
      element.setAttribute("aria-selected", String(place >= 0));
      element.dataset.picked = place < 0 ? "" : String(place + 1);
    }
    walk.settle(held);
    if (!source.textContent) source.textContent = model.words.hint;
  }

  const later = once(draw);
  for (const name of ["order", "filter", "sort", "descending", "picked"]) model.on(name, later);
  draw();
  el.append(box);
  return box;
}

function makeFilter(/** @type {Record<string, string>} */ words, /** @type {(text: string) => void} */ changed) {
  const input = /** @type {HTMLInputElement} */ (document.createElement("input"));
  input.type = "search";
  input.placeholder = words.placeholder;
  input.maxLength = 80;
  input.spellcheck = false;
  const count = make("span", "count");
  count.setAttribute("role", "status");
  const label = make("label", "filter", make("span", "", words.filter), input, count);
  input.addEventListener("input", () => changed(input.value));
  const show = (/** @type {string} */ text, /** @type {string} */ shown) => {
    // While a person types, what Python answers may be a letter behind.
    if (input.value !== text && !input.matches(":focus")) input.value = text;
    write(count, shown);
  };
  return { label, show };
}

function heading(/** @type {Column} */ column) {
  const cell = make("th", "", make("span", "", column.title));
  cell.setAttribute("role", "columnheader");
  cell.setAttribute("scope", "col");
  cell.dataset.column = column.key;
  cell.tabIndex = -1;
  return cell;
}

function line(/** @type {Row} */ row, /** @type {Column[]} */ columns) {
  const cells = row.cells.map((cell, n) => {
    const first = n === 0;
    const element = make(first ? "th" : "td", "", cell.text);
    element.setAttribute("role", first ? "rowheader" : "gridcell");
    if (first) element.setAttribute("scope", "row");
    element.setAttribute("aria-describedby", "source");
    element.dataset.column = columns[n].key;
    element.tabIndex = -1;
    if (!cell.known) element.dataset.unknown = "";
    if (cell.colour) element.dataset.colour = cell.colour;
    return element;
  });
  const element = make("tr", "", ...cells);
  element.dataset.key = row.key;
  return element;
}
