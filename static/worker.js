// Python's side of the page: a module worker that brings Pyodide up and passes messages.
import { download, Damaged } from "./worker/download.js";
import { untar } from "./worker/archive.js";

/**
 * @typedef {{url: string, size: number, sha256: string, gzip: boolean}} Entry
 * @typedef {{runtime: string, app: string, files: Record<string, Entry>, fragment: string, theme: string}} Start
 */

const SITE = "/lib/python3.14/site-packages";
// The lock file's head; no package is ever resolved in the browser.
const LOCK = { info: { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.0" }, packages: {} };

/** @param {object} message @param {Transferable[]} [transfer] */
const post = (message, transfer = []) => /** @type {any} */ (self).postMessage(message, transfer);

/** @type {(message: MessageEvent) => void} */
let receive = () => {};
self.onmessage = (event) => {
  if (event.data.type === "start") start(event.data).catch(fail);
  else receive(event);
};

/** @param {unknown} error */
function fail(error) {
  const known = error instanceof Damaged;
  const text = error instanceof Error ? error.message : String(error);
  post({ type: "failed", what: known ? text : "Python could not start in this browser.", detail: known ? error.advice : lastLines(text) });
}

/** The last lines of a traceback, which say what happened. @param {string} text */
function lastLines(text) {
  return text.trim().split("\n").slice(-4).join("\n");
}

/** @param {string} step @param {number} [part] how much of the work it is, of 100 */
function stage(step, part = 0) {
  post({ type: "stage", step, part });
}

/** @param {Start} options */
async function start({ runtime, app, files, fragment, theme }) {
  if (typeof WebAssembly !== "object") {
    throw new Damaged("This browser has no WebAssembly, which Python needs.", "It may be switched off by a setting or by the operator of this device. Any current browser has it.");
  }
  stage("download");
  const got = Object.fromEntries(
    Object.entries(files).map(([name, entry]) => [name, download(entry, (bytes) => post({ type: "bytes", bytes }))]),
  );
  const broken = Promise.race(Object.values(got).map((file) => file.damaged));
  const python = await Promise.race([broken, boot(runtime, app, got)]);
  const page = await Promise.race([broken, open(python, fragment, theme)]);
  receive = (event) => page.receive(event.data.json, event.data.attachment);
}

/**
 * Pyodide from our own files. Its own fetches are answered from what is already on its way, so that
 * a missing, damaged or wrongly typed file is an error here and not a wait without end.
 * @param {string} runtime @param {string} app @param {Record<string, import("./worker/download.js").Download>} got
 */
async function boot(runtime, app, got) {
  const own = new Map([
    [new URL("pyodide.asm.wasm", runtime).href, () => new Response(got.wasm.stream(), { headers: { "Content-Type": "application/wasm" } })],
    [new URL("stdlib.zip", runtime).href, () => new Response(got.stdlib.stream())],
  ]);
  const fetched = self.fetch.bind(self);
  self.fetch = (request, init) => {
    const url = String(request instanceof Request ? request.url : request);
    return own.has(url) ? Promise.resolve(/** @type {() => Response} */ (own.get(url))()) : fetched(request, init);
  };
  const site = got.site.bytes();
  const modules = got.modules.bytes();
  const { loadPyodide } = await import(new URL("pyodide.mjs", runtime).href).catch((error) => {
    throw new Damaged("The file pyodide.mjs could not be loaded.", `It is missing, or the server gives .mjs files a wrong type: it must be text/javascript. (${error.message})`);
  });
  stage("python", 4);
  const python = await loadPyodide({
    indexURL: runtime,
    stdLibURL: new URL("stdlib.zip", runtime).href,
    lockFileContents: LOCK,
    packageBaseUrl: runtime,
    enableRunUntilComplete: false,
    env: { PANEL_CDN_ROOT: new URL("panel/", runtime).href, NORMSCOPE_ASSETS: app, PYTHONDONTWRITEBYTECODE: "1" },
    fsInit: async (/** @type {any} */ FS) => {
      stage("unpack", 6);
      for (const bytes of [await site, await modules]) untar(bytes, FS, SITE);
      stage("python", 14);
    },
  });
  const steps = python.pyimport("app.boot");
  for (const [step, part] of /** @type {[string, number][]} */ ([["numpy", 10], ["bokeh", 22], ["panel", 26]])) {
    stage(step, part);
    await breathe();
    steps.run(step);
  }
  steps.destroy();
  return python;
}

/** Let messages out between two long pieces of work. */
function breathe() {
  return new Promise((resolve) => setTimeout(resolve));
}

/** @param {any} python @param {string} fragment @param {string} theme */
async function open(python, fragment, theme) {
  stage("scene", 14);
  await breathe();
  const send = (/** @type {string} */ json, /** @type {any} */ buffers) => {
    /** @type {[string, ArrayBuffer][]} */
    const arrays = [];
    for (const [id, bytes] of buffers) {
      const view = bytes.getBuffer();
      arrays.push([id, view.data.slice().buffer]);
      view.release();
    }
    post({ type: "message", json, arrays }, arrays.map(([, buffer]) => buffer));
  };
  const main = python.pyimport("app.main");
  return main.start(send, fragment, theme);
}
