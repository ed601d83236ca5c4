// The operations by name: what they take, what they give. Whoever calls knows these names, tensors
// and options, and nothing of kernels.
import * as reductions from "./reductions.js";

/**
 * @typedef {import("./memory.js").Tensor} Tensor
 * @typedef {import("./reductions.js").Context} Context
 * @typedef {Record<string, Tensor>} Tensors
 * @typedef {(context: Context, tensors: any, options: any) => Tensors} Operation
 *   takes tensors by name and plain options; gives new tensors by name
 */

/** @type {Record<string, Operation>} */
export const OPERATIONS = {
  // {x}, {axes} → statistics: planes of mean (high and low part), variance · scale², scale
  moments: (context, { x }, { axes }) => ({ statistics: reductions.moments(context, x, axes) }),
  // {x}, {axes} → statistics: planes of 0, 0, mean square · scale², scale
  mean_square: (context, { x }, { axes }) => ({ statistics: reductions.meanSquare(context, x, axes) }),
  // {x}, {axes} → output: one value a group
  max: (context, { x }, { axes }) => ({ output: reductions.maximum(context, x, axes) }),
  // {x}, {axes, temperature} → statistics: planes of max and Σ e^((x − max)/T)
  sum_exp: (context, { x }, { axes, temperature }) => ({ statistics: reductions.sumExp(context, x, axes, temperature) }),
  // {x, weight, bias}, {axes, center, eps, gains, statistics} → output, and statistics if asked for
  normalize: (context, { x, weight, bias }, options) => {
    const { output, statistics } = reductions.normalize(context, x, options.axes, { ...options, weight, bias });
    /** @type {Tensors} */
    const results = { output };
    if (statistics) results.statistics = statistics;
    return results;
  },
  // {x, statistics, weight, bias}, {axes, eps, gains} → output, with statistics known already
  apply: (context, { x, statistics, weight, bias }, options) => ({
    output: reductions.apply(context, x, options.axes, statistics, { ...options, weight, bias }),
  }),
  // {x}, {axes, temperature} → output
  softmax: (context, { x }, { axes, temperature }) => ({ output: reductions.softmax(context, x, axes, temperature) }),
};
