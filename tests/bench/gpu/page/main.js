// The benchmark's page: opens the subjects of one run and measures case by case.
import { casesOf } from "./cases.js";
import { copySubject } from "./copy.js";
import { openJax } from "./jax.js";
import { countDispatches, measure } from "./measure.js";
import { openOrt } from "./ort.js";
import { openOurs } from "./ours.js";
import { openTfjs } from "./tfjs.js";

/** @typedef {import("./measure.js").Subject} Subject */

/** @param {string} path */
const addressOf = (path) => new URL(path, import.meta.url).href;

/** A classic script, in a page and under Node.js alike. @param {string} path */
async function loadScript(path) {
  const text = await (await fetch(addressOf(path))).text();
  (0, eval)(text); // in the global scope, as a script element would
}

/** @param {string} file */
const readModel = async (file) => (await fetch(addressOf(`/models/${file}`))).arrayBuffer();

const ORT = addressOf("/peers/onnxruntime-web/dist/");

/** @type {Record<string, () => Promise<Subject>>} */
const OPENERS = {
  "ort-native": async () => openOrt(await import(`${ORT}ort.webgpu.bundle.min.mjs`), "ort-native", ORT, readModel),
  "ort-jsep": async () => openOrt(await import(`${ORT}ort.bundle.min.mjs`), "ort-jsep", ORT, readModel),
  tfjs: async () => {
    await loadScript("/peers/@tensorflow/tfjs/dist/tf.min.js");
    await loadScript("/peers/@tensorflow/tfjs-backend-webgpu/dist/tf-backend-webgpu.min.js");
    return openTfjs(/** @type {any} */ (globalThis).tf);
  },
  "jax-js": async () => openJax(await import(/** @type {any} */ ("/peers/@jax-js/jax/dist/index.js"))),
};

/** @type {Subject[]} */
let subjects = [];

globalThis.bench = {
  /** @param {string[]} names @param {object} options */
  async open(names, options) {
    countDispatches(globalThis);
    const { gpu, subject } = await openOurs(options);
    subjects = [subject, copySubject(gpu)];
    const failures = [];
    for (const name of names) {
      try {
        subjects.push(await OPENERS[name]());
      } catch (error) {
        failures.push(`${name}: ${/** @type {any} */ (error)?.message ?? error}`);
      }
    }
    return { facts: gpu.facts, versions: subjects.map(({ name, version }) => `${name} ${version}`), failures };
  },
  cases: casesOf,
  /** @param {import("./cases.js").Case} what @param {number} rounds */
  run: (what, rounds) => measure(subjects, what, rounds),
};
