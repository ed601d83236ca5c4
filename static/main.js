// The page: starts Python's worker and BokehJS side by side, then connects the two.
import { Documents } from "./page/documents.js";
import { Progress } from "./page/progress.js";
import { fail, notice } from "./page/messages.js";
import { History } from "./page/history.js";
import { setUpFiles } from "./page/files.js";
import { createApi } from "./page/api.js";
import { setUpTheme } from "./page/theme.js";
import { setUpScenes, showScene } from "./page/scenes.js";

/**
 * @typedef {{url: string, size: number, sha256: string, gzip: boolean}} Entry
 * @typedef {{runtime: string, app: string, scripts: {url: string, integrity: string, size: number}[], files: Record<string, Entry>}} Manifest
 */

const absolute = (/** @type {string} */ url) => new URL(url, document.baseURI).href;
/** @type {Manifest} */
const manifest = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("manifest")).textContent ?? "");
manifest.runtime = absolute(manifest.runtime);
manifest.app = absolute(manifest.app);
for (const entry of Object.values(manifest.files)) entry.url = absolute(entry.url);

const timings = { shell: 0, picture: 0, interactive: 0 };
requestAnimationFrame(() => setTimeout(() => (timings.shell = Math.round(performance.now()))));

const progress = new Progress(
  Object.values(manifest.files).reduce((sum, entry) => sum + entry.size, 0) +
    manifest.scripts.reduce((sum, script) => sum + script.size, 0),
);

// Panel loads components through es-module-shims, which re-fetches and rewrites modules for old browsers.
// Every browser that can run Pyodide 314 imports modules by itself, and ours need no import map.
globalThis.importShim = Object.assign((/** @type {string} */ url) => import(url), { addImportMap() {} });

const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module", name: "python" });
/** @param {object} message @param {unknown} [attachment] */
const send = (message, attachment) => worker.postMessage({ json: JSON.stringify(message), attachment }, attachment instanceof ArrayBuffer ? [attachment] : []);
const bokeh = loadScripts();
const documents = new Documents(send);
setUpTheme((theme) => send({ type: "theme", theme }));
setUpFiles(send);
setUpScenes((scene) => send({ type: "scene", scene }));
const history = new History((fragment) => send({ type: "open", fragment }));
history.setUpUndo();
const { api, answered, becameReady } = createApi(send, timings);
globalThis.normscope = api;

worker.onerror = (event) => {
  event.preventDefault?.();
  fail("Python’s worker could not be loaded.", event.message ?? "The file worker.js is missing, or the server gives it a wrong type: it must be text/javascript.");
};
worker.onmessage = (event) => {
  const message = event.data;
  if (message.type === "message") handle(JSON.parse(message.json), new Map(message.arrays)).catch((error) => fail("The page could not show this scene.", String(error?.stack ?? error)));
  else if (message.type === "bytes") progress.bytes(message.bytes);
  else if (message.type === "stage") progress.stage(message.step, message.part);
  else if (message.type === "failed") fail(message.what, message.detail);
};
worker.postMessage({ type: "start", runtime: manifest.runtime, app: manifest.app, files: manifest.files, fragment: history.fragment, theme: document.documentElement.dataset.theme });

/** Messages are handled one after the other, also where one has to wait for BokehJS. */
let turn = Promise.resolve();
/** @param {any} message @param {Map<string, ArrayBuffer>} arrays */
function handle(message, arrays) {
  const wait = message.type === "document" || message.type === "patch" || message.type === "scene" || message.type === "started";
  if (!wait) {
    handlers[message.type](message, arrays);
    return Promise.resolve();
  }
  turn = turn.then(() => handlers[message.type](message, arrays));
  return turn;
}

/** @type {Record<string, (message: any, arrays: Map<string, ArrayBuffer>) => any>} */
const handlers = {
  async document(message) {
    await bokeh;
    await documents.add(message.scene, message.document);
    showScene(message.scene);
  },
  scene: (message) => showScene(message.scene),
  patch: (message, arrays) => documents.patch(message.scene, message.patch, arrays),
  idle(message) {
    documents.idle();
    showRun(message);
  },
  link: (message) => history.write(message.fragment, message.deliberate),
  answer: (message) => turn.then(() => answered(message)),
  notice: (message) => notice(message.text),
  trouble(message) {
    console.error(message.trace);
    notice(`Something went wrong: ${message.reason}`);
  },
  async started(message) {
    timings.picture = Math.round(performance.now());
    progress.done();
    document.getElementById("ghost")?.remove();
    showRun(message);
    if (message.problems.length) notice(`This link could not be read in full. ${message.problems.join(" ")}`);
    await new Promise((resolve) => requestAnimationFrame(resolve));
    timings.interactive = Math.round(performance.now());
    becameReady();
  },
};

/** The chip says which backend computed last, and how long that took. @param {{backend?: string, compute_ms?: number}} run */
function showRun(run) {
  if (!run.backend) return;
  const chip = /** @type {HTMLElement} */ (document.getElementById("chip"));
  chip.dataset.live = "";
  /** @type {HTMLElement} */ (chip.lastElementChild).textContent = `${run.backend} · ${(run.compute_ms ?? 0).toFixed(1)} ms`;
}

/** BokehJS and Panel's models, in order, fetched side by side with everything else. */
async function loadScripts() {
  await Promise.all(
    manifest.scripts.map(
      ({ url, integrity, size }) =>
        new Promise((resolve, reject) => {
          const script = document.createElement("script");
          script.src = absolute(url);
          script.integrity = integrity;
          script.async = false;
          script.onload = () => {
            progress.bytes(size);
            resolve(null);
          };
          script.onerror = () => {
            fail(`The file ${url.split("/").pop()} could not be loaded.`, "It is missing or damaged. If you publish this site: copy the whole dist folder.");
            reject(new Error(url));
          };
          document.head.append(script);
        }),
    ),
  );
}
bokeh.catch(() => {});

document.getElementById("share")?.addEventListener("click", async () => {
  const link = api.link();
  try {
    await navigator.clipboard.writeText(link);
    notice("The link to this exact state is on the clipboard.");
  } catch {
    notice(link);
  }
});
