// The page: starts Python's worker and BokehJS side by side, then connects the two.
import { absolute, manifest, nameOf } from "./manifest.js";
import { Documents } from "./page/documents.js";
import { Progress } from "./page/progress.js";
import { fail, notice } from "./page/messages.js";
import { History } from "./page/history.js";
import { nextFrame } from "./page/frame.js";
import { setUpFiles } from "./page/files.js";
import { createApi } from "./page/api.js";
import { loadScripts } from "./page/scripts.js";
import { picture } from "./page/picture.js";
import { setUpShare } from "./page/share.js";
import { setUpTheme } from "./page/theme.js";
import { Backend } from "./page/backend.js";
import { setUpScenes, setUpSkip, showScene } from "./page/scenes.js";

const timings = { shell: 0, picture: 0, interactive: 0 };
const now = () => Math.round(performance.now());
requestAnimationFrame(() => setTimeout(() => (timings.shell = now())));

const files = Object.fromEntries(Object.entries(manifest.files).map(([name, entry]) => [name, { ...entry, url: absolute(entry.url) }]));
const progress = new Progress(
  [...Object.values(files), ...manifest.scripts].reduce((sum, { size }) => sum + size, 0),
  ["worker.js", ...manifest.scripts.map(({ url }) => nameOf(url))],
);

const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module", name: "python" });
/** @param {object} message @param {unknown} [attachment] */
const send = (message, attachment) => {
  documents.sent();
  backend.busy();
  worker.postMessage({ json: JSON.stringify(message), attachment }, attachment instanceof ArrayBuffer ? [attachment] : []);
};
const documents = new Documents(send);
/** What a script or the shell asks for comes after what the person has done before. @param {object} message @param {unknown} [attachment] */
const ask = (message, attachment) => {
  documents.flush();
  send(message, attachment);
};
const backend = new Backend(ask, (mode) => api.set({ backend: mode }));
const bokeh = loadScripts((file, size) => progress.arrived(file, size));
setUpTheme((theme) => ask({ type: "theme", theme }));
setUpFiles(ask);
setUpSkip();
setUpScenes((scene) => ask({ type: "scene", scene }));
const history = new History((fragment) => ask({ type: "open", fragment }));
history.setUpUndo();
const { api, answered, becameReady } = createApi(ask, () => history.link, timings);
globalThis.normscope = api;
setUpShare(api.link);

worker.onerror = (/** @type {ErrorEvent} */ event) => {
  event.preventDefault?.();
  stop(timings.interactive ? "Python stopped working." : "Python’s worker could not be loaded.", event.message);
};
worker.onmessage = (/** @type {MessageEvent} */ { data }) => {
  progress.alive();
  if (data.type === "message") handle(JSON.parse(data.json), new Map(data.arrays)).catch(broken);
  else if (data.type === "bytes") progress.bytes(data.bytes);
  else if (data.type === "stage") progress.stage(data.step, data.part);
  else {
    worker.terminate();
    if (data.type === "trouble") normscopeTrouble(data.trouble);
    else fail(data.what, data.advice);
  }
};
const theme = document.documentElement.dataset.theme ?? "light";
worker.postMessage({ type: "start", runtime: absolute(manifest.runtime), app: absolute(manifest.app), files, quietSeconds: manifest.quiet_seconds, fragment: history.fragment, theme });

/** A message could not be shown: at the start that is the end, later it is one view that is behind. @param {any} error */
function broken(error) {
  if (!timings.interactive) return stop("The page could not show this scene.", String(error?.stack ?? error));
  console.error(error);
  notice(`Something could not be drawn: ${error?.message ?? error}`);
}

/** It cannot go on: the file that is to blame is named, or else what is given. @param {string} what @param {string} [advice] */
function stop(what, advice) {
  worker.terminate();
  normscopeExplain(what, advice);
}

/** Messages are handled one after the other, also where one has to wait for BokehJS. */
let turn = bokeh.then(showPicture, (error) => stop(error.message));
/** @param {any} message @param {Map<string, ArrayBuffer>} arrays */
function handle(message, arrays) {
  const wait = ["document", "changes", "scene", "started", "answer"].includes(message.type);
  if (!wait) return Promise.resolve(handlers[message.type](message, arrays));
  const handled = turn.then(() => handlers[message.type](message, arrays));
  turn = handled.catch(() => {});
  return handled;
}

/** The first numbers, as soon as they can be drawn. */
async function showPicture() {
  const made = await picture(history.fragment, theme);
  if (made) await show(made);
}

/** @param {{scene: string, document: any}} message */
async function show(message) {
  await documents.add(message.scene, message.document);
  document.getElementById("ghost")?.remove();
  showScene(message.scene);
  backend.scene(message.scene);
  timings.picture ||= now();
}

/** @type {Record<string, (message: any, arrays: Map<string, ArrayBuffer>) => any>} */
const handlers = {
  document: show,
  scene(message) {
    showScene(message.scene);
    backend.scene(message.scene);
  },
  changes: (message, arrays) => documents.apply(message, arrays),
  idle(message) {
    documents.idle();
    backend.ran(message);
  },
  ran: (message) => backend.ran(message),
  graphics: (message) => backend.report(message),
  problems({ problems }) {
    if (problems.length) notice(`This link could not be read in full. ${problems.join(" ")}`);
  },
  link: (message) => history.write(message.fragment, message.deliberate),
  answer: (message) => answered(message),
  notice: (message) => notice(message.text),
  trouble(message) {
    console.error(message.trace);
    notice(`Something went wrong: ${message.reason}`);
  },
  async started(message) {
    progress.done();
    backend.ran(message);
    handlers.problems(message, new Map());
    documents.idle();
    await nextFrame();
    timings.interactive = now();
    becameReady();
    backend.atRest();
    // A stylesheet that is missing stops nothing, but a person should know why the page looks bare.
    const trouble = await normscopeCheck();
    if (trouble) notice(normscopeWords(trouble).join(" "));
  },
};
