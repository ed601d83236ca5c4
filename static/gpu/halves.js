// float16 tensors whose rows are no multiple of 4 values: kernels take float32 in their place.
import { geometryOf } from "./geometry.js";
import { flatStepOf } from "./kernels.js";
import { sizeOf } from "./memory.js";

/**
 * @typedef {import("./memory.js").Tensor} Tensor
 * @typedef {import("./reductions.js").Context} Context
 */

/** @param {Context} context @param {Tensor} x @param {"f32" | "f16"} type @param {string} kernel @returns {Tensor} */
function converted({ session }, x, type, kernel) {
  const values = sizeOf(x.shape);
  const output = session.memory.tensor(x.shape, type);
  session.dispatch(session.prepared(`${kernel}|${values}`, () => flatStepOf(kernel, values)), [x, output]);
  return output;
}

/** The same values as float32. @param {Context} context @param {Tensor} x */
export function widen(context, x) {
  return converted(context, x, "f32", "widen");
}

/** The same values rounded to float16. @param {Context} context @param {Tensor} x */
export function narrow(context, x) {
  return converted(context, x, "f16", "narrow");
}

/**
 * Runs an operation on `x` as it is where kernels can read it so, else on its values as float32;
 * an output of x's own shape comes back in x's type.
 * @param {Context} context @param {Tensor} x @param {number[]} axes @param {boolean} plain
 *   whether weights along other axes may make steps of single values necessary
 * @param {(x: Tensor) => Record<string, Tensor>} run
 * @returns {Record<string, Tensor>}
 */
export function inReadableType(context, x, axes, plain, run) {
  if (x.type === "f32" || (plain && geometryOf(x.shape, axes).width > 1)) return run(x);
  const wide = widen(context, x);
  const results = run(wide);
  context.session.memory.release(wide);
  if (results.output && String(results.output.shape) === String(x.shape)) {
    const output = narrow(context, results.output);
    context.session.memory.release(results.output);
    return { ...results, output };
  }
  return results;
}
