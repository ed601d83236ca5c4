// Sentences that change with the numbers; their HTML is ours.
import { adopt, make, once } from "./sheet.js";

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el);
  const box = make("div", "prose");
  if (model.region) {
    box.className = "prose sideways";
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", model.region);
  }
  const draw = () => (box.innerHTML = model.html);
  model.on("html", once(draw));
  draw();
  el.append(box);
  return box;
}
