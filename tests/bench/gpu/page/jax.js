// jax-js under jit, its fastest form.
import { EPS } from "./cases.js";

/** @param {any} jax @returns {Promise<import("./measure.js").Subject>} */
export async function openJax(jax) {
  await jax.init("webgpu");
  jax.defaultDevice("webgpu");
  const { numpy: np, nn } = jax;
  return {
    name: "jax-js",
    version: "0.1.25",
    async prepare({ operation, axis, shape }, data) {
      const along = axis === 1 ? [1, shape[1]] : [shape[0], 1];
      const x = np.array(data.x).reshape(shape);
      const weight = np.array(data.weight).reshape(along);
      const bias = np.array(data.bias).reshape(along);
      /** @type {Record<string, (x: any, w: any, b: any) => any>} */
      const operations = {
        layer_norm: (x, w, b) => nn.standardize(x, axis, { epsilon: EPS }).mul(w).add(b),
        rms_norm: (x, w) => x.ref.mul(np.reciprocal(np.sqrt(np.mean(np.square(x), axis, { keepdims: true }).add(EPS)))).mul(w),
        softmax: (x) => nn.softmax(x, axis),
        moments: (x) => [np.mean(x.ref, axis), np.var_(x, axis)],
      };
      /** @type {Record<string, any[]>} */
      const arguments_ = { layer_norm: [x, weight, bias], rms_norm: [x, weight], softmax: [x], moments: [x] };
      const given = arguments_[operation];
      const call = jax.jit(operations[operation]);
      /** @type {any[]} */
      let results = [];
      return {
        run() {
          results.forEach((result) => result.dispose());
          results = [call(...given.map((array) => array.ref))].flat();
        },
        fence: () => jax.blockUntilReady(results),
        async read() {
          const parts = [];
          for (const result of results) parts.push(await result.ref.data());
          const all = new Float32Array(parts.reduce((size, part) => size + part.length, 0));
          let offset = 0;
          for (const part of parts) {
            all.set(part, offset);
            offset += part.length;
          }
          return all;
        },
        dispose: () => [...results, x, weight, bias].forEach((array) => array.dispose()),
      };
    },
  };
}
