"""Faults inside Python's worker, whose navigator and devices are not those of the page."""

from __future__ import annotations

from tests.browser.hosting import Fault

NO_WEBGPU = "Object.defineProperty(WorkerNavigator.prototype, 'gpu', { value: undefined });"

NO_ADAPTER = "GPU.prototype.requestAdapter = async () => null;"

# The largest tensor has 1024 float32 values.
SMALL_DEVICE = """
const limit = "maxStorageBufferBindingSize";
Object.defineProperty(GPUSupportedLimits.prototype, limit, { get: () => 4096 });
"""

# Every device can be lost by a message on a channel, as a driver would take it away.
LOSABLE = """
const request = GPUAdapter.prototype.requestDevice;
GPUAdapter.prototype.requestDevice = async function (...given) {
  const device = await request.apply(this, given);
  new BroadcastChannel("lose").onmessage = () => device.destroy();
  return device;
};
"""

# Each second value read back is wrong, as on a device whose compiler errs.
WRONG_NUMBERS = """
const mapped = GPUBuffer.prototype.getMappedRange;
GPUBuffer.prototype.getMappedRange = function (...given) {
  const range = mapped.apply(this, given);
  new Float32Array(range).forEach((value, at, all) => { if (at % 2) all[at] = value + 1; });
  return range;
};
"""


def in_worker(code: str) -> Fault:
    """The worker's file with code before its own."""
    return Fault(change=lambda script: f"{code.strip()}\n".encode() + script)
