// Bringing one's own numbers: pasted text or a file, which stays on this device.
import { adopt, make } from "./sheet.js";

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el);
  const { words } = model;
  const open = /** @type {HTMLButtonElement} */ (make("button", "plain", words.open));
  open.type = "button";
  const text = /** @type {HTMLTextAreaElement} */ (make("textarea"));
  text.placeholder = words.placeholder;
  text.setAttribute("aria-label", words.text);
  text.spellcheck = false;
  text.rows = 9;
  const file = /** @type {HTMLInputElement} */ (make("input"));
  file.type = "file";
  file.accept = ".npy,.npz,.csv,.tsv,.txt,.json";
  file.setAttribute("aria-label", words.file);
  const problem = make("p", "reason");
  problem.setAttribute("role", "alert");
  const use = /** @type {HTMLButtonElement} */ (make("button", "main", words.use));
  const close = /** @type {HTMLButtonElement} */ (make("button", "plain", words.close));
  const dialog = /** @type {HTMLDialogElement} */ (
    make("dialog", "sheet small", make("h2", "", words.title), make("p", "", words.help), text, file, problem, make("footer", "", close, use))
  );
  dialog.setAttribute("aria-label", words.title);

  open.addEventListener("click", () => {
    problem.textContent = "";
    dialog.showModal();
  });
  close.addEventListener("click", () => dialog.close());
  use.addEventListener("click", () => model.send_msg({ type: "text", text: text.value }));
  file.addEventListener("change", () => {
    const chosen = file.files?.[0];
    file.value = "";
    if (chosen) dialog.dispatchEvent(new CustomEvent("normscope-file", { detail: chosen, bubbles: true, composed: true }));
  });
  model.on("problem", () => (problem.textContent = model.problem));
  model.on("taken", () => {
    text.value = "";
    dialog.close();
  });
  const box = make("div", "opener", open, dialog);
  el.append(box);
  return box;
}
