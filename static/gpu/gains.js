// Where weight and bias lie, and which part of a kernel multiplies by them.
import { geometryOf } from "./geometry.js";

/**
 * @typedef {import("./geometry.js").Geometry} Geometry
 * @typedef {import("./memory.js").Tensor} Tensor
 * @typedef {{along: "reduced" | "kept" | "grouped", period?: number, step?: number, run?: number}} GainLayout
 *   along the reduced axes, along the kept ones (number k % period), or (k % period) · step + j / run
 *   for the k-th group's j-th value
 * @typedef {{weight?: Tensor, bias?: Tensor, gains?: GainLayout}} Gains
 */

/** What distinguishes kernels and their numbers. @param {Gains} gains */
export function gainKey({ weight, bias, gains }) {
  return `${Boolean(weight)}|${Boolean(bias)}|${gains ? [gains.along, gains.period, gains.step, gains.run] : ""}`;
}

/**
 * The part of a kernel that multiplies by weight and adds bias, and its numbers in chunks.
 * @param {Geometry} geometry @param {Gains} gains @param {Record<string, number>} params
 * @returns {import("./kernels.js").Extra}
 */
export function affine(geometry, { weight, bias, gains }, params) {
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
 * @param {import("./plan.js").Tuning} tuning @param {number[]} shape @param {number[]} axes @param {GainLayout | undefined} gains
 */
export function widestFor(tuning, shape, axes, gains) {
  if (!gains || gains.along === "reduced") return tuning.widest;
  const rows = geometryOf(shape, axes).walk === "rows";
  if (rows && gains.along === "kept") return tuning.widest;
  const unit = (rows ? gains.run : gains.period) ?? 1;
  return [16, 4].find((width) => width <= tuning.widest && unit % width === 0) ?? 1;
}
