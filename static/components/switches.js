// A few things that are on or off: the browser's own checkboxes, one a line.
import { adopt, make, once, sheetOf } from "./sheet.js";

const sheet = await sheetOf("placement");

/** @typedef {{key: string, text: string, on: boolean}} Switch */

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el, sheet);
  const group = make("div", "switches");
  group.setAttribute("role", "group");
  /** @type {Map<string, HTMLInputElement>} */
  const boxes = new Map();
  let keys = "";

  /** @param {Switch} item */
  function build(item) {
    const box = /** @type {HTMLInputElement} */ (document.createElement("input"));
    box.type = "checkbox";
    box.addEventListener("change", () => model.send_msg({ type: "press", key: item.key }));
    boxes.set(item.key, box);
    return make("label", "", box, make("span", "", item.text));
  }

  function draw() {
    group.setAttribute("aria-label", model.label);
    const wanted = model.switches.map((/** @type {Switch} */ item) => item.key + item.text).join();
    if (wanted !== keys) {
      keys = wanted;
      boxes.clear();
      group.replaceChildren(...model.switches.map(build));
    }
    for (const item of /** @type {Switch[]} */ (model.switches)) /** @type {HTMLInputElement} */ (boxes.get(item.key)).checked = item.on;
  }

  const later = once(draw);
  for (const name of ["label", "switches"]) model.on(name, later);
  draw();
  el.append(group);
  return group;
}
