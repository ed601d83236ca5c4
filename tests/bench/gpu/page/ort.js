// onnxruntime-web: the same file for its native WebGPU build and its JSEP build.

/**
 * @param {any} ort @param {string} name @param {string} wasmPaths
 * @param {(file: string) => Promise<ArrayBuffer>} readModel
 * @returns {Promise<import("./measure.js").Subject>}
 */
export async function openOrt(ort, name, wasmPaths, readModel) {
  ort.env.wasm.wasmPaths = wasmPaths;
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "error";
  return {
    name,
    version: ort.env.versions.web ?? ort.env.versions.common,
    async prepare({ operation, axis, shape }, data) {
      const model = await readModel(`${operation}_axis${axis}.onnx`);
      const session = await ort.InferenceSession.create(model, {
        executionProviders: ["webgpu"],
        preferredOutputLocation: "gpu-buffer",
      });
      const device = await ort.env.webgpu.device;
      const scale = [shape[axis]];
      /** @type {Record<string, [Float32Array, number[]]>} */
      const inputs = { x: [data.x, shape], weight: [data.weight, scale], bias: [data.bias, scale] };
      /** @type {Record<string, any>} */
      const feeds = {};
      /** @type {GPUBuffer[]} */
      const buffers = [];
      for (const input of session.inputNames) {
        const [values, dims] = inputs[input];
        const buffer = device.createBuffer({ size: values.byteLength, usage: 0x80 | 0x8 | 0x4 /* STORAGE | COPY_DST | COPY_SRC */ });
        device.queue.writeBuffer(buffer, 0, values);
        buffers.push(buffer);
        feeds[input] = ort.Tensor.fromGpuBuffer(buffer, { dataType: "float32", dims });
      }
      /** @type {any} */
      let results = null;
      const drop = () => results && Object.values(results).forEach((/** @type {any} */ tensor) => tensor.dispose());
      return {
        async run() {
          drop();
          results = await session.run(feeds);
        },
        fence: () => device.queue.onSubmittedWorkDone(),
        async read() {
          const parts = [];
          for (const output of session.outputNames) parts.push(await results[output].getData(false));
          const all = new Float32Array(parts.reduce((size, part) => size + part.length, 0));
          let offset = 0;
          for (const part of parts) {
            all.set(part, offset);
            offset += part.length;
          }
          return all;
        },
        async dispose() {
          drop();
          buffers.forEach((buffer) => buffer.destroy());
          await session.release();
        },
      };
    },
  };
}

