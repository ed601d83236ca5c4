// What a person is told when the GPU cannot be used, or not fully. Each is said once.

/** @typedef {{key: string, text: string, detail: string}} Notice */

/** @type {Record<string, string>} */
const TEXTS = {
  "no-webgpu": "This browser offers no WebGPU here, so NumPy computes everything.",
  "no-adapter": "WebGPU found no graphics adapter, so NumPy computes everything.",
  "no-device": "The graphics adapter refused to be used, so NumPy computes everything.",
  "software-adapter": "WebGPU runs on the processor here (a software adapter): right, but not a picture of a GPU's speed.",
  "lower-limits": "The graphics adapter allows less than was asked for. Tensors above its limits are computed by NumPy.",
  "too-large": "This tensor is larger than the graphics adapter can bind, so NumPy computed it.",
  "out-of-memory": "The graphics memory is full. NumPy computed this result.",
  "device-lost": "The graphics device was lost. NumPy answered, and the device is being asked for again.",
  "device-back": "The graphics device is back.",
  "device-gone": "The graphics device was lost several times. NumPy computes everything from now on.",
  "shader-failed": "A compute shader did not compile on this device, so NumPy computes what it would have.",
  "shader-missing": "A compute shader could not be loaded, so NumPy computes everything.",
  "device-error": "The graphics device reported an error. NumPy computed this result.",
  "self-test-failed": "This graphics device gave wrong numbers in the self-test, so NumPy computes everything.",
};

/** An error of the GPU path that has a notice: whoever catches it lets NumPy answer. */
export class GpuError extends Error {
  /** @param {string} key @param {string} [detail] */
  constructor(key, detail = "") {
    super(detail ? `${TEXTS[key]} (${detail})` : TEXTS[key]);
    this.name = "GpuError";
    this.key = key;
    this.detail = detail;
  }
}

/**
 * A teller that says each notice once.
 * @param {(notice: Notice) => void} tell
 */
export function createTeller(tell) {
  /** @type {Set<string>} */
  const said = new Set();
  return {
    /** @param {string} key @param {string} [detail] */
    say(key, detail = "") {
      if (said.has(key)) return;
      said.add(key);
      tell({ key, text: TEXTS[key], detail });
    },
    /** What is allowed to be said anew, such as a second loss after the device came back. @param {string[]} keys */
    forget(...keys) {
      keys.forEach((key) => said.delete(key));
    },
  };
}
