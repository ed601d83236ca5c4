// How a tensor of any rank and any axes looks to a kernel: groups of steps at regular distances.

/**
 * @typedef {{size: number, stride: number}} Run a run of neighbouring axes with the same role
 * @typedef {{
 *   walk: "rows" | "columns" | "across", width: 1 | 4 | 16, keptFolded: boolean, reducedFolded: boolean,
 *   groups: number, size: number,
 *   keptInner: number, keptOuterStride: number, keptStride: number,
 *   reducedInner: number, reducedOuterStride: number, reducedStride: number,
 *   values: number, totalGroups: number,
 * }} Geometry counts and strides in chunks of `width` values; `values` is the number of values in a
 *   group and `totalGroups` the number of groups, both uncut
 */

/**
 * Neighbouring axes with the same role are one run; axes of size 1 have none.
 * @param {number[]} shape @param {number[]} axes
 * @returns {{kept: Run[], reduced: Run[], innermost: "rows" | "columns"}}
 */
function runs(shape, axes) {
  const isReduced = shape.map((_, axis) => axes.includes(axis));
  /** @type {(Run & {reduced: boolean})[]} */
  const all = [];
  let stride = 1;
  for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
    const size = shape[axis];
    if (size !== 1) {
      const last = all.at(-1);
      if (last && last.reduced === isReduced[axis]) last.size *= size;
      else all.push({ size, stride, reduced: isReduced[axis] });
    }
    stride *= size;
  }
  return {
    kept: all.filter((run) => !run.reduced),
    reduced: all.filter((run) => run.reduced),
    innermost: all.length === 0 || all[0].reduced ? "rows" : "columns",
  };
}

/**
 * @param {number[]} shape every size at least 1 @param {number[]} axes ascending, non-negative
 * @param {{widest?: number, across?: boolean}} [options] the most values a step may have; `across`:
 *   what a chunk of kept values means does not matter, so it may be as wide
 * @returns {Geometry}
 */
export function geometryOf(shape, axes, { widest = 4, across = false } = {}) {
  const { kept, reduced, innermost } = runs(shape, axes);
  if (kept.length > 2 || reduced.length > 2) {
    throw new RangeError(`axes [${axes}] of a tensor of shape [${shape}] alternate too often: at most two runs of reduced axes`);
  }
  const fastest = (innermost === "rows" ? reduced : kept)[0];
  const width = widthFor(fastest?.size ?? 1, innermost === "rows" || across ? widest : Math.min(widest, 4));
  // In chunks: the fastest run gets shorter, every other run's stride is a multiple of its size.
  /** @param {Run} run @returns {Run} */
  const inChunks = (run) =>
    run === fastest ? { size: run.size / width, stride: 1 } : { size: run.size, stride: run.stride / width };
  const [keptInner = ABSENT, keptOuter = ABSENT] = kept.map(inChunks);
  const [reducedInner = ABSENT, reducedOuter = ABSENT] = reduced.map(inChunks);
  return {
    walk: across ? "across" : innermost,
    width,
    keptFolded: kept.length === 2,
    reducedFolded: reduced.length === 2,
    groups: keptInner.size * keptOuter.size,
    size: reducedInner.size * reducedOuter.size,
    keptInner: keptInner.size,
    keptOuterStride: keptOuter.stride,
    keptStride: keptInner.stride,
    reducedInner: reducedInner.size,
    reducedOuterStride: reducedOuter.stride,
    reducedStride: reducedInner.stride,
    values: product(reduced),
    totalGroups: product(kept),
  };
}

/** @param {number} size @param {number} widest @returns {1 | 4 | 16} */
function widthFor(size, widest) {
  if (widest >= 16 && size % 16 === 0) return 16;
  return widest >= 4 && size % 4 === 0 ? 4 : 1;
}

/** @type {Run} */
const ABSENT = { size: 1, stride: 0 };

/** @param {Run[]} list */
function product(list) {
  return list.reduce((size, run) => size * run.size, 1);
}
