// The code of what is on show, in a dialog: NumPy as it ran, and the same in PyTorch.
import { adopt, make } from "./sheet.js";

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el);
  const open = /** @type {HTMLButtonElement} */ (make("button", "plain", model.words.open));
  open.type = "button";
  const dialog = /** @type {HTMLDialogElement} */ (make("dialog", "sheet"));
  dialog.setAttribute("aria-label", model.words.title);
  const pre = make("pre");
  pre.tabIndex = 0;
  const copy = /** @type {HTMLButtonElement} */ (make("button", "main", model.words.copy));
  const close = /** @type {HTMLButtonElement} */ (make("button", "plain", model.words.close));
  const tabs = ["numpy", "torch"].map((name) => {
    const tab = /** @type {HTMLButtonElement} */ (make("button", "tab", model.words[name]));
    tab.type = "button";
    tab.setAttribute("role", "tab");
    tab.addEventListener("click", () => choose(name));
    tab.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
      choose(name === "numpy" ? "torch" : "numpy");
      tabs[chosen === "numpy" ? 0 : 1].focus();
    });
    return tab;
  });
  const list = make("div", "tabs", ...tabs);
  list.setAttribute("role", "tablist");
  dialog.append(make("header", "", list, copy, close), pre);
  let chosen = "numpy";

  function choose(/** @type {string} */ name) {
    chosen = name;
    tabs.forEach((tab, n) => {
      const own = ["numpy", "torch"][n] === name;
      tab.setAttribute("aria-selected", String(own));
      tab.tabIndex = own ? 0 : -1;
    });
    pre.textContent = model[name];
    // The call on the tensor is at the end, below the definitions it needs.
    pre.scrollTop = name === "numpy" ? pre.scrollHeight : 0;
  }

  open.addEventListener("click", () => model.send_msg({ type: "open" }));
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(pre.textContent ?? "");
      copy.textContent = model.words.copied;
      setTimeout(() => (copy.textContent = model.words.copy), 1500);
    } catch {
      getSelection()?.selectAllChildren(pre); // no clipboard here: it is selected, Ctrl-C takes it
    }
  });
  model.on("shown", () => {
    if (!dialog.open) dialog.showModal();
    choose(chosen);
  });
  const box = make("div", "opener", open, dialog);
  el.append(box);
  return box;
}
