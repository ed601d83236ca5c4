// Operations that reduce over axes: which kernels, in which order, into which tensors.
import { geometryOf } from "./geometry.js";
import { epsParams, mergeGeometry, stepOf } from "./kernels.js";
import { planFor, worthSplitting } from "./plan.js";

/**
 * @typedef {import("./geometry.js").Geometry} Geometry
 * @typedef {import("./plan.js").Plan} Plan
 * @typedef {import("./memory.js").Tensor} Tensor
 * @typedef {import("./kernels.js").Extra} Extra
 * @typedef {{session: ReturnType<typeof import("./session.js").createSession>, tuning: import("./plan.js").Tuning}} Context
 * @typedef {{along: "reduced" | "kept" | "grouped", period?: number, step?: number, run?: number}} GainLayout
 *   where weight and bias lie: along the reduced axes, along the kept ones (number k % period), or
 *   (k % period) · step + j / run for the k-th group's j-th value
 * @typedef {{weight?: Tensor, bias?: Tensor, gains?: GainLayout, eps: number, statistics?: boolean}} NormOptions
 */

const PLANES = 4;

/** What a shape and axes lead to, without the split. @param {Context} context @param {number[]} shape @param {number[]} axes @param {boolean} split @param {number} [widest] */
function laidOut(context, shape, axes, split, widest = context.tuning.widest) {
  const geometry = geometryOf(shape, axes, { widest });
  return { geometry, plan: planFor(geometry, context.tuning, { split }) };
}

/**
 * Reduces groups to a few numbers each, a long group by parts that a second kernel merges.
 * @param {Context} context @param {Tensor} x @param {number[]} axes
 * @param {{kernel: string, merge: string, planes: number, constants?: Record<string, boolean>, params?: Record<string, number>}} what
 * @returns {Tensor} shape [planes, groups]
 */
