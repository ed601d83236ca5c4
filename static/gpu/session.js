// One device at work: commands are gathered in one encoder and submitted once, when a result is
// read. Whatever the device reports in between reaches the reader as an error.
import { GpuError } from "./notices.js";
import { createMemory } from "./memory.js";
import { createShaders, fieldsOf } from "./shaders.js";

/**
 * @typedef {import("./memory.js").Tensor} Tensor
 * @typedef {import("./shaders.js").Recipe} Recipe
 * @typedef {{recipe: Recipe, params: Record<string, number>, workgroups: number}} Step one dispatch,
 *   all but its buffers
 */

// Dispatches, uniform buffers and bind groups that are remembered, each at most.
const REMEMBERED = 512;

const LOSS_MAY_TAKE = 200; // milliseconds

/** What `make` gave for a key before; a map that is full forgets everything. @template T @param {Map<string, T>} map @param {string} key @param {() => T} make @returns {T} */
function remembered(map, key, make) {
  let value = map.get(key);
  if (value === undefined) {
    if (map.size >= REMEMBERED) map.clear();
    value = make();
    map.set(key, value);
  }
  return value;
}

/**
 * @param {GPUDevice} device
 * @param {{text(path: string): string}} library
 */
export function createSession(device, library) {
  const shaders = createShaders(device, library);
  /** @type {Promise<GPUError | null>[]} */
  let checks = [];
  const memory = createMemory(device, (check) => checks.push(check));
  let lost = "";
  device.lost.then((info) => (lost = info.message || info.reason || "lost"));

  /** @type {GPUCommandEncoder | null} */
  let encoder = null;
  /** @type {GPUComputePassEncoder | null} */
  let pass = null;
  /** @type {WeakMap<GPUBuffer, number>} */
  const numbers = new WeakMap();
  let nextNumber = 1;
  /** @type {Map<string, ReturnType<typeof prepare>>} */
  const known = new Map();
  let dispatches = 0;
  let submissions = 0;

  /** @param {GPUBuffer} buffer */
  function numberOf(buffer) {
    let number = numbers.get(buffer);
    if (!number) numbers.set(buffer, (number = nextNumber++));
    return number;
  }

  // A dispatch longer than the limit of 65535 workgroups is folded, near square so that few are idle.
  /** @param {number} workgroups */
  function fold(workgroups) {
    const most = device.limits.maxComputeWorkgroupsPerDimension;
    const width = workgroups <= most ? workgroups : Math.ceil(Math.sqrt(workgroups));
    return { width, height: Math.ceil(workgroups / width) };
  }

  /** @param {string} file the declaration of the uniform struct @param {Record<string, number>} params */
  function uniformOf(file, params) {
    const fields = fieldsOf(library.text(`common/${file}.wgsl`));
    const buffer = device.createBuffer({
      size: Math.ceil((fields.length * 4) / 16) * 16,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
      mappedAtCreation: true,
      label: "normscope/params",
    });
    const view = new DataView(buffer.getMappedRange());
    fields.forEach(({ name, type }, index) => {
      const value = params[name] ?? 0;
      if (type === "f32") view.setFloat32(index * 4, value, true);
      else view.setUint32(index * 4, value, true);
    });
    buffer.unmap();
    return buffer;
  }

  /** @param {Step} step */
  function prepare({ recipe, params, workgroups }) {
    const { width, height } = fold(workgroups);
    return {
      ...shaders.now(recipe),
      uniform: uniformOf(recipe.parts[0], { ...params, dispatch_width: width }),
      width,
      height,
      /** @type {Map<string, GPUBindGroup>} */
      groups: new Map(),
    };
  }

  function open() {
    if (lost) throw new GpuError("device-lost", lost);
    if (!encoder) {
      device.pushErrorScope("validation");
      encoder = device.createCommandEncoder({ label: "normscope" });
    }
    pass ??= encoder.beginComputePass({ label: "normscope" });
    return { encoder, pass };
  }

  function endPass() {
    pass?.end();
    pass = null;
  }

  function submit() {
    if (!encoder) return;
    endPass();
    device.queue.submit([encoder.finish()]);
    checks.push(device.popErrorScope());
    encoder = null;
    submissions += 1;
    memory.submitted();
  }

  /** Waits for what was submitted, and throws what the device reported about it. */
  async function settle() {
    const outcomes = await Promise.all(checks.splice(0).map((check) => check.catch(() => null)));
    if (lost) throw new GpuError("device-lost", lost);
    const errors = outcomes.filter((error) => error !== null);
    const full = errors.find(isOutOfMemory);
    if (full) {
      memory.trim();
      throw new GpuError("out-of-memory", full.message);
    }
    if (errors.length === 0) return;
    const uncompiled = await shaders.uncompiled();
    if (uncompiled) known.clear(); // what is ready may hold the broken pipeline
    throw uncompiled ?? new GpuError("device-error", errors[0].message);
  }

  /** Why reading failed: a device that is being lost says so a little later. @param {Error} problem */
  async function whyUnread(problem) {
    await Promise.race([device.lost, new Promise((resolve) => setTimeout(resolve, LOSS_MAY_TAKE))]);
    return lost ? new GpuError("device-lost", lost) : new GpuError("device-error", problem.message);
  }

  return {
    device,
    memory,
    shaders,
    /** Dispatches and submissions so far. */
    get counts() {
      return { dispatches, submissions };
    },

    /**
     * A dispatch made ready: pipeline, parameters and size are worked out once for each `key`.
     * @param {string} key @param {() => Step} make
     */
    prepared(key, make) {
      open();
      return remembered(known, key, () => prepare(make()));
    },

    /** @param {ReturnType<typeof prepare>} prepared @param {Tensor[]} tensors in the order of the kernel's bindings */
    dispatch(prepared, tensors) {
      const { pass } = open();
      const key = tensors.map(({ buffer, bytes }) => `${numberOf(buffer)}:${bytes}`).join();
      const group = remembered(prepared.groups, key, () =>
        device.createBindGroup({
          layout: prepared.layout,
          entries: [{ buffer: prepared.uniform }, ...tensors.map(({ buffer, bytes }) => ({ buffer, size: bytes }))].map(
            (resource, binding) => ({ binding, resource }),
          ),
        }),
      );
      pass.setPipeline(prepared.pipeline);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(prepared.width, prepared.height);
      dispatches += 1;
    },

    /** Copies values into a tensor. @param {Tensor} tensor @param {ArrayBufferView} values */
    write(tensor, values) {
      submit(); // writeBuffer runs before commands that are not submitted yet
      const { buffer, byteOffset, byteLength } = values;
      const whole = byteLength - (byteLength % 4);
      device.queue.writeBuffer(tensor.buffer, 0, buffer, byteOffset, whole);
      if (whole < byteLength) {
        const rest = new Uint8Array(4);
        rest.set(new Uint8Array(buffer, byteOffset + whole, byteLength - whole));
        device.queue.writeBuffer(tensor.buffer, whole, rest);
      }
    },

    submit,

    /**
     * Reads tensors back, all with one copy and one wait.
     * @param {Tensor[]} tensors
     * @param {(bytes: Uint8Array[]) => void} take gets views that are valid only during the call
     */
    async read(tensors, take) {
      const { encoder } = open();
      endPass();
      const offsets = [0];
      for (const { bytes } of tensors) offsets.push(/** @type {number} */ (offsets.at(-1)) + bytes);
      device.pushErrorScope("out-of-memory");
      const staging = device.createBuffer({
        size: Math.max(/** @type {number} */ (offsets.at(-1)), 4),
        usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
        label: "normscope/staging",
      });
      checks.push(device.popErrorScope());
      try {
        tensors.forEach(({ buffer, bytes }, index) => encoder.copyBufferToBuffer(buffer, 0, staging, offsets[index], bytes));
        submit();
        const mapped = staging.mapAsync(GPUMapMode.READ).then(
          () => null,
          (error) => error,
        );
        await settle();
        const problem = await mapped;
        if (problem) throw await whyUnread(problem);
        const range = staging.getMappedRange();
        take(tensors.map(({ bytes }, index) => new Uint8Array(range, offsets[index], bytes)));
      } finally {
        staging.destroy();
      }
    },

    /** Waits until everything submitted has run. */
    async idle() {
      submit();
      const problem = await device.queue.onSubmittedWorkDone().then(
        () => null,
        (error) => error,
      );
      if (problem) throw await whyUnread(problem);
      await settle();
    },

    destroy() {
      device.destroy();
    },
  };
}

/** @param {GPUError} error */
function isOutOfMemory(error) {
  return typeof GPUOutOfMemoryError !== "undefined" && error instanceof GPUOutOfMemoryError;
}
