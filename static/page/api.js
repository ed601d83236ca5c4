// globalThis.normscope: what authors script and tests use. Documented in README.
import { nextFrame } from "./frame.js";

/**
 * @param {(message: object) => void} send
 * @param {() => string} link
 * @param {{shell: number, picture: number, interactive: number}} timings
 */
export function createApi(send, link, timings) {
  /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void}>} */
  const open = new Map();
  let number = 0;
  /** @type {(value?: unknown) => void} */
  let becameReady = () => {};
  const ready = new Promise((resolve) => (becameReady = resolve));

  /** @param {string} method @param {...unknown} args */
  const ask = async (method, ...args) => {
    await ready;
    return new Promise((resolve, reject) => {
      number += 1;
      open.set(number, { resolve, reject });
      send({ type: "call", id: number, method, arguments: args });
    });
  };

  const api = Object.freeze({
    ready,
    state: () => ask("state"),
    set: (/** @type {object} */ patch) => ask("set", patch),
    outputs: () => ask("outputs"),
    kernel: (/** @type {string} */ name, /** @type {object} */ args = {}, options = {}) => ask("kernel", name, plain(args), options),
    link,
    timings,
  });

  /** @param {{id: number, value?: any, error?: string}} message */
  const answered = async (message) => {
    const call = open.get(message.id);
    open.delete(message.id);
    if (message.error !== undefined) call?.reject(new Error(message.error));
    else {
      await nextFrame(); // the views have drawn it
      call?.resolve(message.value);
    }
  };
  return { api, answered, becameReady: () => becameReady() };
}

/** Python's names of typed arrays. @type {Record<string, string>} */
const DTYPES = {
  Float64Array: "float64", Float32Array: "float32", Float16Array: "float16", Int32Array: "int32", Uint32Array: "uint32",
  Int16Array: "int16", Uint16Array: "uint16", Int8Array: "int8", Uint8Array: "uint8", Uint8ClampedArray: "uint8",
};

/** Arguments as JSON: typed arrays keep their type, numbers JSON lacks become words. @param {any} value @returns {any} */
function plain(value) {
  if (ArrayBuffer.isView(value)) return { typed: DTYPES[value.constructor.name], values: Array.from(/** @type {any} */ (value), plain) };
  if (Array.isArray(value)) return value.map(plain);
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
  if (typeof value === "number" && !Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  return value;
}
