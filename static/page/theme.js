// Light or dark: the system's choice until a person makes one, which is remembered.

/** @param {(theme: string) => void} changed  told of every change, since a canvas cannot read CSS */
export function setUpTheme(changed) {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => {
    try {
      return localStorage.getItem("normscope-theme");
    } catch {
      return null; // storage may be blocked
    }
  };
  const button = /** @type {HTMLElement} */ (document.getElementById("theme"));
  let told = root.dataset.theme;
  const show = () => {
    root.dataset.theme = chosen() ?? (root.dataset.chosen || (system.matches ? "dark" : "light"));
    if (root.dataset.theme !== told) changed((told = root.dataset.theme));
    button.setAttribute("aria-label", root.dataset.theme === "dark" ? "Use the light theme" : "Use the dark theme");
  };
  system.addEventListener("change", show);
  button.addEventListener("click", () => {
    const next = root.dataset.theme === "dark" ? "light" : "dark";
    root.dataset.chosen = next;
    try {
      localStorage.setItem("normscope-theme", next);
    } catch {
      // kept for this visit only
    }
    show();
  });
  show();
}
