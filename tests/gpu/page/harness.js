// The tests' side of the page: opens GPUs and runs batches of calls that come over /exchange/.
import { createGpu } from "/static/gpu/gpu.js";

/** @typedef {{shape: number[], type: "f32" | "f16", offset: number, size: number}} Described */

const baseURL = new URL("/kernels/webgpu/", import.meta.url);
/** @type {{gpu: any, notices: any[]}[]} */
const opened = [];

/** Bytes a batch of results may take before they are read back. */
const READ_AT = 2 ** 26;

/** @param {any} manifest @param {Uint8Array[]} blobs */
function pack(manifest, blobs) {
  let head = JSON.stringify(manifest);
  const encoded = new TextEncoder().encode(head);
  head += " ".repeat((4 - (encoded.length % 4)) % 4);
  const bytes = new TextEncoder().encode(head);
  return new Blob([new Uint32Array([bytes.length]), bytes, ...blobs]);
}

/** @param {any} error */
const failure = (error) => ({ error: { key: error.key ?? "", message: error.message ?? String(error) } });

globalThis.harness = {
  /** @param {any} options `changes`: [file, from, to][] to make in .wgsl files, `without`: no navigator.gpu */
  async open({ changes = [], without = false, ...options }) {
    /** @type {any[]} */
    const notices = [];
    const readText = async (/** @type {string} */ path) => {
      let text = await (await fetch(new URL(path, baseURL))).text();
      for (const [file, from, to] of changes) {
        if (file !== path) continue;
        if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
        text = text.replaceAll(from, to);
      }
      return text;
    };
    const webgpu = without ? { webgpu: undefined } : {};
    const gpu = await createGpu({ readText, onNotice: (notice) => notices.push(notice), ...webgpu, ...options });
    return opened.push({ gpu, notices }) - 1;
  },

  /** @param {number} number */
  status(number) {
    const { gpu, notices } = opened[number];
    return { available: gpu.available, reason: gpu.reason, facts: gpu.facts, notices };
  },

  /** @param {number} number */
  gpu: (number) => opened[number].gpu,

  /** @param {number} number @param {string} ticket */
  async run(number, ticket) {
    const { gpu } = opened[number];
    const bytes = await (await fetch(`/exchange/${ticket}`)).arrayBuffer();
    const length = new DataView(bytes).getUint32(0, true);
    const calls = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length)));
    /** @type {any[]} */
    const entries = [];
    /** @type {Uint8Array[]} */
    const blobs = [];
    let offset = 0;
    /** @type {{entry: any, name: string, tensor: any}[]} */
    let waiting = [];

    const readBack = async () => {
      const batch = waiting;
      waiting = [];
      if (batch.length === 0) return;
      try {
        await gpu.read(batch.map(({ tensor }) => tensor), (/** @type {Uint8Array[]} */ views) =>
          batch.forEach(({ entry, name, tensor }, index) => {
            blobs.push(views[index].slice());
            const size = (tensor.type === "f16" ? 2 : 4) * tensor.shape.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1);
            entry.tensors[name] = { shape: tensor.shape, type: tensor.type, offset, size };
            offset += views[index].length;
          }),
        );
      } catch (error) {
        for (const { entry } of batch) Object.assign(entry, failure(error));
      }
      gpu.release(...batch.map(({ tensor }) => tensor));
    };

    let pending = 0;
    for (const { operation, tensors, options } of calls) {
      /** @type {any} */
      const entry = { tensors: {} };
      entries.push(entry);
      try {
        /** @type {Record<string, any>} */
        const given = {};
        for (const [name, { shape, type, offset: at, size }] of /** @type {[string, Described][]} */ (Object.entries(tensors))) {
          given[name] = gpu.upload(new Uint8Array(bytes, 4 + length + at, size), shape, type);
        }
        const results = gpu.call(operation, given, options);
        gpu.release(...Object.values(given));
        for (const [name, tensor] of Object.entries(results)) {
          waiting.push({ entry, name, tensor });
          pending += /** @type {any} */ (tensor).bytes;
        }
      } catch (error) {
        Object.assign(entry, failure(error));
      }
      if (pending > READ_AT) {
        await readBack();
        pending = 0;
      }
    }
    await readBack();
    await fetch(`/exchange/${ticket}`, { method: "POST", body: pack(entries, blobs) });
  },
};
