// A range input with its name and its value in words above it.
import { adopt, make, once, write } from "./sheet.js";

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el);
  const name = make("span");
  const value = make("b");
  const input = /** @type {HTMLInputElement} */ (document.createElement("input"));
  input.type = "range";
  input.min = "0";
  input.step = "1";
  const label = make("label", "slider", make("span", "line", name, value), input);

  /** Where it stands: here it is known before Python has answered. */
  let position = model.position;
  input.addEventListener("input", () => {
    position = Number(input.value);
    model.send_msg({ type: "move", position });
  });

  function draw() {
    write(name, model.label);
    write(value, model.text);
    input.max = String(model.end);
    input.value = String(position);
    input.setAttribute("aria-label", model.label);
    input.setAttribute("aria-valuetext", model.text);
  }

  const later = once(draw);
  model.on("position", () => {
    position = model.position;
    later();
  });
  for (const part of ["label", "text", "end"]) model.on(part, later);
  draw();
  el.append(label);
  return label;
}
