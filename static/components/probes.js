// What happens to each normalizer's outputs when the input is changed in one way, and why.
import { adopt, changes, make, once, write } from "./sheet.js";
import { short } from "./number.js";

const SIGNS = { same: "=", nearly: "≈", changes: "≠" };

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el);
  const list = make("div", "probe-rows");
  const rule = make("p");
  let told = "";

  /** The rows by what they are; a row with an amount that is being typed in stays as it is. */
  const build = changes((/** @type {any[]} */ ...rows) => {
    const root = /** @type {ShadowRoot | Document} */ (list.getRootNode());
    const focused = root.activeElement instanceof HTMLElement ? root.activeElement.dataset.probe : undefined;
    const typing = focused?.endsWith("-amount") && list.children.length === rows.length + 1;
    if (typing) return;
    list.replaceChildren(...rows.map(probe), rule);
    if (focused) /** @type {HTMLElement | null} */ (list.querySelector(`[data-probe="${focused}"]`))?.focus();
  });

  function draw() {
    /** @type {any[]} */
    const rows = model.probes;
    build(...rows.map(({ key, text, amount, answers }) => ({ key, text, amount, colours: answers.map((/** @type {any} */ answer) => answer.colour) })));
    rows.forEach((row, n) => {
      const items = list.children[n].querySelectorAll(".answer");
      row.answers.forEach((/** @type {any} */ answer, /** @type {number} */ at) => items[at] && tellAnswer(/** @type {HTMLElement} */ (items[at]), answer));
    });
    tellRules();
  }

  /** @param {HTMLElement} item @param {any} answer */
  function tellAnswer(item, answer) {
    const [, sign, amount] = item.children;
    const size = answer.seen === "same" ? "" : answer.seen === "nearly" ? answer.largest.toExponential(0) : short(answer.largest, 2);
    sign.className = answer.seen;
    write(sign, SIGNS[/** @type {keyof typeof SIGNS} */ (answer.seen)]);
    write(amount, size);
    const title = `${answer.title}: ${model.words[answer.seen]} ${size}. ${answer.rule}`;
    if (item.title === title) return;
    item.title = title;
    item.setAttribute("aria-label", title);
  }

  /** The rules behind the answers of the row that was pointed at last, or of the first. */
  function tellRules() {
    const row = model.probes.find((/** @type {any} */ one) => one.key === told) ?? model.probes[0];
    const rules = row ? [...new Set(row.answers.map((/** @type {any} */ answer) => answer.rule))] : [model.note];
    write(rule, rules.join(" "));
  }

  function probe(/** @type {any} */ row) {
    const [before, after] = row.text.split("{amount}");
    const apply = /** @type {HTMLButtonElement} */ (make("button", "", before.trim()));
    apply.type = "button";
    apply.dataset.probe = row.key;
    apply.title = model.words.apply;
    apply.addEventListener("click", () => model.send_msg({ type: "apply", key: row.key }));
    const answers = row.colours.map((/** @type {string} */ colour) => {
      const item = make("span", "answer", make("i"), make("b"), make("span"));
      item.dataset.colour = colour;
      item.setAttribute("role", "img");
      return item;
    });
    const sentence = make("span", "sentence", apply);
    if (row.amount !== undefined) sentence.append(amountInput(row, before, after), after ?? "");
    const line = make("div", "probe", sentence, make("div", "answers", ...answers));
    const present = () => {
      told = row.key;
      tellRules();
    };
    line.addEventListener("pointerenter", present);
    line.addEventListener("focusin", present);
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
