// One stylesheet for all our components, and one for the components of a scene, each fetched once and
// shared by every shadow root.

/** A stylesheet beside this file. @param {string} name */
export async function sheetOf(name) {
  const sheet = new CSSStyleSheet();
  const answer = await fetch(new URL(`${name}.css`, import.meta.url));
  sheet.replaceSync(await answer.text());
  return sheet;
}

const shared = await sheetOf("components");

/**
 * Let a component's shadow root use the shared stylesheet, and others of its own.
 * @param {HTMLElement} element
 * @param {CSSStyleSheet[]} own
 */
export function adopt(element, ...own) {
  const root = element.getRootNode();
  if (!(root instanceof ShadowRoot)) return;
  const missing = [shared, ...own].filter((sheet) => !root.adoptedStyleSheets.includes(sheet));
  if (missing.length) root.adoptedStyleSheets = [...root.adoptedStyleSheets, ...missing];
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
 * A box whose content may be wider than it: then the keyboard has to reach it, to scroll it.
 * @param {HTMLElement} box
 * @param {() => string} name  for a screen reader
 */
export function scrollable(box, name) {
  const look = () => {
    const scrolls = box.scrollWidth > box.clientWidth;
    if (scrolls === box.hasAttribute("tabindex")) return;
    if (scrolls) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", name());
    } else for (const attribute of ["tabindex", "role", "aria-label"]) box.removeAttribute(attribute);
  };
  const observer = new ResizeObserver(look);
  for (const part of [box, ...box.children]) observer.observe(part);
}

/** Write a text, unless it stands there: each change is laid out anew. @param {Element} element @param {string} text */
export function write(element, text) {
  const only = element.firstChild;
  if (only instanceof Text && !only.nextSibling) {
    if (only.data !== text) only.data = text;
  } else if (element.textContent !== text) element.textContent = text;
}

/**
 * Give an element these children, as `replaceChildren` does, but let what is there stay and change only what differs: the
 * browser lays out the rest again. For elements without listeners.
 * @param {Element} element
 * @param {(Node | string)[]} children
 */
export function refill(element, ...children) {
  const before = [...element.childNodes];
  children.forEach((child, index) => {
    const node = typeof child === "string" ? new Text(child) : child;
    const old = before[index];
    if (!old) element.append(node);
    else if (old.nodeName !== node.nodeName) old.replaceWith(node);
    else if (old instanceof Element && node instanceof Element) {
      if (!old.isEqualNode(node)) become(old, node);
    } else if (old.nodeValue !== node.nodeValue) old.nodeValue = node.nodeValue;
  });
  for (const rest of before.slice(children.length)) rest.remove();
}

/** Let an element have the attributes and children of another of its kind. @param {Element} element @param {Element} wanted */
function become(element, wanted) {
  for (const { name } of [...element.attributes]) if (!wanted.hasAttribute(name)) element.removeAttribute(name);
  for (const { name, value } of wanted.attributes) if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  refill(element, ...wanted.childNodes);
}

/**
 * A function that draws only when what it is given differs from the last time.
 * @template {unknown[]} T
 * @param {(...values: T) => void} draw
 */
export function changes(draw) {
  let last = "";
  return (/** @type {T} */ ...values) => {
    const now = JSON.stringify(values);
    if (now === last) return;
    last = now;
    draw(...values);
  };
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
