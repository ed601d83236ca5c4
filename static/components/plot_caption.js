// The title of a plot and a line on what it says.
import { adopt, make, once, sheetOf } from "./sheet.js";

const sheet = await sheetOf("placement");

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el, sheet);
  const title = make("h3");
  const text = make("p");
  const box = make("div", "caption", title, text);

  function draw() {
    title.textContent = model.title;
    title.hidden = !model.title;
    text.textContent = model.text;
    text.style.minHeight = `${1.4 * model.lines}em`;
  }

  const later = once(draw);
  for (const name of ["title", "text", "lines"]) model.on(name, later);
  draw();
  el.append(box);
  return box;
}
