// What happens to each normalizer's outputs when the input is changed in one way, and why.
import { adopt, make, once } from "./sheet.js";
import { short } from "./number.js";

const SIGNS = { same: "=", nearly: "≈", changes: "≠" };

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el);
  const list = make("div", "probes");
  const rule = make("p");

  /** While an amount is being typed its input stays; the answers around it change. */
  function refresh() {
    model.probes.forEach((/** @type {any} */ row, /** @type {number} */ n) => {
      const fresh = probe(row).querySelector(".answers");
      if (fresh) list.children[n]?.querySelector(".answers")?.replaceWith(fresh);
    });
  }

  function draw() {
    const root = /** @type {ShadowRoot | Document} */ (list.getRootNode());
    const focused = root.activeElement instanceof HTMLElement ? root.activeElement.dataset.probe : undefined;
    if (focused?.endsWith("-amount")) {
      refresh();
      return;
    }
    list.replaceChildren(...model.probes.map(probe), rule);
    if (model.note) rule.textContent = model.note;
    if (focused) /** @type {HTMLElement | null} */ (list.querySelector(`[data-probe="${focused}"]`))?.focus();
  }

  function probe(/** @type {any} */ row) {
    const [before, after] = row.text.split("{amount}");
    const apply = /** @type {HTMLButtonElement} */ (make("button", "", before.trim()));
    apply.type = "button";
    apply.dataset.probe = row.key;
    apply.title = model.words.apply;
    apply.addEventListener("click", () => model.send_msg({ type: "apply", key: row.key }));
    const answers = row.answers.map((/** @type {any} */ answer) => {
      const sign = make("b", answer.seen, SIGNS[/** @type {keyof typeof SIGNS} */ (answer.seen)]);
      const words = model.words[answer.seen];
      const size = answer.seen === "same" ? "" : answer.seen === "nearly" ? answer.largest.toExponential(0) : short(answer.largest, 2);
      const item = make("span", "answer", make("i"), sign, size);
      item.dataset.colour = answer.colour;
      item.title = `${answer.title}: ${words} ${size}. ${answer.rule}`;
      item.setAttribute("aria-label", item.title);
      item.setAttribute("role", "img");
      return item;
    });
    const rules = [...new Set(row.answers.map((/** @type {any} */ answer) => answer.rule))].join(" ");
    const sentence = make("span", "sentence", apply);
    if (row.amount !== undefined) sentence.append(amountInput(row, before, after), after ?? "");
    const line = make("div", "probe", sentence, make("div", "answers", ...answers));
    const tell = () => (rule.textContent = rules);
    line.addEventListener("pointerenter", tell);
    line.addEventListener("focusin", tell);
    if (row === model.probes[0]) tell();
    return line;
  }

  function amountInput(/** @type {any} */ row, /** @type {string} */ before, /** @type {string} */ after) {
    const input = /** @type {HTMLInputElement} */ (make("input"));
    input.type = "number";
    input.step = "any";
    input.value = String(row.amount);
    input.dataset.probe = `${row.key}-amount`;
    input.setAttribute("aria-label", `${before}…${after}`);
    input.addEventListener("input", () => {
      if (input.value !== "" && Number.isFinite(input.valueAsNumber)) model.send_msg({ type: "amount", key: row.key, value: input.valueAsNumber });
    });
    return input;
  }

  const later = once(draw);
  for (const name of ["probes", "note", "words"]) model.on(name, later);
  draw();
  el.append(list);
  return list;
}
