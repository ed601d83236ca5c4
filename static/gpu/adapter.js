// The adapter and the device: asking for them, what they can do, and what is known about them.
import { GpuError } from "./notices.js";

/**
 * @typedef {{vendor: string, architecture: string, description: string, software: boolean,
 *   features: string[], limits: Record<string, number>, refused: string}} Facts
 * @typedef {{device: GPUDevice, facts: Facts}} Opened
 */

// Asked for where the adapter has them: a kernel never needs one.
const WANTED_FEATURES = ["timestamp-query"];

// What large tensors need. The defaults are 128 MiB a binding and 256 MiB a buffer.
/** @type {Record<string, number>} */
export const WANTED_LIMITS = {
  maxStorageBufferBindingSize: 2 ** 31,
  maxBufferSize: 2 ** 31,
};

// Asking for more than the adapter has is refused whole, so the wish is cut to what it offers.
/** @param {Record<string, number>} wanted @param {GPUSupportedLimits} offered */
function within(wanted, offered) {
  /** @type {Record<string, number>} */
  const limits = {};
  for (const [name, value] of Object.entries(wanted)) {
    const most = /** @type {any} */ (offered)[name];
    if (most !== undefined) limits[name] = Math.min(value, Number(most));
  }
  return limits;
}

/**
 * @param {GPU | undefined} webgpu
 * @param {{limits?: Record<string, number>, cut?: boolean}} [options] `limits`: what to ask for;
 *   `cut: false` asks for exactly these.
 * @returns {Promise<Opened>}
 */
export async function openDevice(webgpu, { limits = WANTED_LIMITS, cut = true } = {}) {
  if (!webgpu) throw new GpuError("no-webgpu", whyNoWebGPU());
  const adapter = await webgpu.requestAdapter({ powerPreference: "high-performance" }).catch(() => null);
  if (!adapter) throw new GpuError("no-adapter");
  const requiredFeatures = /** @type {GPUFeatureName[]} */ (WANTED_FEATURES.filter((name) => adapter.features.has(name)));
  const requiredLimits = cut ? within(limits, adapter.limits) : limits;
  let refused = "";
  const device = await adapter
    .requestDevice({ requiredFeatures, requiredLimits, label: "normscope" })
    .catch((error) => {
      refused = error.message;
      return adapter.requestDevice({ label: "normscope, default limits" });
    })
    .catch((error) => {
      throw new GpuError("no-device", error.message);
    });
  return { device, facts: factsOf(adapter, device, refused) };
}

/** Browsers hide WebGPU from pages that came over plain HTTP, which looks like not having it. */
function whyNoWebGPU() {
  return globalThis.isSecureContext === false ? "the page was not loaded over HTTPS, which WebGPU needs" : "";
}

/** @param {GPUAdapter} adapter @param {GPUDevice} device @param {string} refused @returns {Facts} */
function factsOf(adapter, device, refused) {
  const info = adapter.info ?? {};
  const fallback = info.isFallbackAdapter ?? /** @type {any} */ (adapter).isFallbackAdapter ?? false;
  const software = fallback || /swiftshader|llvmpipe|lavapipe|warp/i.test(`${info.architecture} ${info.description} ${info.device}`);
  return {
    vendor: info.vendor ?? "",
    architecture: info.architecture ?? "",
    description: info.description ?? "",
    software,
    features: [...device.features].map(String).sort(),
    limits: Object.fromEntries(REPORTED_LIMITS.map((name) => [name, Number(/** @type {any} */ (device.limits)[name])])),
    refused,
  };
}

const REPORTED_LIMITS = [
  "maxStorageBufferBindingSize",
  "maxBufferSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupStorageSize",
  "maxComputeWorkgroupsPerDimension",
  "maxStorageBuffersPerShaderStage",
];
