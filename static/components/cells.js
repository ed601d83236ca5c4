// The cells of a tensor as elements: slices side by side, headings, and room at the edges for statistics.
import { make, write } from "./sheet.js";
import { plan } from "./shape.js";

/** How large cells can be drawn for so many columns. @param {import("./shape.js").Plan} p */
export function sizeClass(p) {
  const across = p.columns * Math.min(p.slices, 2);
  if (p.slices > 4) return "small";
  if (across <= 10) return "roomy";
  if (across <= 24) return "snug";
  return "tiny";
}

/**
 * Build the elements of a tensor.
 * @param {number[]} shape
 * @param {string[]} names
 * @param {boolean} headings  with row and column headings and edges, or the bare cells
 * @param {string[]} [rowTitles]  what the rows are called, where not by their axis and number
 */
export function buildCells(shape, names, headings, rowTitles = []) {
  const p = plan(shape, names);
  /** @type {HTMLElement[]} */
  const cells = [];
  /** @type {HTMLElement[]} */
  const slices = [];
  /** @type {HTMLElement[][]} */
  const rowEdges = [];
  /** @type {HTMLElement[][]} */
  const columnEdges = [];
  /** @type {HTMLElement[]} */
  const corners = [];
  for (let slice = 0; slice < p.slices; slice++) {
    const grid = make("div", "cells");
    grid.style.setProperty("--columns", String(p.columns));
    if (headings) {
      const head = line(grid);
      head.append(heading("", "columnheader"));
      for (let c = 0; c < p.columns; c++) head.append(heading(`${p.columnName}${c}`, "columnheader"));
      const corner = heading("", "columnheader");
      corner.classList.add("corner");
      corners.push(corner);
      head.append(corner);
    }
    /** @type {HTMLElement[]} */
    const ends = [];
    for (let r = 0; r < p.rows; r++) {
      const row = line(grid);
      row.setAttribute("aria-rowindex", String(slice * p.rows + r + 1));
      if (headings) row.append(heading(rowTitles[r] ?? (p.rowName ? `${p.rowName}${r}` : ""), "rowheader"));
      for (let c = 0; c < p.columns; c++) {
        const cell = make("div", "cell");
        cell.setAttribute("role", "gridcell");
        cell.setAttribute("aria-colindex", String(c + 1));
        cells.push(cell);
        row.append(cell);
      }
      if (headings) {
        const end = make("div", "stat");
        end.setAttribute("role", "presentation");
        ends.push(end);
        row.append(end);
      }
    }
    rowEdges.push(ends);
    /** @type {HTMLElement[]} */
    const feet = [];
    if (headings) {
      const foot = line(grid);
      foot.setAttribute("role", "presentation");
      foot.append(make("span", "foot"));
      for (let c = 0; c < p.columns; c++) feet.push(make("div", "stat foot"));
      foot.append(...feet);
    }
    columnEdges.push(feet);
    slices.push(grid);
  }
  const places = new Map(cells.map((cell, index) => [cell, index]));

  return {
    plan: p,
    cells,
    slices,
    size: p.size,
    /** The element of a cell. @param {number} index */
    elementAt: (index) => cells[index],
    /** The flat index of the cell an event happened in, or −1. @param {Event} event */
    indexOf(event) {
      const cell = event.target instanceof Element ? event.target.closest(".cell") : null;
      return cell ? (places.get(/** @type {HTMLElement} */ (cell)) ?? -1) : -1;
    },
    /**
     * Write each group's statistics where the group ends: beside rows that lie in one group, under columns that do.
     * @param {Int32Array} groups
     * @param {string} symbol
     * @param {(group: number) => string} text
     * @param {(slice: number, words: string) => void} title  for a slice that is one group as a whole
     */
    edges(groups, symbol, text, title) {
      const area = p.rows * p.columns;
      for (let slice = 0; slice < p.slices; slice++) {
        const whole = p.slices > 1 && area > 1 && groups.subarray(slice * area, (slice + 1) * area).every((group) => group === groups[slice * area]);
        title(slice, whole ? `${symbol} ${text(groups[slice * area])}` : "");
        const at = (/** @type {number} */ r, /** @type {number} */ c) => groups[(slice * p.rows + r) * p.columns + c];
        const byRow = whole ? false : p.columns > 1 ? at(0, 0) === at(0, 1) : true;
        const byColumn = !whole && !byRow && (p.rows === 1 || at(0, 0) === at(1, 0));
        write(corners[slice], byRow ? symbol : "");
        corners[slice].setAttribute("role", byRow && symbol ? "columnheader" : "presentation");
        rowEdges[slice].forEach((end, r) => {
          const first = r === 0 || at(r, 0) !== at(r - 1, 0);
          write(end, byRow && first ? text(at(r, 0)) : "");
        });
        columnEdges[slice].forEach((foot, c) => {
          write(foot, byColumn ? text(at(0, c)).replace(", ", "\n") : "");
        });
        const foot = /** @type {HTMLElement} */ (columnEdges[slice][0]?.previousElementSibling);
        if (foot) write(foot, byColumn ? symbol.replace(", ", "\n") : "");
      }
    },
  };
}

function line(/** @type {HTMLElement} */ grid) {
  const row = make("div", "row");
  row.setAttribute("role", "row");
  grid.append(row);
  return row;
}

function heading(/** @type {string} */ text, /** @type {string} */ role) {
  const element = make("span", "head", text);
  element.setAttribute("role", text ? role : "presentation"); // an empty heading would be read as one
  return element;
}
