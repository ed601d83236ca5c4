// The operations by name: what they take, what they give. Whoever calls knows these names, tensors
// and options, and nothing of kernels.
import { normalizeBackward } from "./backward.js";
import { inReadableType, narrow, widen } from "./halves.js";
import { apply, batchNormInference, normalize } from "./normalizers.js";
import { maximum, meanSquare, moments, sumExp } from "./reductions.js";
import { add, flat, product, softmaxBackward } from "./stack.js";
import { softmax } from "./softmax.js";

/**
 * @typedef {import("./memory.js").Tensor} Tensor
 * @typedef {import("./reductions.js").Context} Context
 * @typedef {Record<string, Tensor>} Tensors
 * @typedef {(context: Context, tensors: any, options: any) => Tensors} Operation
 *   takes tensors by name and plain options; gives new tensors by name
 */

/** An operation on x over axes, x in whatever type. @param {(context: Context, tensors: any, options: any) => Tensors} run @returns {Operation} */
function overAxes(run) {
  return (context, tensors, options) =>
    inReadableType(context, tensors.x, options.axes, !options.gains, (x) => run(context, { ...tensors, x }, options));
}

/** @type {Record<string, Operation>} */
export const OPERATIONS = {
  // {x}, {axes, eps} → statistics: planes of mean (high and low part), variance · scale², scale, and
  // the factor 1/√(σ² + ε)
  moments: overAxes((context, { x }, { axes, eps }) => ({ statistics: moments(context, x, axes, eps) })),
  // {x}, {axes, eps} → statistics: planes of 0, 0, mean square · scale², scale, factor
  mean_square: overAxes((context, { x }, { axes, eps }) => ({ statistics: meanSquare(context, x, axes, eps) })),
  // {x}, {axes} → output: one value a group, float32
  max: overAxes((context, { x }, { axes }) => ({ output: maximum(context, x, axes) })),
  // {x}, {axes, temperature} → statistics: planes of max and Σ e^((x − max)/T)
  sum_exp: overAxes((context, { x }, { axes, temperature }) => ({ statistics: sumExp(context, x, axes, temperature) })),
  // {x, weight, bias}, {axes, center, eps, gains, statistics} → output, and statistics if asked for
  normalize: overAxes((context, { x, weight, bias }, options) => {
    const { output, statistics } = normalize(context, x, options.axes, { ...options, weight, bias });
    /** @type {Tensors} */
    const results = { output };
    if (statistics) results.statistics = statistics;
    return results;
  }),
  // {x, statistics, weight, bias}, {axes, eps, gains} → output, with statistics known already
  apply: overAxes((context, { x, statistics, weight, bias }, options) => ({
    output: apply(context, x, options.axes, statistics, { ...options, weight, bias }),
  })),
  // {x, channels}, {axes} → output; channels: planes of μ (high and low part), γ/√(σ² + ε), β
  batch_norm_inference: overAxes((context, { x, channels }, { axes }) => ({
    output: batchNormInference(context, x, channels, axes),
  })),
  // {x}, {axes, temperature} → output
  softmax: overAxes((context, { x }, { axes, temperature }) => ({ output: softmax(context, x, axes, temperature) })),
  // {x, gradient, weight}, {axes, center, eps, parameters} → x: ∂L/∂x; and parameters if asked for:
  // planes of ∂L/∂γ and ∂L/∂β along the reduced axes. float32 only.
  normalize_backward: (context, tensors, options) => normalizeBackward(context, tensors, options),
  // {a, b}, {shape, params} → output: factor · A·B, matrices as matrix_params.wgsl describes them
  matmul: (context, operands, what) => ({ output: product(context, "matmul", operands, what) }),
  // likewise → output: q·kᵀ·factor, soft-capped, then masked
  attention_scores: (context, operands, what) => ({ output: product(context, "attention_scores", operands, what) }),
  // {x, z}, {x_factor, z_factor} → output: x_factor·x + z_factor·z
  add: (context, tensors, factors) => ({ output: add(context, tensors, factors) }),
  // {x} → output: the same bits, for what a device's memory can do
  copy: (context, { x }) => ({ output: flat(context, "copy", [x]) }),
  // {x} → output; {x, gradient} → output: GELU by its tanh form, and ∂L/∂x
  gelu: (context, { x }) => ({ output: flat(context, "gelu", [x]) }),
  gelu_backward: (context, { x, gradient }) => ({ output: flat(context, "gelu_backward", [x, gradient]) }),
  // {x, gradient}, {factor} → output: factor · ∂L/∂scores from probabilities x, over the last axis
  softmax_backward: (context, tensors, options) => ({ output: softmaxBackward(context, tensors, options) }),
  // {x} → output: the same values as float32, or rounded to float16
  widen: (context, { x }) => ({ output: widen(context, x) }),
  narrow: (context, { x }) => ({ output: narrow(context, x) }),
};
