// Which scene's frame is on show, and which link in the header says so.

/** @param {string} scene */
export function showScene(scene) {
  for (const frame of document.querySelectorAll(".scene:not(.ghost)")) {
    /** @type {HTMLElement} */ (frame).hidden = frame.id !== `scene-${scene}`;
  }
  for (const link of document.querySelectorAll("nav a")) {
    if (/** @type {HTMLElement} */ (link).dataset.scene === scene) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}
