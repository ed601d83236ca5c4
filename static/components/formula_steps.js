// The formula of the selected normalizer with the live numbers of one cell.
import { adopt, make, once } from "./sheet.js";
import { short } from "./number.js";

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el);
  const list = make("ol", "steps");

  function draw() {
    list.dataset.colour = model.colour;
    list.replaceChildren(
      ...model.steps.map((/** @type {[string, string, number]} */ [formula, name, value]) => {
        const math = make("small");
        math.innerHTML = formula; // MathML from our own tables
        const item = make("li", "", math, make("b", "", short(value, 4)), make("span", "", name));
        if (!Number.isFinite(value)) item.setAttribute("data-broken", "");
        return item;
      }),
    );
  }

  const later = once(draw);
  for (const name of ["steps", "colour"]) model.on(name, later);
  draw();
  el.append(list);
  return list;
}
