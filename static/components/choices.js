// One of a few: an ARIA radio group, moved through with the arrow keys.
import { adopt, make, once, sheetOf } from "./sheet.js";

const style = await sheetOf("choices");
let made = 0;

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el, style);
  const title = make("span", "title");
  title.id = `choices-${made++}`;
  const group = make("div", "choice-list");
  group.setAttribute("role", "radiogroup");
  group.setAttribute("aria-labelledby", title.id);
  const box = make("div", "choice-box", title, group);

  /** @type {HTMLButtonElement[]} */
  let buttons = [];
  let built = "";

  function build() {
    const wanted = JSON.stringify(model.options);
    if (wanted === built) return;
    built = wanted;
    buttons = model.options.map((/** @type {[string, string]} */ [key, text]) => {
      const button = /** @type {HTMLButtonElement} */ (make("button", "choice", text));
      button.type = "button";
      button.dataset.key = key;
      button.setAttribute("role", "radio");
      button.addEventListener("click", () => choose(key));
      return button;
    });
    group.replaceChildren(...buttons);
  }

  function choose(/** @type {string} */ key) {
    if (key !== model.value) model.send_msg({ type: "choose", key });
  }

  group.addEventListener("keydown", (event) => {
    const way = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    if (!way || at < 0) return;
    event.preventDefault();
    const next = buttons[(at + way + buttons.length) % buttons.length];
    next.focus();
    choose(next.dataset.key ?? "");
  });

  function draw() {
    build();
    title.textContent = model.label;
    title.classList.toggle("unseen", !model.shown);
    group.style.setProperty("--columns", String(model.columns));
    const chosen = buttons.some((button) => button.dataset.key === model.value);
    buttons.forEach((button, n) => {
      const on = button.dataset.key === model.value;
      button.setAttribute("aria-checked", String(on));
      button.tabIndex = on || (!chosen && n === 0) ? 0 : -1;
    });
  }

  const later = once(draw);
  for (const name of ["label", "shown", "options", "value", "columns"]) model.on(name, later);
  draw();
  el.append(box);
  return box;
}
