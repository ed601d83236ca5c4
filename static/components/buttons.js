// Things to do, side by side; one with a state is a switch.
import { adopt, make, once, sheetOf, write } from "./sheet.js";

const style = await sheetOf("choices");

/** @typedef {{key: string, text: string, main?: boolean, disabled?: boolean, on?: boolean}} Item */

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el, style);
  const row = make("div", "row");
  const words = make("span", "words");
  words.setAttribute("role", "status");
  const box = make("div", "acts", row, words);
  box.setAttribute("role", "group");
  /** @type {Map<string, HTMLButtonElement>} */
  const buttons = new Map();

  function buttonFor(/** @type {Item} */ item) {
    const old = buttons.get(item.key);
    if (old) return old;
    const button = /** @type {HTMLButtonElement} */ (make("button"));
    button.type = "button";
    button.dataset.key = item.key;
    button.addEventListener("click", () => {
      if (button.getAttribute("aria-disabled") !== "true") model.send_msg({ type: "press", key: item.key });
    });
    buttons.set(item.key, button);
    return button;
  }

  function draw() {
    box.setAttribute("aria-label", model.label);
    const now = model.buttons.map(buttonFor);
    if (now.length !== row.children.length || now.some((/** @type {HTMLElement} */ button, /** @type {number} */ n) => row.children[n] !== button)) {
      row.replaceChildren(...now);
    }
    model.buttons.forEach((/** @type {Item} */ item, /** @type {number} */ n) => {
      const button = now[n];
      write(button, item.text);
      button.className = item.main ? "act main" : item.on === undefined ? "act" : "act switch";
      // Not `disabled`: a button that takes itself away under a keyboard would take the focus along.
      button.setAttribute("aria-disabled", String(Boolean(item.disabled)));
      if (item.on === undefined) return;
      button.setAttribute("role", "switch");
      button.setAttribute("aria-checked", String(item.on));
    });
    write(words, model.text);
    words.hidden = !model.text;
  }

  const later = once(draw);
  for (const name of ["label", "buttons", "text"]) model.on(name, later);
  draw();
  el.append(box);
  return box;
}
