// What a stack of transformer blocks needs beside the normalizers: products of matrices, attention
// scores, and functions of single values.
import { geometryOf } from "./geometry.js";
import { flatStepOf, matrixStepOf, stepOf } from "./kernels.js";
import { sizeOf } from "./memory.js";
import { planFor } from "./plan.js";

/**
 * @typedef {import("./memory.js").Tensor} Tensor
 * @typedef {import("./reductions.js").Context} Context
 * @typedef {Record<string, number>} MatrixParams the fields of matrix_params.wgsl
 */

/**
 * factor · A·B, or attention scores, in a new tensor.
 * @param {Context} context @param {"matmul" | "attention_scores"} kernel
 * @param {{a: Tensor, b: Tensor}} operands @param {{shape: number[], params: MatrixParams}} what the result's shape
 * @returns {Tensor}
 */
export function product({ session }, kernel, { a, b }, { shape, params }) {
  const key = `${kernel}|${Object.values(params)}`;
  const prepared = session.prepared(key, () => matrixStepOf(kernel, params));
  const result = session.memory.tensor(shape);
  session.dispatch(prepared, [a, b, result]);
  return result;
}

/** x_factor · x + z_factor · z. @param {Context} context @param {{x: Tensor, z: Tensor}} tensors @param {{x_factor?: number, z_factor?: number}} factors @returns {Tensor} */
export function add({ session }, { x, z }, { x_factor = 1, z_factor = 1 }) {
  const values = sizeOf(x.shape);
  if (sizeOf(z.shape) !== values) throw new RangeError(`add: shapes [${x.shape}] and [${z.shape}] differ`);
  const prepared = session.prepared(`add|${values}|${x_factor}|${z_factor}`, () => flatStepOf("add", values, { x_factor, z_factor }));
  const result = session.memory.tensor(x.shape);
  session.dispatch(prepared, [x, z, result]);
  return result;
}

/** @param {Context} context @param {string} kernel @param {Tensor[]} tensors the first has the result's shape @returns {Tensor} */
export function flat({ session }, kernel, tensors) {
  const { shape } = tensors[0];
  const values = sizeOf(shape);
  const result = session.memory.tensor(shape);
  session.dispatch(session.prepared(`${kernel}|${values}`, () => flatStepOf(kernel, values)), [...tensors, result]);
  return result;
}

/** factor · p·(g − Σ g·p) over the last axis. @param {Context} context @param {{x: Tensor, gradient: Tensor}} tensors @param {{factor?: number}} options @returns {Tensor} */
export function softmaxBackward({ session, tuning }, { x, gradient }, { factor = 1 }) {
  const prepared = session.prepared(`softmax_backward|${x.shape}|${factor}`, () => {
    const geometry = geometryOf(x.shape, [x.shape.length - 1], { widest: 1 });
    return stepOf("softmax_backward", geometry, planFor(geometry, tuning, { split: false }), { params: { factor } });
  });
  const result = session.memory.tensor(x.shape);
  session.dispatch(prepared, [x, gradient, result]);
  return result;
}