function reduce(context, x, axes, { kernel, merge, planes, constants, params }) {
  const { session } = context;
  const key = `${kernel}|${x.shape}|${axes}|${params?.temperature ?? ""}`;
  const { geometry, plan } = laidOut(context, x.shape, axes, true);
  const first = session.prepared(key, () => stepOf(kernel, geometry, plan, { constants, params }));
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

/** Mean and variance: planes of mean (high, low part), variance and scale. @param {Context} context @param {Tensor} x @param {number[]} axes */
export function moments(context, x, axes) {
  return reduce(context, x, axes, { kernel: "moments", merge: "moments_merge", planes: PLANES });
}

/** The mean of squares, in planes as those of `moments`. @param {Context} context @param {Tensor} x @param {number[]} axes */
export function meanSquare(context, x, axes) {
  return reduce(context, x, axes, { kernel: "mean_square", merge: "moments_merge", planes: PLANES });
}

/** The largest value of each group. @param {Context} context @param {Tensor} x @param {number[]} axes */
export function maximum(context, x, axes) {
  return reduce(context, x, axes, { kernel: "maximum", merge: "maximum", planes: 1, constants: { HEATED: false } });
}

/** The largest value and Σ e^((x − max)/T): two planes. @param {Context} context @param {Tensor} x @param {number[]} axes @param {number} [temperature] */
export function sumExp(context, x, axes, temperature = 1) {
  return reduce(context, x, axes, { kernel: "sum_exp", merge: "sum_exp_merge", planes: 2, ...heat(temperature) });
}

/** @param {number} temperature */
function heat(temperature) {
  return {
    constants: { HEATED: temperature !== 1 },
    params: { temperature: Math.fround(temperature), inverse_temperature: 1 / temperature },
  };
}

/**
 * y = γ·(x − μ)/√(σ² + ε) + β over any axes; with `center: false` the mean square takes σ²'s place.
 * @param {Context} context @param {Tensor} x @param {number[]} axes
 * @param {NormOptions & {center: boolean}} options
 * @returns {{output: Tensor, statistics: Tensor | null}}
 */
export function normalize(context, x, axes, { center, weight, bias, gains, eps, statistics = false }) {
  const { session, tuning } = context;
  const { geometry, plan } = laidOut(context, x.shape, axes, false, widestFor(context, x.shape, axes, gains));
  const across = tuning.across && geometry.walk === "rows" && gains?.along === "reduced" && (weight || bias);
  if (across || worthSplitting(geometry, tuning)) {
    const known = center ? moments(context, x, axes) : meanSquare(context, x, axes);
    const output = (across ? applyAcross : apply)(context, x, axes, known, { weight, bias, gains, eps });
    if (!statistics) session.memory.release(known);
    return { output, statistics: statistics ? known : null };
  }
  const kernel = center ? "normalize" : "rms_norm";
  const key = `${kernel}|${x.shape}|${axes}|${eps}|${statistics}|${gainKey(weight, bias, gains)}`;
  const prepared = session.prepared(key, () =>
    stepOf(kernel, geometry, plan, affine(geometry, weight, bias, gains, { ...epsParams(eps), write_statistics: statistics ? 1 : 0 })),
  );
  const output = session.memory.tensor(x.shape);
  const known = session.memory.tensor([PLANES, statistics ? geometry.totalGroups : 1]);
  session.dispatch(prepared, [x, weight ?? x, bias ?? x, output, known]);
  if (!statistics) session.memory.release(known);
  return { output, statistics: statistics ? known : null };
}

/**
 * y = γ·(x − μ)/√(σ² + ε) + β with statistics as `moments` or `meanSquare` give them.
 * @param {Context} context @param {Tensor} x @param {number[]} axes @param {Tensor} statistics @param {NormOptions} options
 * @returns {Tensor}
 */
export function apply(context, x, axes, statistics, { weight, bias, gains, eps }) {
  const { session } = context;
  const key = `apply|${x.shape}|${axes}|${eps}|${gainKey(weight, bias, gains)}`;
  const prepared = session.prepared(key, () => {
    const { geometry, plan } = laidOut(context, x.shape, axes, true, widestFor(context, x.shape, axes, gains));
    return stepOf("apply", geometry, { ...plan, hold: "stream" }, affine(geometry, weight, bias, gains, epsParams(eps)));
  });
  const output = session.memory.tensor(x.shape);
  session.dispatch(prepared, [x, weight ?? x, bias ?? x, statistics, output]);
  return output;
}

/**
 * The same for weight and bias along the reduced axes, walking down the groups: roles are exchanged.
 * @param {Context} context @param {Tensor} x @param {number[]} axes @param {Tensor} statistics @param {NormOptions} options
 * @returns {Tensor}
 */
function applyAcross(context, x, axes, statistics, { weight, bias, eps }) {
  const { session, tuning } = context;
  const prepared = session.prepared(`across|${x.shape}|${axes}|${eps}|${Boolean(weight)}|${Boolean(bias)}`, () => {
    const kept = x.shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
    const geometry = geometryOf(x.shape, kept, { widest: tuning.widest, across: true });
    const plan = planFor(geometry, tuning, { split: true });
    const constants = { HAS_WEIGHT: Boolean(weight), HAS_BIAS: Boolean(bias) };
    return stepOf("apply_across", geometry, { ...plan, hold: "stream" }, { constants, params: epsParams(eps) });
  });
  const output = session.memory.tensor(x.shape);
  session.dispatch(prepared, [x, weight ?? x, bias ?? x, statistics, output]);
  return output;
}

/**
 * e^((x − max)/T) / Σ over one or more axes.
 * @param {Context} context @param {Tensor} x @param {number[]} axes @param {number} [temperature]
 * @returns {Tensor}
 */
export function softmax(context, x, axes, temperature = 1) {
  const { session, tuning } = context;
  const { geometry, plan } = laidOut(context, x.shape, axes, false);
  const key = `softmax|${x.shape}|${axes}|${temperature}`;
  const output = session.memory.tensor(x.shape);
  if (!worthSplitting(geometry, tuning)) {
    session.dispatch(session.prepared(key, () => stepOf("softmax", geometry, plan, heat(temperature))), [x, output]);
    return output;
  }
  const known = sumExp(context, x, axes, temperature);
  const prepared = session.prepared(key, () => {
    const split = planFor(geometry, tuning, { split: true });
    return stepOf("softmax_apply", geometry, { ...split, hold: "stream" }, heat(temperature));
  });
  session.dispatch(prepared, [x, known, output]);
  session.memory.release(known);
  return output;
}

/** @param {Tensor | undefined} weight @param {Tensor | undefined} bias @param {GainLayout | undefined} gains */
function gainKey(weight, bias, gains) {
  return `${Boolean(weight)}|${Boolean(bias)}|${gains ? [gains.along, gains.period, gains.step, gains.run] : ""}`;
}

/**
 * The part of a kernel that multiplies by weight and adds bias, and its numbers in chunks.
 * @param {Geometry} geometry @param {Tensor | undefined} weight @param {Tensor | undefined} bias
 * @param {GainLayout | undefined} gains @param {Record<string, number>} params
 * @returns {Extra}
 */
function affine(geometry, weight, bias, gains, params) {
  if (!gains || (!weight && !bias)) return { affine: "affine_none", params };
  const constants = { HAS_WEIGHT: Boolean(weight), HAS_BIAS: Boolean(bias) };
  const { along, period = 1, step = 0, run = 1 } = gains;
  const stepWidth = geometry.walk === "rows" ? geometry.width : 1;
  const groupWidth = geometry.walk === "columns" ? geometry.width : 1;
  const layout = { gain_period: period / groupWidth, gain_step: step, gain_run: run / stepWidth };
  return { affine: `affine_${along}`, constants, params: { ...params, ...layout } };
}

/**
 * How wide a step may be without crossing from one weight to the next.
 * @param {Context} context @param {number[]} shape @param {number[]} axes @param {GainLayout | undefined} gains
 */
function widestFor({ tuning }, shape, axes, gains) {
  if (!gains || gains.along === "reduced") return tuning.widest;
  const rows = geometryOf(shape, axes).walk === "rows";
  if (rows && gains.along === "kept") return tuning.widest;
  const unit = (rows ? gains.run : gains.period) ?? 1;
  return [16, 4].find((width) => width <= tuning.widest && unit % width === 0) ?? 1;
}
