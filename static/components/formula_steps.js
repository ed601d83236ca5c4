// The formula of the selected normalizer with the live numbers of one cell.
import { adopt, changes, make, once, write } from "./sheet.js";
import { short } from "./number.js";

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el);
  const list = make("ol", "steps");

  const build = changes((/** @type {[string, string][]} */ ...steps) => {
    list.replaceChildren(
      ...steps.map(([formula, name]) => {
        const math = make("small");
        math.innerHTML = formula; // MathML from our own tables
        return make("li", "", math, make("b"), make("span", "", name));
      }),
    );
  });

  function draw() {
    /** @type {[string, string, number][]} */
    const steps = model.steps;
    list.dataset.colour = model.colour;
    build(...steps.map(([formula, name]) => /** @type {[string, string]} */ ([formula, name])));
    steps.forEach(([, , value], n) => {
      const item = list.children[n];
      write(item.children[1], short(value, 4));
      item.toggleAttribute("data-broken", !Number.isFinite(value));
    });
  }

  const later = once(draw);
  for (const name of ["steps", "colour"]) model.on(name, later);
  draw();
  el.append(list);
  return list;
}
