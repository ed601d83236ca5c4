// One or two systems in full, side by side; where they differ is marked, and each can be opened in the other scenes.
import { adopt, make, once } from "./sheet.js";
import { modelsSheet } from "./models_sheet.js";

/** @typedef {{key: string, name: string, year: number, source: string, note: string, opens: Record<string, boolean>}} System */
/** @typedef {{title: string, texts: string[], differs: boolean}} Line */

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el, modelsSheet);
  const box = make("div", "comparison");

  function draw() {
    const root = /** @type {ShadowRoot | Document} */ (box.getRootNode());
    const focused = root.activeElement instanceof HTMLElement ? root.activeElement.dataset.act : undefined;
    const summary = make("p", "summary", model.summary);
    summary.setAttribute("role", "status");
    box.replaceChildren(summary, ...(model.systems.length ? [table(model), sources(model.systems, model.words)] : []));
    if (focused) /** @type {HTMLElement | null} */ (box.querySelector(`[data-act="${focused}"]`))?.focus();
  }

  box.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (!button) return;
    const [type, key, scene = ""] = (button.dataset.act ?? "").split(":");
    model.send_msg({ type, key, scene });
  });

  const later = once(draw);
  for (const name of ["systems", "lines", "summary"]) model.on(name, later);
  draw();
  el.append(box);
  return box;
}

function table(/** @type {any} */ model) {
  const systems = /** @type {System[]} */ (model.systems);
  const heads = systems.map((system) => {
    const remove = button("×", `pick:${system.key}`);
    remove.className = "remove";
    remove.setAttribute("aria-label", model.words.remove.replace("{name}", system.name));
    const head = make("th", "", make("span", "name", system.name), make("small", "", String(system.year)), remove);
    head.setAttribute("scope", "col");
    return head;
  });
  const corner = make("td");
  const lines = /** @type {Line[]} */ (model.lines).map((one) => line(one, model.words));
  const element = make(
    "table",
    "pair",
    make("thead", "", make("tr", "", corner, ...heads)),
    make("tbody", "", openings(systems, model.words), ...lines),
  );
  element.setAttribute("aria-label", model.label);
  element.classList.toggle("alone", systems.length === 1);
  return element;
}

function line(/** @type {Line} */ one, /** @type {Record<string, string>} */ words) {
  const head = rowHead(one.title);
  if (one.differs) {
    const sign = make("span", "sign", "≠");
    sign.setAttribute("aria-label", words.differs);
    sign.setAttribute("role", "img");
    head.prepend(sign);
  }
  const row = make("tr", "", head, ...one.texts.map((text) => make("td", "", text)));
  row.toggleAttribute("data-differs", one.differs);
  return row;
}

function sources(/** @type {System[]} */ systems, /** @type {Record<string, string>} */ words) {
  const parts = systems.flatMap((system) => [
    make("dt", "", words.source_of.replace("{name}", system.name)),
    make("dd", "", [system.source.replace(/\.?$/, "."), system.note].filter(Boolean).join(" ")),
  ]);
  return make("dl", "sources", ...parts);
}

function openings(/** @type {System[]} */ systems, /** @type {Record<string, string>} */ words) {
  const cells = systems.map((system) => {
    const buttons = Object.entries(system.opens).map(([scene, possible]) => {
      const one = button(words[scene], `open:${system.key}:${scene}`);
      one.setAttribute("aria-label", words[`open_${scene}`].replace("{name}", system.name));
      one.className = "plain";
      one.disabled = !possible;
      if (!possible) one.title = words.cannot_open;
      return one;
    });
    return make("td", "", ...buttons);
  });
  return make("tr", "openings", make("td"), ...cells);
}

function rowHead(/** @type {string} */ text) {
  const head = make("th", "", text);
  head.setAttribute("scope", "row");
  return head;
}

function button(/** @type {string} */ text, /** @type {string} */ act) {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = text;
  element.dataset.act = act;
  return element;
}
