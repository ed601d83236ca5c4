// WGSL files joined into modules, and pipelines made of them once.
import { GpuError } from "./notices.js";

/**
 * @typedef {{kernel: string, parts: string[], constants: Record<string, number | boolean>}} Recipe
 *   what a pipeline is made of: the file with the entry point, the files under common/ it is
 *   joined with, that of its uniform struct first, and constants
 * @typedef {{recipe: Recipe, pipeline: GPUComputePipeline, layout: GPUBindGroupLayout}} Pipeline
 */

/** @param {Recipe} recipe */
function keyOf({ kernel, parts, constants }) {
  return `${kernel}|${parts.join(",")}|${Object.entries(constants).map((pair) => pair.join("=")).join(",")}`;
}

/** @param {[string, number | boolean]} constant */
function declared([name, value]) {
  return typeof value === "boolean" ? `const ${name}: bool = ${value};` : `const ${name}: u32 = ${value}u;`;
}

/** @type {Record<string, GPUBufferBindingType>} */
const BINDING_TYPES = { uniform: "uniform", "storage, read": "read-only-storage", "storage, read_write": "storage" };

/**
 * The bindings a kernel declares, so that pipelines of one signature share a layout.
 * @param {string} text @returns {GPUBindGroupLayoutEntry[]}
 */
function bindingsOf(text) {
  const found = text.matchAll(/@group\(0\)\s*@binding\((\d+)\)\s*var<([^>]+)>/g);
  return [...found].map(([, binding, space]) => ({
    binding: Number(binding),
    visibility: 4 /* COMPUTE */,
    buffer: { type: BINDING_TYPES[space.trim()] },
  }));
}

/**
 * @param {string} text params.wgsl
 * @returns {{name: string, type: string}[]} the fields of the uniform struct, 4 bytes each
 */
export function fieldsOf(text) {
  return [...text.matchAll(/^\s+(\w+):\s*(u32|f32),/gm)].map(([, name, type]) => ({ name, type }));
}

/**
 * Every file's text, each fetched once.
 * @param {(path: string) => Promise<string>} readText
 */
export function createLibrary(readText) {
  /** @type {Map<string, string>} */
  const texts = new Map();
  return {
    /** @param {string[]} paths */
    async load(paths) {
      await Promise.all(
        paths.map(async (path) => {
          if (texts.has(path)) return;
          const text = await readText(path).catch((error) => {
            throw new GpuError("shader-missing", `${path}: ${error.message ?? error}`);
          });
          texts.set(path, text);
        }),
      );
    },
    /** @param {string} path @returns {string} */
    text(path) {
      const text = texts.get(path);
      if (text === undefined) throw new GpuError("shader-missing", path);
      return text;
    },
  };
}

/** The first error a module has, with its line. @param {GPUCompilationInfo | null} info */
function firstError(info) {
  const first = info?.messages.find((message) => message.type === "error");
  return first ? `line ${first.lineNum}: ${first.message}` : null;
}

/**
 * @param {GPUDevice} device
 * @param {{text(path: string): string}} library
 */
export function createShaders(device, library) {
  /** @type {Map<string, Pipeline>} */
  const ready = new Map();
  /** @type {Map<string, Promise<Pipeline>>} */
  const compiling = new Map();
  /** @type {Map<string, GpuError>} */
  const failed = new Map();
  /** @type {{key: string, recipe: Recipe, info: Promise<GPUCompilationInfo | null>}[]} */
  let unchecked = [];
  /** @type {Map<string, {layout: GPUBindGroupLayout, pipelineLayout: GPUPipelineLayout}>} */
  const layouts = new Map();

  /** @param {GPUBindGroupLayoutEntry[]} entries */
  function layoutFor(entries) {
    const key = entries.map((entry) => entry.buffer?.type).join();
    let found = layouts.get(key);
    if (!found) {
      const layout = device.createBindGroupLayout({ entries });
      found = { layout, pipelineLayout: device.createPipelineLayout({ bindGroupLayouts: [layout] }) };
      layouts.set(key, found);
    }
    return found;
  }

  /** @param {Recipe} recipe */
  function describe(recipe) {
    const kernel = library.text(`${recipe.kernel}.wgsl`);
    const code = [
      ...Object.entries(recipe.constants).map(declared),
      ...recipe.parts.map((part) => library.text(`common/${part}.wgsl`)),
      kernel,
    ].join("\n");
    const label = `normscope/${keyOf(recipe)}`;
    const { layout, pipelineLayout } = layoutFor(bindingsOf(kernel));
    const module = device.createShaderModule({ code, label });
    /** @type {GPUComputePipelineDescriptor} */
    const descriptor = { label, layout: pipelineLayout, compute: { module, entryPoint: recipe.kernel } };
    return { descriptor, layout, module };
  }

  return {
    /**
     * The pipeline, compiled on the spot if it was not compiled ahead.
     * @param {Recipe} recipe @returns {Pipeline}
     */
    now(recipe) {
      const key = keyOf(recipe);
      const found = ready.get(key);
      if (found) return found;
      const error = failed.get(key);
      if (error) throw error;
      const { descriptor, layout, module } = describe(recipe);
      // Asked for at once: of a module in use, Chromium 156 may not answer any more.
      unchecked.push({ key, recipe, info: module.getCompilationInfo().catch(() => null) });
      const made = { recipe, pipeline: device.createComputePipeline(descriptor), layout };
      ready.set(key, made);
      return made;
    },
    /**
     * The first of the pipelines made by `now` that did not compile, or null. To be asked when the
     * device reported an error; it is not made again.
     * @returns {Promise<GpuError | null>}
     */
    async uncompiled() {
      const asked = unchecked;
      unchecked = [];
      for (const { key, recipe, info } of asked) {
        const error = firstError(await info);
        if (!error) continue;
        const reason = new GpuError("shader-failed", `${recipe.kernel}: ${error}`);
        failed.set(key, reason);
        ready.delete(key);
        return reason;
      }
      return null;
    },
    /**
     * The pipeline, compiled without holding anything up. Rejects with the compiler's message.
     * @param {Recipe} recipe @returns {Promise<Pipeline>}
     */
    ahead(recipe) {
      const key = keyOf(recipe);
      const found = ready.get(key);
      if (found) return Promise.resolve(found);
      let building = compiling.get(key);
      if (!building) {
        const { descriptor, layout, module } = describe(recipe);
        const info = module.getCompilationInfo().catch(() => null);
        building = device.createComputePipelineAsync(descriptor).then(
          (pipeline) => {
            const made = ready.get(key) ?? { recipe, pipeline, layout };
            ready.set(key, made);
            return made;
          },
          async (error) => {
            const reason = new GpuError("shader-failed", `${recipe.kernel}: ${firstError(await info) ?? error.message}`);
            failed.set(key, reason);
            throw reason;
          },
        );
        compiling.set(key, building);
        building.finally(() => compiling.delete(key)).catch(() => {});
      }
      return building;
    },
  };
}
