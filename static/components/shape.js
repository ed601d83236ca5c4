// A tensor of any rank as slices of rows and columns: the leading axes are the slices.

/**
 * @typedef {{slices: number, rows: number, columns: number, size: number,
 *   leading: number[], sliceNames: string[], rowName: string, columnName: string}} Plan
 */

/**
 * @param {number[]} shape
 * @param {string[]} names
 * @returns {Plan}
 */
export function plan(shape, names) {
  const columns = shape.at(-1) ?? 1;
  const rows = shape.length > 1 ? /** @type {number} */ (shape.at(-2)) : 1;
  const leading = shape.slice(0, -2);
  const slices = leading.reduce((product, size) => product * size, 1);
  return {
    slices, rows, columns, leading,
    size: slices * rows * columns,
    sliceNames: names.slice(0, -2),
    rowName: shape.length > 1 ? /** @type {string} */ (names.at(-2)) : "",
    columnName: names.at(-1) ?? "",
  };
}

/**
 * The title of a slice: "b = 0", or "n = 0, c = 1" for two leading axes.
 * @param {Plan} p
 * @param {number} slice
 */
export function sliceTitle(p, slice) {
  const parts = [];
  let rest = slice;
  for (let axis = p.leading.length - 1; axis >= 0; axis--) {
    parts.unshift(`${p.sliceNames[axis]} = ${rest % p.leading[axis]}`);
    rest = Math.floor(rest / p.leading[axis]);
  }
  return parts.join(", ");
}

/** The largest finite magnitude, at least a little above 0. @param {ArrayLike<number>} values */
export function scaleOf(values) {
  let largest = 0;
  for (let i = 0; i < values.length; i++) {
    const size = Math.abs(values[i]);
    if (size > largest && size < Infinity) largest = size;
  }
  return largest || 1;
}

/**
 * How strongly a value colours its cell, −100 to 100; small values still show.
 * @param {number} value
 * @param {number} scale
 */
export function strength(value, scale) {
  if (Number.isNaN(value)) return 0;
  const ratio = Math.max(-1, Math.min(1, value / scale));
  return Math.round(Math.sign(ratio) * Math.abs(ratio) ** 0.75 * 62);
}
