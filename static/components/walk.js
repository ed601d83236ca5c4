// Walking through the cells of a table with the keyboard: one stop of the Tab key, the arrows do the rest.

export class Walk {
  /**
   * @param {HTMLElement} table
   * @param {() => Element[][]} rows  the cells as they stand, row by row
   */
  constructor(table, rows) {
    this.rows = rows;
    /** The cell that Tab comes to. @type {HTMLElement | null} */
    this.current = null;
    /** Enter, the space bar or a click on a cell. @type {(cell: HTMLElement) => void} */
    this.onPress = () => {};
    /** Another cell has the focus. @type {(cell: HTMLElement) => void} */
    this.onCell = () => {};
    table.addEventListener("keydown", (event) => this.onKey(event));
    table.addEventListener("click", (event) => {
      const cell = this.cellOf(event);
      if (!cell) return;
      this.go(cell);
      this.onPress(cell);
    });
    table.addEventListener("focusin", (event) => {
      const cell = this.cellOf(event);
      if (!cell) return;
      this.makeCurrent(cell);
      this.onCell(cell);
    });
  }

  /** @param {Event} event */
  cellOf(event) {
    const cell = event.target instanceof Element ? event.target.closest("td, th") : null;
    return cell instanceof HTMLElement ? cell : null;
  }

  /** @param {HTMLElement} cell */
  makeCurrent(cell) {
    if (this.current) this.current.tabIndex = -1;
    this.current = cell;
    cell.tabIndex = 0;
  }

  /** @param {HTMLElement} cell */
  go(cell) {
    this.makeCurrent(cell);
    cell.focus();
  }

  /** Whether the cell that Tab comes to has the focus now. */
  hasFocus() {
    const root = /** @type {ShadowRoot | Document | undefined} */ (this.current?.getRootNode());
    return Boolean(this.current) && root?.activeElement === this.current;
  }

  /**
   * The rows have changed: Tab comes to a cell that is still there.
   * @param {boolean} held  whether the current cell had the focus, and is to have it again
   */
  settle(held) {
    const there = this.rows().flat();
    const stays = this.current !== null && there.includes(this.current);
    const cell = stays ? this.current : there[0];
    if (!(cell instanceof HTMLElement)) return;
    if (!stays) this.makeCurrent(cell);
    if (held) cell.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const rows = this.rows();
    const at = this.cellOf(event);
    const r = rows.findIndex((row) => at && row.includes(at));
    if (r < 0 || !at || event.altKey || event.metaKey) return;
    const c = rows[r].indexOf(at);
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.onPress(at);
      return;
    }
    const next = target(event, r, c, rows);
    if (!next) return;
    event.preventDefault();
    const cell = rows[next[0]]?.[next[1]];
    if (cell instanceof HTMLElement) this.go(cell);
  }
}

const PAGE = 10; // rows

/** @returns {[number, number] | null} */
function target(/** @type {KeyboardEvent} */ event, /** @type {number} */ r, /** @type {number} */ c, /** @type {Element[][]} */ rows) {
  const last = rows.length - 1;
  const end = rows[r].length - 1;
  const all = event.ctrlKey;
  switch (event.key) {
    case "ArrowLeft": return [r, Math.max(0, c - 1)];
    case "ArrowRight": return [r, Math.min(end, c + 1)];
    case "ArrowUp": return [Math.max(0, r - 1), c];
    case "ArrowDown": return [Math.min(last, r + 1), c];
    case "PageUp": return [Math.max(0, r - PAGE), c];
    case "PageDown": return [Math.min(last, r + PAGE), c];
    case "Home": return [all ? 0 : r, 0];
    case "End": return [all ? last : r, end];
    default: return null;
  }
}
