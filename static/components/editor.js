// Typing, moving and pasting in a grid, as in a spreadsheet.
import { typed } from "./number.js";
import { scaleOf } from "./shape.js";

/**
 * @typedef {object} Host
 * @property {() => ({plan: import("./shape.js").Plan, elementAt: (index: number) => HTMLElement, indexOf: (event: Event) => number} | null)} cells
 * @property {any} model
 * @property {(start: number, rows: string[][], cell?: number) => void} commit  with the cell that is current then
 * @property {(index: number) => void} cancel
 * @property {(index: number, value: number) => void} drag
 * @property {(index: number) => void} move
 */

export class Editor {
  /** @param {Host} host */
  constructor(host) {
    this.host = host;
    /** @type {HTMLInputElement | null} */
    this.input = null;
    this.index = -1;
    /** The cell Python was last told of; the model follows later, and keys may be faster. */
    this.told = -1;
    /** Where the cursor goes by a message that is on its way already. */
    this.going = -1;
  }

  get editing() {
    return this.input !== null;
  }

  /** @param {HTMLElement} cell */
  isIn(cell) {
    return this.input !== null && this.input.parentElement === cell;
  }

  /** @param {HTMLElement} box */
  listen(box) {
    box.addEventListener("keydown", (event) => this.onKey(event));
    box.addEventListener("dblclick", (event) => this.onDouble(event));
    box.addEventListener("pointerdown", (event) => this.onPress(event));
    box.addEventListener("paste", (event) => this.onPaste(event));
    box.addEventListener("copy", (event) => this.onCopy(event));
    box.addEventListener("focusin", (event) => this.onFocus(event));
    box.addEventListener("focusout", (event) => this.onLeave(event));
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (this.input) {
      this.onEditKey(event);
      return;
    }
    const built = this.host.cells();
    const index = built?.indexOf(event) ?? -1;
    if (!built || index < 0) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    if (step) {
      event.preventDefault();
      this.focus(step(index, built.plan));
    } else if (event.key === "Enter" || event.key === "F2") {
      event.preventDefault();
      this.start(index, null);
    } else if (event.key === "Backspace" || event.key === "Delete") {
      event.preventDefault();
      this.start(index, "");
    } else if (event.key === "Escape") {
      this.host.cancel(index);
    } else if (event.key.length === 1 && event.key !== " ") {
      event.preventDefault();
      this.start(index, event.key);
    }
  }

  /** @param {KeyboardEvent} event */
  onEditKey(event) {
    event.stopPropagation();
    const plan = this.host.cells()?.plan;
    if (!plan) return;
    if (event.key === "Escape") {
      event.preventDefault();
      this.finish(false);
      this.host.cancel(this.index);
      this.focus(this.index);
    } else if (event.key === "Enter") {
      event.preventDefault();
      const next = STEPS[event.shiftKey ? "ArrowUp" : "ArrowDown"](this.index, plan);
      this.finish(true, next, true);
    } else if (event.key === "Tab") {
      const next = this.index + (event.shiftKey ? -1 : 1);
      const there = next >= 0 && next < plan.size;
      if (there) event.preventDefault();
      this.finish(true, there ? next : this.index, there);
    }
  }

  /** @param {MouseEvent} event */
  onDouble(event) {
    const index = this.host.cells()?.indexOf(event) ?? -1;
    if (index >= 0 && !this.input) this.start(index, null);
  }

  /** @param {PointerEvent} event */
  onPress(event) {
    const index = this.host.cells()?.indexOf(event) ?? -1;
    if (index < 0 || event.button !== 0 || (this.input && this.index === index)) return;
    event.preventDefault();
    if (this.input) this.finish(true);
    this.focus(index);
    this.drag(event, index);
  }

  /**
   * Dragging up and down changes the cell: a hundredth of the tensor's range a pixel, a thousandth with Shift.
   * @param {PointerEvent} event
   * @param {number} index
   */
  drag(event, index) {
    const { model } = this.host;
    const from = Number.isFinite(model.values[index]) ? model.values[index] : 0;
    const unit = 10 ** Math.floor(Math.log10(scaleOf(model.values) / 40));
    const box = /** @type {HTMLElement} */ (event.currentTarget);
    const pointer = event.pointerId;
    let dragging = false;
    let value = from;
    const move = (/** @type {PointerEvent} */ now) => {
      if (now.pointerId !== pointer) return;
      const way = event.clientY - now.clientY;
      if (!dragging && Math.abs(way) < 5) return;
      dragging = true;
      box.setPointerCapture(pointer);
      const step = now.shiftKey ? unit / 10 : unit;
      value = Number((from + Math.round(way / 2) * step).toPrecision(12));
      this.host.drag(index, value);
    };
    const end = () => {
      box.removeEventListener("pointermove", move);
      box.removeEventListener("pointerup", end);
      box.removeEventListener("pointercancel", end);
    };
    box.addEventListener("pointermove", move);
    box.addEventListener("pointerup", end);
    box.addEventListener("pointercancel", end);
  }

