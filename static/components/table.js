// Rows of numbers to compare; where a row stands for values, they are drawn as dots on one scale.
import { adopt, make, once, scrollable, sheetOf } from "./sheet.js";
import { short } from "./number.js";

const style = await sheetOf("table");

/** @typedef {{strip: number[], mean: number, spread: number, hollow: boolean[]}} Strip */
/** @typedef {number | string | Strip | {list: number[]}} Value */
/** @typedef {{head: string, cells: Value[], colour?: string, state?: string, note?: string}} Row */

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el, style);
  const caption = document.createElement("caption");
  const head = document.createElement("thead");
  const body = document.createElement("tbody");
  const table = make("table", "compare", caption, head, body);
  const box = make("div", "scroll", table);

  function draw() {
    caption.textContent = model.caption;
    caption.hidden = !model.caption;
    const titles = model.columns.map((/** @type {string} */ text) => {
      const cell = make("th", "", text);
      cell.setAttribute("scope", "col");
      return cell;
    });
    head.replaceChildren(make("tr", "", ...titles));
    head.hidden = model.columns.every((/** @type {string} */ text) => !text);
    const swatches = new Set(model.rows.map((/** @type {Row} */ row) => row.colour ?? "")).size > 1;
    body.replaceChildren(...model.rows.flatMap((/** @type {Row} */ row) => linesOf(row, model.domain, model.columns.length, swatches)));
  }

  const later = once(draw);
  for (const name of ["caption", "columns", "rows", "domain"]) model.on(name, later);
  draw();
  el.append(box);
  scrollable(box, () => model.caption || model.columns.join(", "));
  return box;
}

/** A row, and its note under it. */
function linesOf(/** @type {Row} */ row, /** @type {[number, number]} */ domain, /** @type {number} */ columns, /** @type {boolean} */ swatches) {
  const title = make("th", "", ...(row.colour && swatches ? [make("i")] : []), row.head);
  title.setAttribute("scope", "row");
  const line = make("tr", "", title, ...row.cells.map((value) => cellOf(value, domain)));
  const lines = [line];
  if (row.note) {
    const note = make("td", "note", row.note);
    note.setAttribute("colspan", String(columns));
    lines.push(make("tr", "noted", note));
  }
  for (const part of lines) {
    if (row.colour) part.dataset.colour = row.colour;
    if (row.state) part.dataset.state = row.state;
  }
  if (row.state === "current") line.setAttribute("aria-current", "true");
  return lines;
}

function cellOf(/** @type {Value} */ value, /** @type {[number, number]} */ domain) {
  if (typeof value === "number") return make("td", Number.isFinite(value) ? "number" : "number unreal", short(value, 4));
  if (typeof value === "string") return make("td", "", value);
  if ("list" in value) {
    const broken = value.list.some((number) => !Number.isFinite(number));
    return make("td", broken ? "number unreal" : "number", value.list.map((number) => short(number, 4)).join(", "));
  }
  return make("td", "drawn", stripOf(value, domain));
}

/** Dots at the values, a bar of one spread on both sides of the mean. */
function stripOf(/** @type {Strip} */ { strip, mean, spread, hollow }, /** @type {[number, number]} */ [low, high]) {
  const at = (/** @type {number} */ value) => ((value - low) / (high - low)) * 100;
  const box = make("div", "strip");
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", strip.map((value) => short(value, 2)).join(", "));
  if (Number.isFinite(mean) && Number.isFinite(spread)) {
    const bar = make("b");
    bar.style.left = `${at(mean - spread)}%`;
    bar.style.width = `${at(mean + spread) - at(mean - spread)}%`;
    const middle = make("u");
    middle.style.left = `${at(mean)}%`;
    box.append(bar, middle);
  }
  strip.forEach((value, n) => {
    if (!Number.isFinite(value)) return;
    const dot = make("i", hollow[n] ? "hollow" : "");
    dot.style.left = `${at(value)}%`;
    box.append(dot);
  });
  return box;
}
