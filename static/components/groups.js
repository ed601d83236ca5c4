// Which cells share a statistic with the pointed cell: derived from group numbers, never from rules.

/**
 * The mark of each cell: a bit for each distinct grouping that holds both it and the pointed cell.
 * Normalizers that reduce the same axes have the same groups; the selected one lends its colour.
 * @param {Int32Array | number[]} groups  one row of `size` numbers for each normalizer
 * @param {number} size
 * @param {number} pointed
 * @param {number} selected
 * @returns {{marks: Uint8Array, shown: number[]}} marks, and which normalizer each bit stands for
 */
export function marksOf(groups, size, pointed, selected) {
  const count = Math.round(groups.length / size);
  const order = [...Array(count).keys()].sort((a, b) => Number(b === selected) - Number(a === selected));
  const marks = new Uint8Array(size);
  /** @type {number[]} */
  const shown = [];
  const rowOf = (/** @type {number} */ n) => {
    const own = groups[n * size + pointed];
    const row = new Uint8Array(size);
    for (let i = 0; i < size; i++) row[i] = groups[n * size + i] === own ? 1 : 0;
    return row;
  };
  /** @type {Uint8Array[]} */
  const rows = [];
  for (const n of order) {
    const row = rowOf(n);
    if (rows.some((other) => other.every((value, i) => value === row[i]))) continue;
    row.forEach((value, i) => (marks[i] |= value << rows.length));
    rows.push(row);
    shown.push(n);
  }
  return { marks, shown };
}

/** Whether a mark has more than one bit: the cell where groups meet. @param {number} mark */
export function meets(mark) {
  return (mark & (mark - 1)) !== 0;
}