  /** @param {ClipboardEvent} event */
  onPaste(event) {
    const built = this.host.cells();
    const text = event.clipboardData?.getData("text/plain") ?? "";
    const index = this.input ? this.index : (built?.indexOf(event) ?? -1);
    const rows = table(text);
    if (index < 0 || (this.input && rows.length === 1 && rows[0].length === 1)) return;
    event.preventDefault();
    this.finish(false);
    this.host.commit(index, rows);
    this.focus(index);
  }

  /** @param {ClipboardEvent} event */
  onCopy(event) {
    const index = this.host.cells()?.indexOf(event) ?? -1;
    if (this.input || index < 0) return;
    event.preventDefault();
    event.clipboardData?.setData("text/plain", typed(this.host.model.values[index]));
  }

  /** @param {FocusEvent} event */
  onFocus(event) {
    const index = this.host.cells()?.indexOf(event) ?? -1;
    const going = this.going;
    this.going = -1;
    if (index >= 0 && index === going) return;
    const known = index === this.host.model.cell && (this.told < 0 || this.told === index);
    if (index < 0 || known || this.input) return;
    this.told = index;
    this.host.move(index);
  }

  /** @param {FocusEvent} event */
  onLeave(event) {
    if (this.input && event.target === this.input) this.finish(true);
  }

  /** @param {number} index */
  focus(index) {
    this.host.cells()?.elementAt(index)?.focus({ preventScroll: false });
  }

  /**
   * Open an input in the cell: with a typed character it replaces the value, without it keeps it.
   * @param {number} index
   * @param {string | null} text
   */
  start(index, text) {
    const cell = this.host.cells()?.elementAt(index);
    if (!cell) return;
    const bad = this.host.model.bad[index];
    const input = document.createElement("input");
    input.type = "text";
    input.inputMode = "decimal";
    input.autocomplete = "off";
    input.spellcheck = false;
    input.setAttribute("aria-label", cell.getAttribute("aria-label") ?? "value");
    input.value = text ?? (bad ? bad.text : typed(this.host.model.values[index]));
    cell.replaceChildren(input);
    this.input = input;
    this.index = index;
    input.focus();
    if (text === null) input.select();
  }

  /**
   * Close the input; its text is sent or dropped. Sent first: Python works while the cell is laid out.
   * @param {boolean} keep
   * @param {number} [next]  the cell that is current then
   * @param {boolean} [go]  whether the focus goes there
   */
  finish(keep, next = this.index, go = false) {
    const input = this.input;
    if (!input) return;
    this.input = null;
    const text = input.value;
    const cell = input.parentElement;
    const before = this.host.model.bad[this.index]?.text ?? typed(this.host.model.values[this.index]);
    const close = () => {
      if (go) this.focus(next);
      input.remove();
      if (cell) cell.textContent = keep ? text : before;
    };
    if (keep && text !== before) {
      if (next !== this.index) this.told = this.going = next;
      this.host.commit(this.index, [[text]], next);
      queueMicrotask(close);
    } else {
      close();
      this.host.model.trigger?.("values");
    }
  }
}

/** Where a key moves to. @type {Record<string, (index: number, plan: import("./shape.js").Plan) => number>} */
const STEPS = {
  ArrowRight: (index, plan) => (index % plan.columns < plan.columns - 1 ? index + 1 : across(index, plan, 1)),
  ArrowLeft: (index, plan) => (index % plan.columns > 0 ? index - 1 : across(index, plan, -1)),
  ArrowDown: (index, plan) => Math.min(index + plan.columns, lastOfColumn(index, plan)),
  ArrowUp: (index, plan) => (index - plan.columns >= 0 ? index - plan.columns : index),
  Home: (index, plan) => index - (index % plan.columns),
  End: (index, plan) => index - (index % plan.columns) + plan.columns - 1,
  PageDown: (index, plan) => Math.min(index + plan.rows * plan.columns, lastOfColumn(index, plan)),
  PageUp: (index, plan) => Math.max(index - plan.rows * plan.columns, index % plan.columns),
};

/** From the edge of a slice into the same row of its neighbour. */
function across(/** @type {number} */ index, /** @type {import("./shape.js").Plan} */ plan, /** @type {1 | -1} */ way) {
  const area = plan.rows * plan.columns;
  const next = index + way * (area - (plan.columns - 1));
  return next >= 0 && next < plan.size ? next : index;
}

function lastOfColumn(/** @type {number} */ index, /** @type {import("./shape.js").Plan} */ plan) {
  return plan.size - plan.columns + (index % plan.columns);
}

/**
 * Pasted text as rows of entries: tabs, commas or semicolons between columns, lines between rows.
 * @param {string} text
 * @returns {string[][]}
 */
export function table(text) {
  const lines = text.replace(/\r\n?/g, "\n").replace(/\n+$/, "").split("\n");
  const bare = lines.map((line) => line.replace(/[[\]]/g, " ").trim().replace(/,$/, ""));
  const separator = bare.some((line) => line.includes("\t")) ? "\t" : bare.some((line) => line.includes(";")) ? ";" : ",";
  return bare
    .filter((line, n) => line !== "" || lines.length === 1 || n < 0)
    .map((line) => (line.includes(separator) ? line.split(separator) : separator === "," ? line.split(/\s+/) : [line]))
    .map((row) => row.map((entry) => entry.trim()));
}
