// TensorFlow.js with its WebGPU backend; `tf` is its global.
import { EPS } from "./cases.js";

/** @param {any} tf @returns {Promise<import("./measure.js").Subject>} */
export async function openTfjs(tf) {
  tf.env().set("WEBGPU_CPU_FORWARD", false); // else small tensors are computed on the CPU
  await tf.setBackend("webgpu");
  await tf.ready();
  const { device } = tf.backend();
  return {
    name: "tfjs",
    version: tf.version.tfjs,
    async prepare({ operation, axis, shape }, data) {
      const x = tf.tensor(data.x, shape);
      const along = axis === 1 ? [1, shape[1]] : [shape[0], 1];
      const weight = tf.tensor(data.weight, along);
      const bias = tf.tensor(data.bias, along);
      for (const tensor of [x, weight, bias]) await onGpu(tf, tensor);
      /** @type {Record<string, () => any>} */
      const operations = {
        layer_norm: () => {
          const { mean, variance } = tf.moments(x, axis, true);
          return tf.batchNorm(x, mean, variance, bias, weight, EPS);
        },
        rms_norm: () => x.mul(tf.rsqrt(tf.mean(tf.square(x), axis, true).add(EPS))).mul(weight),
        // tfjs's softmax takes the last axis only: over the first one a user writes it out.
        softmax: () => {
          if (axis === 1) return tf.softmax(x);
          const e = tf.exp(tf.sub(x, tf.max(x, axis, true)));
          return tf.div(e, tf.sum(e, axis, true));
        },
        moments: () => {
          const { mean, variance } = tf.moments(x, axis);
          return [mean, variance];
        },
      };
      /** @type {any} */
      let result = null;
      return {
        run() {
          tf.dispose(result);
          result = tf.tidy(operations[operation]);
        },
        async fence() {
          const backend = tf.backend(); // it batches dispatches: send what waits
          if (backend.commandEncoder) {
            backend.endComputePassEncoder();
            backend.submitQueue();
          }
          await device.queue.onSubmittedWorkDone();
        },
        async read() {
          const parts = [];
          for (const tensor of [result].flat()) parts.push(await tensor.data());
          const all = new Float32Array(parts.reduce((size, part) => size + part.length, 0));
          let offset = 0;
          for (const part of parts) {
            all.set(part, offset);
            offset += part.length;
          }
          return all;
        },
        dispose: () => tf.dispose([x, weight, bias, result]),
      };
    },
  };
}

/** Makes sure a tensor's values lie on the device. @param {any} tf @param {any} tensor */
async function onGpu(tf, tensor) {
  const copy = tf.add(tensor, 0);
  await copy.data();
  copy.dispose();
}
