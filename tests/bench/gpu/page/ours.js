// Normscope's own GPU path, through the interface the page uses.
import { createGpu } from "/static/gpu/gpu.js";
import { EPS } from "./cases.js";

/** @param {object} [options] given on to createGpu */
export async function openOurs(options = {}) {
  const gpu = await createGpu({ baseURL: new URL("/kernels/webgpu/", import.meta.url), ...options });
  return { gpu, subject: subjectOf(gpu) };
}

/** @param {any} gpu @returns {import("./measure.js").Subject} */
export function subjectOf(gpu) {
  return {
    name: "normscope",
    version: "this checkout",
    async prepare({ operation, axis, shape }, data) {
      const x = gpu.upload(data.x, shape);
      const weight = gpu.upload(data.weight, [shape[axis]]);
      const bias = gpu.upload(data.bias, [shape[axis]]);
      const axes = [axis];
      const gains = { along: "reduced" };
      /** @type {Record<string, () => any>} */
      const operations = {
        layer_norm: () => gpu.call("normalize", { x, weight, bias }, { axes, center: true, gains, eps: EPS }).output,
        rms_norm: () => gpu.call("normalize", { x, weight }, { axes, center: false, gains, eps: EPS }).output,
        softmax: () => gpu.call("softmax", { x }, { axes }).output,
        moments: () => gpu.call("moments", { x }, { axes }).statistics,
      };
      /** @type {any} */
      let result = null;
      return {
        run() {
          if (result) gpu.release(result);
          result = operations[operation]();
          gpu.submit();
        },
        fence: () => gpu.idle(),
        async read() {
          const values = await gpu.download(result);
          if (operation !== "moments") return values;
          const groups = values.length / 5;
          return values.slice(0, 2 * groups).map((_, index) =>
            index < groups
              ? (values[index] + values[groups + index]) / values[3 * groups + index]
              : values[groups + index] / values[2 * groups + index] ** 2,
          );
        },
        dispose: () => [x, weight, bias, result].forEach((tensor) => tensor && gpu.release(tensor)),
      };
    },
  };
}
