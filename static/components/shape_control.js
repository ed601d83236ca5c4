// The shape, an axis each, grown and shrunk in place.
import { adopt, make, once } from "./sheet.js";

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el);
  const box = make("div", "shape");
  box.setAttribute("role", "group");

  function button(/** @type {string} */ sign, /** @type {string} */ label, /** @type {number} */ axis, /** @type {number} */ by) {
    const element = /** @type {HTMLButtonElement} */ (make("button", "", sign));
    element.type = "button";
    element.setAttribute("aria-label", label);
    element.dataset.axis = `${axis}${by}`;
    element.addEventListener("click", () => model.send_msg({ type: "resize", axis, size: model.shape[axis] + by }));
    return element;
  }

  function draw() {
    const root = /** @type {ShadowRoot | Document} */ (box.getRootNode());
    const focused = root.activeElement instanceof HTMLElement ? root.activeElement.dataset.axis : undefined;
    box.setAttribute("aria-label", model.label);
    box.replaceChildren(
      ...model.shape.map((/** @type {number} */ size, /** @type {number} */ axis) => {
        const name = model.names[axis];
        const less = button("−", model.words.less.replace("{axis}", name), axis, -1);
        less.disabled = size <= 1;
        return make("div", "axis", make("span", "", name), less, make("b", "", String(size)), button("+", model.words.more.replace("{axis}", name), axis, 1));
      }),
    );
    if (focused) /** @type {HTMLElement | null} */ (box.querySelector(`[data-axis="${focused}"]`))?.focus();
  }

  const later = once(draw);
  for (const name of ["shape", "names", "label"]) model.on(name, later);
  draw();
  el.append(box);
  return box;
}
