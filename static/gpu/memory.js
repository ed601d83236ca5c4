// Buffers: a pool, so that a computation that is repeated allocates nothing, and the tensors in them.
import { GpuError } from "./notices.js";

/**
 * @typedef {"f32" | "f16"} Type
 * @typedef {{buffer: GPUBuffer, bytes: number, shape: number[], type: Type, held: boolean, device: GPUDevice}} Tensor
 *   values in C order; `bytes` is what they take, padded to whole fours of values
 */

/** @type {Record<Type, number>} */
export const BYTES_PER_VALUE = { f32: 4, f16: 2 };

// Freed buffers are kept up to this many bytes in all.
const KEPT_BYTES = 2 ** 28;

/** @param {number[]} shape */
export function sizeOf(shape) {
  return shape.reduce((product, size) => product * size, 1);
}

// Sizes in steps of an eighth of their power of two, so that similar sizes share buffers and no
// more than an eighth is wasted. Of the largest nothing is.
const EXACT_FROM = 2 ** 28;

/** @param {number} bytes */
function sizeClass(bytes) {
  if (bytes >= EXACT_FROM) return Math.ceil(bytes / 256) * 256;
  const step = Math.max(256, 2 ** (Math.floor(Math.log2(Math.max(bytes, 1))) - 3));
  return Math.ceil(bytes / step) * step;
}

/**
 * @param {GPUDevice} device
 * @param {(check: Promise<GPUError | null>) => void} watch takes each creation's outcome
 */
export function createMemory(device, watch) {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  /** @type {Map<number, GPUBuffer[]>} */
  const free = new Map();
  let keptBytes = 0;
  /** @type {GPUBuffer[]} */
  let surplus = [];
  const limit = Math.min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize);

  /** @param {number} bytes */
  function create(bytes) {
    device.pushErrorScope("out-of-memory");
    const buffer = device.createBuffer({ size: bytes, usage, label: `normscope/${bytes}` });
    watch(device.popErrorScope());
    return buffer;
  }

  return {
    /** The most bytes one tensor can have. */
    limit,
    /** @param {number[]} shape @param {Type} [type] @returns {Tensor} */
    tensor(shape, type = "f32") {
      const bytes = Math.ceil(Math.max(sizeOf(shape), 1) / 4) * 4 * BYTES_PER_VALUE[type];
      if (bytes > limit) throw new GpuError("too-large", `${bytes} bytes, the limit is ${limit}`);
      const size = Math.min(sizeClass(bytes), limit - (limit % 4));
      const waiting = free.get(size);
      const buffer = waiting?.pop();
      if (buffer) keptBytes -= size;
      return { buffer: buffer ?? create(size), bytes, shape, type, held: true, device };
    },
    /** Throws for a tensor of a device that was lost, or that was given back. @param {Tensor} tensor */
    check(tensor) {
      if (tensor.device !== device) throw new GpuError("device-lost", "the tensor went with it");
      if (!tensor.held) throw new RangeError("this tensor was released");
    },
    /** Gives a tensor's buffer back. What was encoded before may still read it: the queue keeps order. @param {Tensor} tensor */
    release(tensor) {
      if (!tensor.held || tensor.device !== device) return;
      tensor.held = false;
      const { buffer } = tensor;
      if (keptBytes + buffer.size > KEPT_BYTES) {
        surplus.push(buffer);
        return;
      }
      keptBytes += buffer.size;
      const waiting = free.get(buffer.size);
      if (waiting) waiting.push(buffer);
      else free.set(buffer.size, [buffer]);
    },
    /** Destroys what the pool has no room for; to be called after a submission, since commands that are not yet submitted may use it. */
    submitted() {
      for (const buffer of surplus) buffer.destroy();
      surplus = [];
    },
    /** Destroys every buffer that waits in the pool, after a submission. */
    trim() {
      for (const buffer of [...free.values()].flat()) buffer.destroy();
      free.clear();
      keptBytes = 0;
    },
  };
}
