// Python's side of the page: a module worker that brings Pyodide up and passes messages.
import { download, Broken } from "./worker/download.js";
import { untar } from "./worker/archive.js";

/**
 * @typedef {object} Start
 * @property {string} runtime  address of the folder with Panel's stylesheets
 * @property {string} app  address of the folder with our own files
 * @property {Record<string, import("./manifest.js").Entry>} files
 * @property {number} quietSeconds
 * @property {string} fragment
 * @property {string} theme
 *
 * @typedef {Record<string, import("./worker/download.js").Download>} Downloads
 */

const SITE = "/lib/python3.14/site-packages";
// Where Pyodide believes its own files to be. Nothing is ever asked of this address: see `answerFetches`.
const NOWHERE = new URL("pyodide/", self.location.href).href;
// The lock file's head; no package is ever resolved in the browser.
const LOCK = { info: { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.0" }, packages: {} };

/** @param {object} message @param {Transferable[]} [transfer] */
const post = (message, transfer = []) => /** @type {any} */ (self).postMessage(message, transfer);

/** Messages that came before Python was up. @type {MessageEvent[]} */
const early = [];
/** @type {(message: MessageEvent) => void} */
let receive = (event) => void early.push(event);
self.onmessage = (event) => {
  if (event.data.type === "start") start(event.data).catch(fail);
  else receive(event);
};

/** @param {unknown} error */
function fail(error) {
  if (error instanceof Broken) post({ type: "trouble", trouble: error.trouble });
  else post({ type: "failed", what: "Python could not start in this browser.", advice: lastLines(error instanceof Error ? error.message : String(error)) });
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
async function start({ runtime, app, files, quietSeconds, fragment, theme }) {
  if (typeof WebAssembly !== "object") {
    post({ type: "failed", what: "This browser has no WebAssembly, which Python needs.", advice: "It may be switched off by a setting or by the operator of this device. Any current browser has it." });
    return;
  }
  stage("download");
  const got = Object.fromEntries(
    Object.entries(files).map(([name, entry]) => [name, download(entry, quietSeconds, (bytes) => post({ type: "bytes", bytes }))]),
  );
  const broken = Promise.race(Object.values(got).map((file) => file.damaged));
  const python = await Promise.race([broken, boot(runtime, app, got)]);
  const page = await Promise.race([broken, open(python, fragment, theme)]);
  receive = (event) => page.receive(event.data.json, event.data.attachment);
  early.splice(0).forEach(receive);
}

/**
 * Pyodide's own fetches are answered from what is already on its way, so that a missing, damaged or wrongly
 * typed file is an error here and not a wait without end.
 * @param {Downloads} got
 */
function answerFetches(got) {
  const own = new Map([
    [`${NOWHERE}pyodide.asm.wasm`, () => new Response(got.wasm.stream(), { headers: { "Content-Type": "application/wasm" } })],
    [`${NOWHERE}stdlib.zip`, () => new Response(got.stdlib.stream())],
  ]);
  const fetched = self.fetch.bind(self);
  self.fetch = (request, init) => {
    const answer = own.get(String(request instanceof Request ? request.url : request));
    return answer ? Promise.resolve(answer()) : fetched(request, init);
  };
}

/** A module from checked bytes, whatever type its host would give it. @param {import("./worker/download.js").Download} file */
async function moduleOf(file) {
  const url = URL.createObjectURL(new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (await file.bytes())], { type: "text/javascript" }));
  try {
    return await import(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * Pyodide from our own files, then the imports, each a step that the progress bar names.
 * @param {string} runtime @param {string} app @param {Downloads} got
 */
async function boot(runtime, app, got) {
  answerFetches(got);
  const archives = Promise.all([got.site.bytes(), got.modules.bytes()]);
  archives.catch(() => {}); // told by `damaged` when it happens, which may be before anybody waits here
  const [{ loadPyodide }, engine] = await Promise.all([moduleOf(got.loader), moduleOf(got.engine)]);
  stage("python", 4);
  const python = await loadPyodide({
    indexURL: NOWHERE,
    createPyodideModule: engine.default,
    stdLibURL: `${NOWHERE}stdlib.zip`,
    lockFileContents: LOCK,
    packageBaseUrl: NOWHERE,
    enableRunUntilComplete: false,
    // The hash seed fixes the order in sets, so that documents are the very ones made at build time.
    env: { PANEL_CDN_ROOT: `${runtime}panel/`, NORMSCOPE_ASSETS: app, PYTHONDONTWRITEBYTECODE: "1", PYTHONHASHSEED: "0" },
    fsInit: async (/** @type {any} */ FS) => {
      stage("unpack", 6);
      for (const bytes of await archives) untar(bytes, FS, SITE);
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
  python.registerJsModule("normscope_gpu", {
    createGpu: async (/** @type {any} */ options) => (await import("./gpu/gpu.js")).createGpu(options),
  });
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
