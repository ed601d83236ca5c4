// The placements as a list of radio buttons that is also the key of the curves, with a live number each.
import { adopt, make, once, sheetOf, write } from "./sheet.js";

const sheet = await sheetOf("placement");

/** Dashes as Bokeh draws them. @type {Record<string, string>} */
const DASHES = { solid: "", dashed: "6 3", dotted: "1.5 3", dotdash: "1.5 3 6 3", dashdot: "6 3 1.5 3" };

/** @typedef {{key: string, title: string, about: string, dash: string, number: string, said: string}} Row */

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el, sheet);
  const group = make("div", "placements");
  group.setAttribute("role", "radiogroup");
  const title = make("span");
  const unit = make("span", "unit");
  /** @type {Map<string, HTMLElement>} */
  const buttons = new Map();
  let keys = "";

  const tell = (/** @type {string} */ type, /** @type {string} */ key) => model.send_msg({ type, key });

  function build() {
    buttons.clear();
    group.replaceChildren(
      ...model.rows.map((/** @type {Row} */ row) => {
        const button = make("button", "", swatch(row.dash), make("span", "name", row.title), make("b"));
        button.setAttribute("type", "button");
        button.setAttribute("role", "radio");
        button.title = row.about;
        button.addEventListener("click", () => tell("choose", row.key));
        button.addEventListener("pointerenter", () => tell("point", row.key));
        button.addEventListener("pointerleave", () => tell("point", ""));
        button.addEventListener("focus", () => tell("point", row.key));
        button.addEventListener("blur", () => tell("point", ""));
        buttons.set(row.key, button);
        return button;
      }),
    );
  }

  group.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = [...buttons.entries()];
    const at = all.findIndex(([, button]) => button === event.target);
    const [key, button] = all[(at + step + all.length) % all.length];
    button.focus();
    tell("choose", key);
  });

  function draw() {
    const wanted = model.rows.map((/** @type {Row} */ row) => row.key).join();
    if (wanted !== keys) {
      keys = wanted;
      build();
    }
    group.dataset.colour = model.colour;
    group.setAttribute("aria-label", model.label);
    write(title, model.label);
    write(unit, model.unit);
    for (const row of /** @type {Row[]} */ (model.rows)) {
      const button = /** @type {HTMLElement} */ (buttons.get(row.key));
      const chosen = row.key === model.chosen;
      button.setAttribute("aria-checked", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
      button.toggleAttribute("data-opposite", row.key === model.opposite);
      button.setAttribute("aria-label", `${row.about}, ${model.unit} ${row.said}`);
      write(/** @type {HTMLElement} */ (button.lastElementChild), row.number);
    }
  }

  const later = once(draw);
  for (const name of ["rows", "chosen", "opposite", "colour", "label", "unit"]) model.on(name, later);
  draw();
  const box = make("div", "", make("h2", "spread", title, unit), group);
  el.append(box);
  return box;
}

/** A bit of the curve's line. @param {string} dash */
function swatch(dash) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 20 8");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  line.setAttribute("d", "M0 4H20");
  line.setAttribute("stroke-dasharray", DASHES[dash]);
  svg.append(line);
  return svg;
}
