// Gradients of the normalizers over any axes, with γ and β along the reduced ones.
import { geometryOf } from "./geometry.js";
import { epsParams, stepOf } from "./kernels.js";
import { affine, gainKey } from "./gains.js";
import { planFor, worthSplitting } from "./plan.js";
import { laidOut, meanSquare, moments, PLANES } from "./reductions.js";

/**
 * @typedef {import("./geometry.js").Geometry} Geometry
 * @typedef {import("./memory.js").Tensor} Tensor
 * @typedef {import("./reductions.js").Context} Context
 * @typedef {{axes: number[], center: boolean, eps: number, parameters?: boolean}} Options
 *   `parameters`: whether ∂L/∂γ and ∂L/∂β are wanted too
 */

/**
 * @param {Context} context @param {{x: Tensor, gradient: Tensor, weight?: Tensor}} tensors @param {Options} options
 * @returns {Record<string, Tensor>} x: ∂L/∂x; parameters: ∂L/∂γ and ∂L/∂β as planes [2, values of a group]
 */
export function normalizeBackward(context, tensors, options) {
  const { session } = context;
  const { output, statistics } = throughStatistics(context, tensors, options);
  /** @type {Record<string, Tensor>} */
  const results = { x: output };
  if (options.parameters) results.parameters = parameterGradients(context, tensors, statistics, options);
  session.memory.release(statistics);
  return results;
}

/** @param {{x: Tensor, weight?: Tensor}} tensors @param {Options} options */
function keyOf({ x, weight }, { axes, center, eps }) {
  return `${center}|${x.shape}|${axes}|${eps}|${gainKey({ weight, gains: REDUCED })}`;
}

/** @type {import("./gains.js").GainLayout} */
const REDUCED = { along: "reduced" };

/** ∂L/∂x, and the statistics of x. @param {Context} context @param {{x: Tensor, gradient: Tensor, weight?: Tensor}} tensors @param {Options} options */
function throughStatistics(context, tensors, options) {
  const { session, tuning } = context;
  const { x, gradient, weight } = tensors;
  const { axes, center, eps } = options;
  const { geometry, plan } = laidOut(context, x.shape, axes, { split: false });
  if (worthSplitting(geometry, tuning)) return inParts(context, tensors, options);
  const kernel = center ? "layer_norm_backward" : "rms_norm_backward";
  const prepared = session.prepared(`backward|${keyOf(tensors, options)}`, () =>
    stepOf(kernel, geometry, plan, affine(geometry, { weight, gains: REDUCED }, epsParams(eps))),
  );
  const output = session.memory.tensor(x.shape);
  const statistics = session.memory.tensor([PLANES, geometry.totalGroups]);
  session.dispatch(prepared, [x, gradient, weight ?? x, x, output, statistics]);
  return { output, statistics };
}

/** The same for groups so long and few that they are cut. @param {Context} context @param {{x: Tensor, gradient: Tensor, weight?: Tensor}} tensors @param {Options} options */
function inParts(context, tensors, options) {
  const { session, tuning } = context;
  const { x, gradient, weight } = tensors;
  const { axes, center, eps } = options;
  const key = keyOf(tensors, options);
  const { geometry, plan } = laidOut(context, x.shape, axes, { split: true });
  const streamed = { ...plan, hold: /** @type {const} */ ("stream") };
  const extra = affine(geometry, { weight, gains: REDUCED }, epsParams(eps));
  const statistics = (center ? moments : meanSquare)(context, x, axes, eps);
  const parts = session.memory.tensor([plan.parts, 2, geometry.totalGroups]);
  session.dispatch(session.prepared(`gradient_sums|${key}`, () => stepOf("gradient_sums", geometry, streamed, extra)), [x, gradient, weight ?? x, x, statistics, parts]);
  const sums = addParts(context, parts, tuning);
  const output = session.memory.tensor(x.shape);
  const constants = { ...extra.constants, CENTERED: center };
  const applied = session.prepared(`backward_apply|${key}`, () => stepOf("backward_apply", geometry, streamed, { ...extra, constants }));
  session.dispatch(applied, [x, gradient, weight ?? x, x, statistics, sums, output]);
  session.memory.release(sums);
  return { output, statistics };
}

/** @param {Context} context @param {{x: Tensor, gradient: Tensor}} tensors @param {Tensor} statistics @param {Options} options @returns {Tensor} */
function parameterGradients(context, { x, gradient }, statistics, { axes, eps }) {
  const { session, tuning } = context;
  const kept = x.shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
  if (geometryOf(x.shape, axes).walk !== "rows") throw new RangeError("weight and bias must lie along trailing axes");
  const geometry = geometryOf(x.shape, kept, { widest: tuning.widest, across: true });
  const plan = planFor(geometry, tuning, { split: true });
  const prepared = session.prepared(`parameter_gradients|${x.shape}|${axes}|${eps}`, () =>
    stepOf("parameter_gradients", geometry, { ...plan, hold: "stream" }, { params: epsParams(eps) }),
  );
  const parts = session.memory.tensor([plan.parts, 2, geometry.totalGroups]);
  session.dispatch(prepared, [x, gradient, statistics, parts]);
  return addParts(context, parts, tuning);
}

/** The sum over the first axis of [parts, planes, groups]; gives the parts back. @param {Context} context @param {Tensor} parts @param {import("./plan.js").Tuning} tuning @returns {Tensor} */
function addParts({ session }, parts, tuning) {
  const [count, planes, groups] = parts.shape;
  if (count === 1) return { ...parts, shape: [planes, groups] };
  const prepared = session.prepared(`add_parts|${parts.shape}`, () => {
    const geometry = geometryOf([count, planes * groups], [0]);
    return stepOf("add_parts", geometry, planFor(geometry, tuning, { split: false }));
  });
  const sums = session.memory.tensor([planes, groups]);
  session.dispatch(prepared, [parts, sums]);
  session.memory.release(parts);
  return sums;
}
