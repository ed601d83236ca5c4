// The likeliest tokens of the head as bars, with their logits and how sharp the answer is.
import { adopt, make, once, refill, sheetOf, write } from "./sheet.js";
import { fixed } from "./number.js";

const sheet = await sheetOf("placement");

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el, sheet);
  const title = make("h3");
  const bars = make("div", "bars");
  bars.setAttribute("role", "img");
  const box = make("article", "reading", title, bars);

  function draw() {
    box.dataset.colour = model.colour;
    box.toggleAttribute("data-current", model.current);
    refill(title, make("i"), model.title, make("span", "", model.text));
    bars.setAttribute("aria-label", model.label);
    const probabilities = Float64Array.from(model.probabilities);
    const logits = Float64Array.from(model.logits);
    while (bars.childElementCount > probabilities.length) bars.lastElementChild?.remove();
    while (bars.childElementCount < probabilities.length) bars.append(make("span", "", make("span", "room", make("i")), make("small")));
    probabilities.forEach((probability, index) => {
      const [room, logit] = bars.children[index].children;
      const bar = /** @type {HTMLElement} */ (room.firstElementChild);
      const share = Number.isFinite(probability) ? (100 * probability) / model.top : 0;
      bar.style.setProperty("--share", `${share.toFixed(2)}%`);
      bar.title = `p ${fixed(probability, 3)}`;
      write(logit, fixed(logits[index], 1));
    });
  }

  const later = once(draw);
  for (const name of ["title", "current", "colour", "text", "label", "probabilities", "logits", "top"]) model.on(name, later);
  draw();
  el.append(box);
  return box;
}
