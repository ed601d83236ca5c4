// One transformer block as a drawing: every place of a norm is a switch, every wire shows its RMS.
import { adopt, make, once, sheetOf, write } from "./sheet.js";
import { HALVES, SHAPE } from "./block_plan.js";
import { short } from "./number.js";

const sheet = await sheetOf("placement");
const SVG = "http://www.w3.org/2000/svg";

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el, sheet);
  const range = /** @type {HTMLInputElement} */ (document.createElement("input"));
  range.type = "range";
  range.min = "1";
  const which = make("b");
  const about = make("span", "about");
  const beside = /** @type {HTMLButtonElement} */ (make("button", "toggle"));
  beside.type = "button";
  const halves = make("div", "halves");
  const box = make("section", "block", make("div", "bar", make("label", "", which, range), about, beside), halves);

  range.addEventListener("input", () => model.send_msg({ type: "block", block: Number(range.value) }));
  beside.addEventListener("click", () => model.send_msg({ type: "parallel" }));
  halves.addEventListener("click", (event) => toggle(event.target));
  halves.addEventListener("keydown", (event) => {
    const spot = spotOf(event.target);
    if (!spot) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      toggle(spot);
    }
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const spots = /** @type {SVGElement[]} */ ([...halves.querySelectorAll(".spot")]);
    spots[(spots.indexOf(spot) + step + spots.length) % spots.length].focus();
  });

  /** @param {EventTarget | null} target */
  const spotOf = (target) => /** @type {SVGElement | null} */ (target instanceof Element ? target.closest(".spot") : null);
  /** @param {EventTarget | null} target */
  function toggle(target) {
    const spot = spotOf(target);
    if (spot) model.send_msg({ type: "toggle", place: spot.dataset.place });
  }

  let drawn = "";
  function draw() {
    box.dataset.colour = model.colour;
    box.setAttribute("aria-label", model.label);
    write(which, model.label);
    write(about, model.about);
    range.max = String(model.depth);
    range.value = String(model.block);
    range.setAttribute("aria-label", model.words.block);
    range.setAttribute("aria-valuetext", model.label);
    write(beside, model.words.parallel);
    beside.setAttribute("aria-pressed", String(model.parallel));
    const wanted = String(model.parallel);
    if (wanted !== drawn) {
      drawn = wanted;
      halves.replaceChildren(...HALVES[model.parallel ? "parallel" : "sequential"].map(build));
    }
    update();
  }

  function update() {
    const on = new Set(model.places);
    for (const spot of /** @type {NodeListOf<SVGElement>} */ (halves.querySelectorAll(".spot"))) {
      const place = spot.dataset.place ?? "";
      spot.setAttribute("aria-checked", String(on.has(place)));
      spot.setAttribute("aria-label", model.words[place]);
      /** @type {Element} */ (spot.querySelector("text")).textContent = on.has(place) ? model.norm : "off";
      /** @type {Element} */ (spot.querySelector("title")).textContent = model.words[place];
    }
    for (const text of /** @type {NodeListOf<SVGElement>} */ (halves.querySelectorAll("[data-wire]"))) {
      const value = model.values[text.dataset.wire ?? ""];
      write(text, value === undefined ? "" : figures(value));
      text.toggleAttribute("data-broken", value !== undefined && !Number.isFinite(value));
    }
    for (const text of halves.querySelectorAll(".alpha")) text.textContent = model.alpha;
  }

  const later = once(draw);
  for (const name of ["places", "parallel", "norm", "colour", "values", "alpha", "block", "depth", "label", "about", "words"]) model.on(name, later);
  draw();
  el.append(box);
  return box;
}

/** Three figures: 0.446, 3.39, 12.4, 1.2e5. @param {number} value */
function figures(value) {
  const size = Math.abs(value);
  if (!Number.isFinite(value) || size === 0) return short(value);
  if (size < 1e-3 || size >= 1e4) return value.toExponential(1).replace("e+", "e").replace("-", "−");
  const rounded = Number(size.toPrecision(3)); // 0.99996 is 1.00, and not 1.000
  return value.toFixed(Math.max(0, 2 - Math.floor(Math.log10(rounded))));
}

/** @param {string} tag @param {Record<string, string | number>} attributes @param {...(Node | string)} children */
function draws(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** One half of the block from its plan. @param {import("./block_plan.js").Half} half */
function build(half) {
  const svg = draws("svg", { viewBox: `0 0 ${half.width} ${SHAPE.height}`, class: "half" });
  /** @type {SVGElement} */ (svg).style.setProperty("--width", String(half.width));
  for (const path of half.wires) svg.append(draws("path", { d: path, class: "wire" }));
  for (const [x, y, way] of half.arrows) svg.append(draws("path", { d: ARROWS[way], transform: `translate(${x} ${y})`, class: "arrow" }));
  for (const [x, y] of half.dots) svg.append(draws("circle", { cx: x, cy: y, r: 2.2, class: "dot" }));
  for (const [x, y] of half.sums) {
    svg.append(draws("circle", { cx: x, cy: y, r: 8, class: "sum" }), draws("text", { x, y: y + 4, class: "word", "text-anchor": "middle" }, "+"));
  }
  for (const [x, y, width, word] of half.boxes) {
    svg.append(draws("rect", { x, y: y - 15, width, height: 30, rx: 7, class: "box" }), draws("text", { x: x + width / 2, y: y + 4, class: "word", "text-anchor": "middle" }, word));
  }
  for (const [x, y, place] of half.spots) {
    const spot = draws(
      "g",
      { class: "spot", role: "switch", tabindex: 0, "data-place": place },
      draws("title", {}),
      draws("rect", { x: x - 4, y: y - 20, width: SHAPE.norm + 8, height: 40, class: "reach" }),
      draws("rect", { x, y: y - 15, width: SHAPE.norm, height: 30, rx: 7, class: "norm" }),
      draws("text", { x: x + SHAPE.norm / 2, y: y + 4 }),
    );
    svg.append(spot);
  }
  for (const [x, y, wire, anchor] of half.values) svg.append(draws("text", { x, y, class: "value", "data-wire": wire, "text-anchor": anchor ?? "middle" }));
  for (const [x, y, word, anchor] of half.words) svg.append(draws("text", { x, y, class: "word quiet", "text-anchor": anchor ?? "middle" }, word));
  for (const [x, y] of half.alphas) svg.append(draws("text", { x, y, class: "value alpha", "text-anchor": "end" }));
  return svg;
}

/** @type {Record<string, string>} */
const ARROWS = { right: "M-5 -3 0 0 -5 3z", up: "M-3 5 0 0 3 5z" };
