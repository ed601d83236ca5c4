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
  globalThis.importShim = Object.assign((/** @type {string} */ url) => import(url), { addImportMap() {} });
  await Promise.all([...manifest.scripts.map((script) => run(script, arrived)), ...manifest.components.map((url) => import(absolute(url)))]);
  paintLightly();
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
