// One stylesheet for all our components, fetched once and shared by every shadow root.

const sheet = new CSSStyleSheet();
const answer = await fetch(new URL("components.css", import.meta.url));
sheet.replaceSync(await answer.text());

/** Let a component's shadow root use the shared stylesheet. @param {HTMLElement} element */
export function adopt(element) {
  const root = element.getRootNode();
  if (root instanceof ShadowRoot && !root.adoptedStyleSheets.includes(sheet)) {
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  }
}

/**
 * An element with a class and children.
 * @param {string} tag
 * @param {string} className
 * @param {(Node | string)[]} children
 */
export function make(tag, className = "", ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

/**
 * Call `draw` once for any number of changes made in one go.
 * @param {() => void} draw
 */
export function once(draw) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    queueMicrotask(() => {
      asked = false;
      draw();
    });
  };
}
