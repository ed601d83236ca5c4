// The title of a plot and a line on what it says.
import { adopt, make, once, sheetOf, write } from "./sheet.js";

const sheet = await sheetOf("placement");

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el, sheet);
  const title = make("h3");
  const text = make("p");
  const box = make("div", "caption", title, text);

  function draw() {
    write(title, model.title);
    title.hidden = !model.title;
    write(text, model.text);
    text.style.minHeight = `${1.4 * model.lines}em`;
  }

  const later = once(draw);
  for (const name of ["title", "text", "lines"]) model.on(name, later);
  draw();
  el.append(box);
  return box;
}
