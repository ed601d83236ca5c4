// What the page says when something is wrong, and small notices.

/**
 * It cannot go on: say what is wrong and what to do, with a Retry.
 * @param {string} what
 * @param {string} [detail]
 */
export function fail(what, detail) {
  globalThis.normscopeFailed(what, detail);
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** A notice that goes by itself. @param {string} text */
export function notice(text) {
  const box = /** @type {HTMLElement} */ (document.getElementById("notice"));
  /** @type {HTMLElement} */ (box.querySelector("span")).textContent = text;
  /** @type {HTMLElement} */ (box.querySelector("button")).onclick = () => (box.hidden = true);
  box.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => (box.hidden = true), 9000);
}
