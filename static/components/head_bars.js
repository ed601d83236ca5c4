// The likeliest tokens of the head as bars, with their logits and how sharp the answer is.
import { adopt, make, once, refill, sheetOf } from "./sheet.js";
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
    refill(
      bars,
      ...Array.from(probabilities, (probability, index) => {
        const bar = make("i");
        const broken = !Number.isFinite(probability);
        bar.style.setProperty("--share", `${broken ? 0 : (100 * probability) / model.top}%`);
        bar.title = `p ${fixed(probability, 3)}`;
        const logit = make("small", "", fixed(logits[index], 1));
        return make("span", "", make("span", "room", bar), logit);
      }),
    );
  }

  const later = once(draw);
  for (const name of ["title", "current", "colour", "text", "label", "probabilities", "logits", "top"]) model.on(name, later);
  draw();
  el.append(box);
  return box;
}
