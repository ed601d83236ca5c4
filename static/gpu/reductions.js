// Operations that reduce groups to a few numbers each.
import { geometryOf } from "./geometry.js";
import { epsParams, mergeGeometry, stepOf } from "./kernels.js";
import { planFor } from "./plan.js";

/**
 * @typedef {import("./geometry.js").Geometry} Geometry
 * @typedef {import("./plan.js").Plan} Plan
 * @typedef {import("./memory.js").Tensor} Tensor
 * @typedef {{session: ReturnType<typeof import("./session.js").createSession>, tuning: import("./plan.js").Tuning}} Context
 */

/** Planes of statistics: mean (high and low part), variance or mean square · scale², scale, factor. */
export const PLANES = 5;

/**
 * How a tensor looks to a kernel, and how its work is spread.
 * @param {Context} context @param {number[]} shape @param {number[]} axes
 * @param {{split: boolean, widest?: number}} options
 */
export function laidOut({ tuning }, shape, axes, { split, widest = tuning.widest }) {
  const geometry = geometryOf(shape, axes, { widest });
  return { geometry, plan: planFor(geometry, tuning, { split }) };
}

/**
 * Reduces groups to a few numbers each, a long group by parts that a second kernel merges.
 * @param {Context} context @param {Tensor} x @param {number[]} axes
 * @param {{kernel: string, merge: string, planes: number, constants?: Record<string, boolean>, params?: Record<string, number>}} what
 * @returns {Tensor} shape [planes, groups]
 */
function reduce(context, x, axes, { kernel, merge, planes, constants, params }) {
  const { session } = context;
  const key = `${kernel}|${x.type}|${x.shape}|${axes}|${Object.values(params ?? {})}`;
  const { geometry, plan } = laidOut(context, x.shape, axes, { split: true });
  const first = session.prepared(key, () => stepOf(kernel, geometry, plan, { constants, params, type: x.type }));
  const parts = session.memory.tensor([plan.parts, planes, geometry.totalGroups]);
  session.dispatch(first, [x, parts]);
  if (plan.parts === 1) return { ...parts, shape: [planes, geometry.totalGroups] };
  const merged = session.prepared(`${key}|merge`, () => {
    const inParts = mergeGeometry(geometry, plan, planes);
    const whole = planFor(inParts, context.tuning, { split: false });
    return stepOf(merge, inParts, whole, { constants, params: { ...shares(geometry, plan), ...params } });
  });
  const result = session.memory.tensor([planes, geometry.totalGroups]);
  session.dispatch(merged, [parts, result]);
  session.memory.release(parts);
  return result;
}

/** Each part's share of a group's values; the last may be shorter. @param {Geometry} geometry @param {Plan} plan */
function shares({ size }, { parts, partSize }) {
  return { share_of_part: partSize / size, share_of_last: (size - (parts - 1) * partSize) / size };
}

/** Mean and variance, as planes; the factor is for this ε. @param {Context} context @param {Tensor} x @param {number[]} axes @param {number} [eps] */
export function moments(context, x, axes, eps = 0) {
  return reduce(context, x, axes, { kernel: "moments", merge: "moments_merge", planes: PLANES, params: epsParams(eps) });
}

/** The mean of squares, in planes as those of `moments`. @param {Context} context @param {Tensor} x @param {number[]} axes @param {number} [eps] */
export function meanSquare(context, x, axes, eps = 0) {
  return reduce(context, x, axes, { kernel: "mean_square", merge: "moments_merge", planes: PLANES, params: epsParams(eps) });
}

/** The largest value of each group. @param {Context} context @param {Tensor} x @param {number[]} axes */
export function maximum(context, x, axes) {
  return reduce(context, x, axes, { kernel: "maximum", merge: "maximum", planes: 1 });
}

/** The largest value and Σ e^((x − max)/T): two planes. @param {Context} context @param {Tensor} x @param {number[]} axes @param {number} [temperature] */
export function sumExp(context, x, axes, temperature = 1) {
  return reduce(context, x, axes, { kernel: "sum_exp", merge: "sum_exp_merge", planes: 2, ...heat(temperature) });
}

/** What the kernels with exponentials need to know of a temperature. @param {number} temperature */
export function heat(temperature) {
  return {
    constants: { HEATED: temperature !== 1 },
    params: { temperature: Math.fround(temperature), inverse_temperature: 1 / Math.fround(temperature) },
  };
}
