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
  /** @param {any} options `changes`: [file, from, to][] to make in .wgsl files; `fromBase`: let the glue fetch them */
  async open({ changes = [], fromBase = false, ...options }) {
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
    const source = fromBase ? {} : { readText };
    const gpu = await createGpu({ ...source, onNotice: (notice) => notices.push(notice), ...options });
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

// The same, one step at a time, for the Python backend that runs outside the page.
/** @type {any[]} */
const tensors = [];

/** @param {any} tensor */
const kept = (tensor) => ({ id: tensors.push(tensor) - 1, shape: tensor.shape, type: tensor.type });

/** The result, or what was thrown, as a value. @param {() => any} run */
async function answered(run) {
  try {
    return { value: await run() };
  } catch (error) {
    return failure(error);
  }
}

Object.assign(globalThis.harness, {
  /** @param {number} number @param {string} ticket @param {number[]} shape @param {"f32" | "f16"} type */
  upload: (number, ticket, shape, type) =>
    answered(async () => {
      const bytes = await (await fetch(`/exchange/${ticket}`)).arrayBuffer();
      return kept(opened[number].gpu.upload(new Uint8Array(bytes), shape, type));
    }),
  /** @param {number} number @param {string} name @param {Record<string, number>} ids @param {any} options */
  call: (number, name, ids, options) =>
    answered(() => {
      const given = Object.fromEntries(Object.entries(ids).map(([key, id]) => [key, tensors[id]]));
      const results = opened[number].gpu.call(name, given, options);
      return Object.fromEntries(Object.entries(results).map(([key, tensor]) => [key, kept(tensor)]));
    }),
  /** @param {number} number @param {number[]} ids @param {string} ticket */
  read: (number, ids, ticket) =>
    answered(async () => {
      /** @type {Uint8Array[]} */
      let parts = [];
      await opened[number].gpu.read(ids.map((id) => tensors[id]), (/** @type {Uint8Array[]} */ views) => {
        parts = views.map((view) => view.slice());
      });
      await fetch(`/exchange/${ticket}`, { method: "POST", body: new Blob(parts) });
      return parts.map((part) => part.length);
    }),
  /** @param {number} number @param {number[]} ids */
  release: (number, ids) => opened[number].gpu.release(...ids.map((id) => tensors[id])),
  /** @param {number} number */
  warmUp: (number) => answered(() => opened[number].gpu.warmUp()),
  /** @param {number} number */
  idle: (number) => answered(() => opened[number].gpu.idle()),
});
