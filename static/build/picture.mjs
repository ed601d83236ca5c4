// Builds the first scene's document as the browser's Python will, so that the page can show it before Python is up.
// usage: node picture.mjs <folder with pyodide> <stdlib.zip> <packages> <our modules> <folder for pictures>
// Addresses of the site stand in the documents as {{runtime}} and {{app}}.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { mount, startPython } from "./python.mjs";

const [core, library, packages, modules, out] = process.argv.slice(2);
const SITE = "/lib/python3.14/site-packages";
const OWN = "/lib/own";
globalThis.XMLHttpRequest ??= class {}; // Panel looks whether it is in a browser's worker

const python = await startPython(core, {
  stdLibURL: library,
  env: { PANEL_CDN_ROOT: "{{runtime}}panel/", NORMSCOPE_ASSETS: "{{app}}", PYTHONDONTWRITEBYTECODE: "1", PYTHONHASHSEED: "0", PYTHONPATH: OWN },
});
mount(python, packages, SITE);
mount(python, modules, OWN);
python.runPython("import importlib; importlib.invalidate_caches()");
const steps = python.pyimport("app.boot");
for (const step of ["numpy", "bokeh", "panel"]) steps.run(step);

/** @type {any[]} */
const messages = [];
const page = python.pyimport("app.main").start((/** @type {string} */ json) => messages.push(JSON.parse(json)), "", "light");
const { scene } = messages.find((message) => message.type === "document");
const asJson = python.runPython("import json; lambda document: json.dumps(document.to_json(deferred=False))");
for (const theme of ["light", "dark"]) {
  page.receive(JSON.stringify({ type: "theme", theme }));
  const document = JSON.parse(asJson(page.documents.get(scene)));
  writeFileSync(path.join(out, `picture-${theme}.json`), JSON.stringify({ scene, document }));
}
