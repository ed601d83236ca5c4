// What is measured: operations, shapes, their data and the right answers in float64.

/**
 * @typedef {"layer_norm" | "rms_norm" | "softmax" | "moments"} Operation
 * @typedef {{operation: Operation, axis: 0 | 1, shape: [number, number]}} Case
 * @typedef {{x: Float32Array, weight: Float32Array, bias: Float32Array}} Data
 */

export const EPS = 1e-5;

/** @type {[number, number][]} */
const SHAPES = [[1024, 1024], [8192, 768], [64, 65536], [65536, 64], [1, 2 ** 24]];
/** @type {Operation[]} */
const OPERATIONS = ["layer_norm", "rms_norm", "softmax", "moments"];

/**
 * What the goal names: everything over the last axis, moments over the first one too; `everyAxis`
 * adds the others over the first axis, which peers take minutes for.
 * @param {boolean} everyAxis @returns {Case[]}
 */
export function casesOf(everyAxis) {
  return SHAPES.flatMap((shape) =>
    OPERATIONS.flatMap((operation) => {
      /** @type {(0 | 1)[]} */
      const axes = everyAxis || operation === "moments" ? [1, 0] : [1];
      return axes.map((axis) => ({ operation, axis, shape }));
    }),
  );
}

/** The bytes an ideal kernel moves: everything is read once and written once. @param {Case} what */
export function idealBytes({ operation, axis, shape }) {
  const values = shape[0] * shape[1];
  const along = shape[axis];
  const groups = values / along;
  return 4 * { layer_norm: 2 * values + 2 * along, rms_norm: 2 * values + along, softmax: 2 * values, moments: values + 2 * groups }[operation];
}

/** The same case on one of `cuts` equal pieces of the tensor. @param {Case} what @param {number} cuts @returns {Case} */
export function pieceOf(what, cuts) {
  const [rows, columns] = what.shape;
  return { ...what, shape: columns % cuts === 0 ? [rows, columns / cuts] : [rows / cuts, columns] };
}

/** Uniform numbers in [-2, 2) from a seeded generator (xorshift32), the same everywhere. @param {number} count @param {number} seed */
function noise(count, seed) {
  const values = new Float32Array(count);
  let state = seed;
  for (let index = 0; index < count; index += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    values[index] = (state >>> 0) / 2 ** 30 - 2;
  }
  return values;
}

/** @param {Case} what @returns {Data} */
export function dataFor({ shape, axis }) {
  return { x: noise(shape[0] * shape[1], 2463534242), weight: noise(shape[axis], 7), bias: noise(shape[axis], 11) };
}

/**
 * The right answer in float64, two-pass. For moments: the means, then the variances.
 * @param {Case} what @param {Data} data @returns {Float64Array}
 */
export function expected({ operation, axis, shape }, { x, weight, bias }) {
  const [groups, size] = axis === 1 ? shape : [shape[1], shape[0]];
  const [groupStride, stride] = axis === 1 ? [shape[1], 1] : [1, shape[1]];
  const result = new Float64Array(operation === "moments" ? 2 * groups : x.length);
  for (let group = 0; group < groups; group += 1) {
    const first = group * groupStride;
    const sum = (/** @type {(value: number) => number} */ of) => {
      let total = 0;
      for (let step = 0; step < size; step += 1) total += of(x[first + step * stride]);
      return total;
    };
    const fill = (/** @type {(value: number, step: number) => number} */ of) => {
      for (let step = 0; step < size; step += 1) result[first + step * stride] = of(x[first + step * stride], step);
    };
    if (operation === "rms_norm") {
      const root = Math.sqrt(sum((value) => value * value) / size + EPS);
      fill((value, step) => (value / root) * weight[step]);
    } else if (operation === "softmax") {
      let most = -Infinity;
      sum((value) => (most = Math.max(most, value)));
      const total = sum((value) => Math.exp(value - most));
      fill((value) => Math.exp(value - most) / total);
    } else {
      const mean = sum((value) => value) / size;
      const variance = sum((value) => (value - mean) ** 2) / size;
      if (operation === "moments") {
        result[group] = mean;
        result[groups + group] = variance;
      } else {
        const root = Math.sqrt(variance + EPS);
        fill((value, step) => ((value - mean) / root) * weight[step] + bias[step]);
      }
    }
  }
  return result;
}

/** The largest error, relative to the larger of the value and the largest value. @param {Float32Array} got @param {Float64Array} right */
export function largestError(got, right) {
  if (got.length !== right.length) return Infinity;
  let largest = 0;
  for (const value of right) largest = Math.max(largest, Math.abs(value));
  let error = 0;
  for (let index = 0; index < right.length; index += 1) {
    const off = Math.abs(got[index] - right[index]);
    if (!(off <= error)) error = off;
  }
  return error / Math.max(largest, 1e-30);
}
