// Which scene's frame is on show, and which link in the header says so.

/** A link in the header changes the scene and keeps the rest of the state. @param {(scene: string) => void} choose */
export function setUpScenes(choose) {
  document.querySelector("nav")?.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    choose(link.dataset.scene ?? "axes");
  });
}

/** The skip link leads to the scene on show; the address keeps the state. */
export function setUpSkip() {
  document.querySelector(".skip")?.addEventListener("click", (event) => {
    event.preventDefault();
    const stage = document.querySelector('.scene:not([hidden]) [data-place="stage"]') ?? document.getElementById("main");
    /** @type {HTMLElement} */ (stage).focus();
  });
}

/** @param {string} scene */
export function showScene(scene) {
  for (const frame of document.querySelectorAll(".scene:not(.ghost)")) {
    /** @type {HTMLElement} */ (frame).hidden = frame.id !== `scene-${scene}`;
  }
  for (const link of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("nav a"))) {
    if (link.dataset.scene === scene) {
      link.setAttribute("aria-current", "page");
      // On a phone the header shows a few of its links at a time.
      const nav = /** @type {HTMLElement} */ (link.parentElement);
      nav.scrollLeft = link.offsetLeft - nav.offsetLeft - 40;
    } else link.removeAttribute("aria-current");
  }
}
