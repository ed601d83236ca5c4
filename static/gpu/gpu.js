// The GPU as the rest of Normscope sees it: tensors, operations on them, and reading them back.
// Works on a page, in a worker and under Node.js with Dawn. Nothing here computes an answer on the
// CPU: whoever calls catches a GpuError and lets NumPy answer.
import { openDevice } from "./adapter.js";
import { files } from "./kernels.js";
import { sizeOf } from "./memory.js";
import { createTeller, GpuError } from "./notices.js";
import { OPERATIONS } from "./operations.js";
import { TUNINGS } from "./plan.js";
import { createSession } from "./session.js";
import { createLibrary } from "./shaders.js";
import { warmUp } from "./warm_up.js";

/**
 * @typedef {import("./memory.js").Tensor} Tensor
 * @typedef {import("./memory.js").Type} Type
 * @typedef {import("./notices.js").Notice} Notice
 * @typedef {{getBuffer(type: string): {data: Uint8Array, release(): void}}} PythonBuffer Pyodide's proxy of an array
 * @typedef {{session: ReturnType<typeof createSession>, tuning: import("./plan.js").Tuning}} Context
 * @typedef {{
 *   baseURL?: string | URL, readText?: (path: string) => Promise<string>, texts?: Record<string, string>,
 *   onNotice?: (notice: Notice) => void, webgpu?: GPU,
 *   limits?: Record<string, number>, cut?: boolean, tuning?: "software" | "hardware", pauses?: number[],
 * }} Options `baseURL`: the folder of the .wgsl files, or `readText`: a function that gives the
 *   text of one, or `texts`: all of them by path; `pauses`: milliseconds before a lost device is asked for again, as often as there
 *   are numbers; the others are for tests and benchmarks
 */

const PAUSES = [500, 2000, 8000];

/**
 * Never rejects: where there is no GPU, `gpu.reason` says why and every call throws it.
 * @param {Options} options
 */
export async function createGpu({ onNotice = () => {}, pauses = PAUSES, ...options }) {
  const webgpu = "webgpu" in options ? options.webgpu : globalThis.navigator?.gpu;
  const library = createLibrary(readerOf(options));
  const teller = createTeller(onNotice);

  /** @type {Context | null} */
  let context = null;
  /** @type {import("./adapter.js").Facts | null} */
  let facts = null;
  /** @type {GpuError | null} */
  let reason = null;
  let losses = 0;
  /** @type {Promise<void>} */
  let opening = Promise.resolve();

  async function open() {
    try {
      const [opened] = await Promise.all([openDevice(webgpu, options), library.load(files())]);
      const session = createSession(opened.device, library);
      facts = opened.facts;
      context = { session, tuning: TUNINGS[options.tuning ?? (facts.software ? "software" : "hardware")] };
      reason = null;
      opened.device.lost.then((info) => lost(session, info));
      if (facts.software) teller.say("software-adapter", facts.description);
      if (facts.refused) teller.say("lower-limits", facts.refused);
    } catch (error) {
      close(error instanceof GpuError ? error : new GpuError("device-error", String(error)));
    }
  }

  /** @param {GpuError} why */
  function close(why) {
    context = null;
    reason = why;
    teller.say(why.key, why.detail);
  }

  // A device may be lost at any time: a driver update, another page, a computer that slept. It is
  // asked for again after a pause that grows, and for good given up after the last one.
  /** @param {ReturnType<typeof createSession>} session @param {GPUDeviceLostInfo} info */
  function lost(session, info) {
    if (context?.session !== session || closed) return;
    if (losses >= pauses.length) {
      close(new GpuError("device-gone", info.message));
      return;
    }
    close(new GpuError("device-lost", info.message));
    const pause = pauses[losses];
    losses += 1;
    opening = new Promise((resolve) => setTimeout(resolve, pause)).then(open).then(() => {
      if (!context) return;
      teller.say("device-back");
      teller.forget("device-lost", "device-back");
    });
  }

  function need() {
    if (!context) throw reason ?? new GpuError("no-device");
    return context;
  }

  let closed = false;
  await open();

  return {
    get available() {
      return context !== null;
    },
    /** Why there is no GPU: the notice's key and its words, or null. */
    get reason() {
      return reason && { key: reason.key, text: reason.message };
    },
    /** What is known about the adapter, or null. */
    get facts() {
      return facts;
    },
    get context() {
      return need();
    },
    /** Resolves when no device is being asked for. */
    settled: () => opening,
    /** Compiles what the first calls will need, without holding anything up. */
    warmUp: () => warmUp(need()),
    /** Says a notice, once. A loss is told where it is noticed, not by those whose calls it broke. @param {string} key @param {string} [detail] */
    say(key, detail) {
      if (key !== "device-lost") teller.say(key, detail);
    },

    /**
     * @param {ArrayBufferView | PythonBuffer} values in C order @param {number[]} shape @param {Type} [type]
     * @returns {Tensor}
     */
    upload(values, shape, type = "f32") {
      const { session } = need();
      const tensor = session.memory.tensor([...shape], type);
      if (ArrayBuffer.isView(values)) session.write(tensor, values);
      else withBytes(values, (bytes) => session.write(tensor, bytes));
      return tensor;
    },
    /**
     * Runs an operation of operations.js. Nothing is waited for; errors come with `download`.
     * @param {string} name @param {Record<string, Tensor | undefined>} tensors @param {object} [options]
     * @returns {Record<string, Tensor>}
     */
    call(name, tensors, options = {}) {
      const here = need();
      const operation = OPERATIONS[name];
      if (!operation) throw new RangeError(`no GPU operation ${name}; there are ${Object.keys(OPERATIONS).join(", ")}`);
      for (const tensor of Object.values(tensors)) if (tensor) here.session.memory.check(tensor);
      return operation(here, tensors, options);
    },
    /** @param {Tensor} tensor @returns {Promise<Float32Array>} float32 tensors only */
    async download(tensor) {
      const result = new Float32Array(sizeOf(tensor.shape));
      await this.read([tensor], ([bytes]) => new Uint8Array(result.buffer).set(bytes.subarray(0, result.byteLength)));
      return result;
    },
    /**
     * Reads several tensors back with one wait.
     * @param {Tensor[]} tensors @param {(bytes: Uint8Array[]) => void} take gets views that are valid only during the call
     */
    read: (tensors, take) => need().session.read(tensors, take),
    /** Gives tensors back to the pool. @param {Tensor[]} tensors */
    release: (...tensors) => tensors.forEach((tensor) => context?.session.memory.release(tensor)),
    /** Sends what was called so far on its way. */
    submit: () => need().session.submit(),
    /** Waits until all that was called has run. */
    idle: () => need().session.idle(),
    /** Gives the device back. */
    close() {
      closed = true;
      context?.session.destroy();
      context = null;
    },
  };
}

/**
 * The bytes of a Python object's buffer, in place: the view dies when Python's memory grows, so it
 * is only lent.
 * @param {PythonBuffer} values @param {(bytes: Uint8Array) => void} use
 */
function withBytes(values, use) {
  const buffer = values.getBuffer("u8");
  try {
    use(buffer.data);
  } finally {
    buffer.release();
  }
}

/** @param {Options} options @returns {(path: string) => Promise<string>} */
function readerOf({ readText, texts, baseURL }) {
  if (readText) return readText;
  if (!texts) return (path) => fetchText(new URL(path, baseURL));
  return async (path) => {
    if (!(path in texts)) throw new Error("it is not among the texts given");
    return texts[path];
  };
}

/** @param {URL} url */
async function fetchText(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return answer.text();
}
