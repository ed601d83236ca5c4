// What is being computed, how far it is, and a button that stops it or sets it going.
import { adopt, make, once, sheetOf, write } from "./sheet.js";

const sheet = await sheetOf("placement");

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el, sheet);
  const text = make("span", "said");
  const fill = make("i");
  const progress = make("div", "progress", fill);
  progress.setAttribute("role", "progressbar");
  progress.setAttribute("aria-valuemin", "0");
  progress.setAttribute("aria-valuemax", "100");
  const button = /** @type {HTMLButtonElement} */ (make("button"));
  button.type = "button";
  button.addEventListener("click", () => model.send_msg({ type: "press" }));
  const box = make("div", "run", text, progress, button);

  function draw() {
    write(text, model.text);
    text.hidden = !model.text;
    progress.hidden = model.percent < 0;
    progress.setAttribute("aria-label", model.text);
    progress.setAttribute("aria-valuenow", String(Math.max(0, model.percent)));
    fill.style.width = `${Math.max(0, model.percent)}%`;
    write(button, model.button);
    button.hidden = !model.button;
    box.toggleAttribute("data-empty", !model.text && !model.button);
  }

  const later = once(draw);
  for (const name of ["text", "percent", "button"]) model.on(name, later);
  draw();
  el.append(box);
  return box;
}
