// y = γ·(x − μ)/√(σ² + ε) + β: every normalizer is this, over some axes, with γ and β somewhere.
import { geometryOf } from "./geometry.js";
import { affine, gainKey, widestFor } from "./gains.js";
import { epsParams, stepOf } from "./kernels.js";
import { planFor, worthSplitting } from "./plan.js";
import { laidOut, meanSquare, moments, PLANES } from "./reductions.js";

/**
 * @typedef {import("./geometry.js").Geometry} Geometry
 * @typedef {import("./memory.js").Tensor} Tensor
 * @typedef {import("./reductions.js").Context} Context
 * @typedef {import("./gains.js").Gains & {eps: number, statistics?: boolean}} NormOptions
 *   `statistics`: whether the groups' statistics are wanted too
 */

/**
 * In one dispatch where the groups allow it; with `center: false` the mean square takes σ²'s place.
 * @param {Context} context @param {Tensor} x @param {number[]} axes
 * @param {NormOptions & {center: boolean}} options
 * @returns {{output: Tensor, statistics: Tensor | null}}
 */
export function normalize(context, x, axes, options) {
  const { session, tuning } = context;
  const { center, weight, bias, gains, eps, statistics = false } = options;
  const { geometry, plan } = laidOut(context, x.shape, axes, { split: false, widest: widestFor(tuning, x.shape, axes, gains) });
  if (walksAcross(tuning, geometry, options) || worthSplitting(geometry, tuning)) {
    const known = (center ? moments : meanSquare)(context, x, axes, eps);
    const output = apply(context, x, axes, known, options);
    if (statistics) return { output, statistics: known };
    session.memory.release(known);
    return { output, statistics: null };
  }
  const kernel = center ? "normalize" : "rms_norm";
  const prepared = session.prepared(`${kernel}|${statistics}|${keyOf(x, axes, options)}`, () => {
    const params = { ...epsParams(eps), write_statistics: statistics ? 1 : 0 };
    return stepOf(kernel, geometry, plan, { ...affine(geometry, options, params), type: x.type });
  });
  const output = session.memory.tensor(x.shape, x.type);
  const known = session.memory.tensor([PLANES, statistics ? geometry.totalGroups : 1]);
  session.dispatch(prepared, [x, weight ?? x, bias ?? x, output, known]);
  if (statistics) return { output, statistics: known };
  session.memory.release(known);
  return { output, statistics: null };
}

/**
 * With statistics as `moments` or `meanSquare` give them for the same ε.
 * @param {Context} context @param {Tensor} x @param {number[]} axes @param {Tensor} statistics @param {NormOptions} options
 * @returns {Tensor}
 */
export function apply(context, x, axes, statistics, options) {
  const { session, tuning } = context;
  const { weight, bias, gains, eps } = options;
  const prepared = session.prepared(`apply|${keyOf(x, axes, options)}`, () => {
    const { geometry, plan } = laidOut(context, x.shape, axes, { split: true, widest: widestFor(tuning, x.shape, axes, gains) });
    if (walksAcross(tuning, geometry, options)) return acrossStep(context, x, axes, options);
    return stepOf("apply", geometry, { ...plan, hold: "stream" }, { ...affine(geometry, options, epsParams(eps)), type: x.type });
  });
  const output = session.memory.tensor(x.shape, x.type);
  session.dispatch(prepared, [x, weight ?? x, bias ?? x, statistics, output]);
  return output;
}

/** Whether weight and bias are better kept by threads that walk down the groups. @param {import("./plan.js").Tuning} tuning @param {Geometry} geometry @param {NormOptions} options */
function walksAcross(tuning, geometry, { weight, bias, gains }) {
  return tuning.across && geometry.walk === "rows" && gains?.along === "reduced" && Boolean(weight || bias);
}

/** `apply` with the roles of kept and reduced axes exchanged. @param {Context} context @param {Tensor} x @param {number[]} axes @param {NormOptions} options */
function acrossStep({ tuning }, x, axes, { weight, bias, eps }) {
  const kept = x.shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
  const geometry = geometryOf(x.shape, kept, { widest: tuning.widest, across: true });
  const plan = planFor(geometry, tuning, { split: true });
  const constants = { HAS_WEIGHT: Boolean(weight), HAS_BIAS: Boolean(bias) };
  return stepOf("apply_across", geometry, { ...plan, hold: "stream" }, { constants, params: epsParams(eps), type: x.type });
}

/**
 * y = ((x − high) − low)·factor + β, one of each a channel.
 * @param {Context} context @param {Tensor} x @param {Tensor} channels planes [4, channels] of high, low, factor, β
 * @param {number[]} axes all but the channel's
 * @returns {Tensor}
 */
export function batchNormInference(context, x, channels, axes) {
  const { session } = context;
  const prepared = session.prepared(`batch_norm_inference|${x.type}|${x.shape}|${axes}`, () => {
    const { geometry, plan } = laidOut(context, x.shape, axes, { split: true, widest: 4 });
    const params = { gain_period: geometry.groups };
    return stepOf("batch_norm_inference", geometry, { ...plan, hold: "stream" }, { params, type: x.type });
  });
  const output = session.memory.tensor(x.shape, x.type);
  session.dispatch(prepared, [x, channels, output]);
  return output;
}

/** @param {Tensor} x @param {number[]} axes @param {NormOptions} options */
function keyOf(x, axes, options) {
  return `${x.type}|${x.shape}|${axes}|${options.eps}|${gainKey(options)}`;
}
