// What the page itself loads beside our modules: BokehJS, and the modules that draw Python's views.
import { absolute, manifest, nameOf } from "../manifest.js";
import { paintLightly } from "./painting.js";

/**
 * BokehJS and Panel's models: fetched side by side with everything else, run in order.
 * @param {(file: string, size: number) => void} arrived
 */
export async function loadScripts(arrived) {
  // Panel loads components through es-module-shims, which re-fetches and rewrites modules for old browsers.
  // Every browser that can run Pyodide 314 imports modules by itself, and ours need no import map.
  globalThis.importShim = Object.assign((/** @type {string} */ url) => import(url).then(inTaskOfItsOwn), { addImportMap() {} });
  await Promise.all([runAll(arrived), ...manifest.components.map((url) => import(absolute(url)))]);
  paintLightly();
}

/** The scripts in order; BokehJS comes first, and starts in parts. @param {(file: string, size: number) => void} arrived */
async function runAll(arrived) {
  const [bokeh, ...others] = manifest.scripts;
  others.forEach(fetchEarly);
  await run(bokeh, arrived);
  await startInParts(/** @type {any} */ (globalThis).BokehParts);
  for (const script of others) await run(script, arrived);
}

const PART = 10; // milliseconds of evaluating modules between two looks at what a person wants

/** Evaluate BokehJS's modules a few at a time. @param {{order: number[], require: (id: number) => void, finish: () => void}} parts */
async function startInParts(parts) {
  let began = performance.now();
  for (const id of parts.order) {
    parts.require(id);
    if (performance.now() - began < PART) continue;
    await inTaskOfItsOwn(null);
    began = performance.now();
  }
  parts.finish();
}

/** Ask for a script before it is to run. @param {import("../manifest.js").Part} part */
function fetchEarly({ url, integrity }) {
  const link = Object.assign(document.createElement("link"), { rel: "preload", as: "script", href: absolute(url), integrity });
  document.head.append(link);
}

/** What draws when it has come does so in a task of its own. @template T @param {T} value @returns {Promise<T>} */
function inTaskOfItsOwn(value) {
  return new Promise((resolve) => setTimeout(resolve, 0, value));
}

/** @param {import("../manifest.js").Part} part @param {(file: string, size: number) => void} arrived */
function run({ url, integrity, size }, arrived) {
  const file = nameOf(url);
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = absolute(url);
    script.integrity = integrity;
    script.async = false;
    script.onload = () => {
      arrived(file, size);
      resolve(null);
    };
    script.onerror = () => reject(new Error(`The file ${file} could not be loaded.`));
    document.head.append(script);
  });
}
