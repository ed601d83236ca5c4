// Pyodide under Node.js: the very interpreter that runs in the browser, for what the build needs done by it.
import path from "node:path";
import { pathToFileURL } from "node:url";

// Node.js would print the whole minified source that an error came from.
process.on("uncaughtException", (error) => {
  console.error(error.message ?? String(error));
  process.exit(1);
});

// The head of a lock file; no package is ever resolved, here as in the browser.
const LOCK = { info: { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.0" }, packages: {} };

/**
 * Start Python from a folder with Pyodide's own files.
 * @param {string} folder
 * @param {object} [options]  more options of loadPyodide
 */
export async function startPython(folder, options = {}) {
  const { loadPyodide } = await import(pathToFileURL(path.join(folder, "pyodide.mjs")).href);
  const indexURL = folder + path.sep;
  return loadPyodide({ indexURL, lockFileContents: LOCK, packageBaseUrl: indexURL, enableRunUntilComplete: false, ...options });
}

/** Make a folder of this machine a folder of Python's. @param {any} python @param {string} here @param {string} there */
export function mount(python, here, there) {
  python.FS.mkdirTree(there);
  python.FS.mount(python.FS.filesystems.NODEFS, { root: here }, there);
}
