// Python in a worker as on the site, with the GPU glue beside it: the tests send code and get JSON.
import * as gpu from "/static/gpu/gpu.js";

const SITE = "/lib/python3.14/site-packages";

/** @param {string} name */
const bytesOf = async (name) => (await fetch(`/runtime/${name}`)).arrayBuffer();

async function boot() {
  const { loadPyodide } = await import(/** @type {any} */ ("/runtime/pyodide.mjs"));
  const python = await loadPyodide({
    indexURL: new URL("/runtime/", self.location.href).href,
    stdLibURL: new URL("/runtime/stdlib.zip", self.location.href).href,
    lockFileContents: { info: { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.0" }, packages: {} },
    enableRunUntilComplete: false,
  });
  for (const archive of ["site.tar.gz", "modules.tar.gz"]) python.unpackArchive(await bytesOf(archive), "gztar", { extractDir: SITE });
  python.registerJsModule("normscope_gpu", gpu);
  return python;
}

const booting = boot();

self.onmessage = async ({ data: { number, code } }) => {
  try {
    const python = await booting;
    self.postMessage({ number, value: await python.runPythonAsync(code) });
  } catch (error) {
    self.postMessage({ number, error: String(/** @type {any} */ (error)?.message ?? error) });
  }
};
