// The benchmark's page under Node.js, with Dawn as its WebGPU. Reads calls of `bench` from stdin, a
// line of JSON each, and answers each with a line.
// usage: node run.mjs <folder of the npm package webgpu> <address of the page's main.js>
import { register } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [dawn, main] = process.argv.slice(2);
const { create, globals } = await import(`${pathToFileURL(dawn)}/index.js`);
Object.assign(globalThis, globals);
const gpu = create(["enable-dawn-features=allow_unsafe_apis"]);
Object.defineProperty(globalThis, "navigator", { value: { gpu, userAgent: "Node.js" }, configurable: true });
globalThis.self ??= globalThis;

// Libraries print; stdout is for answers.
for (const name of ["log", "info", "debug"]) console[name] = console.error;

register("./modules.mjs", import.meta.url);
await import(main);

// JSON has no NaN and no infinity: they cross as strings.
const inJson = (_, value) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value);

for await (const line of createInterface({ input: process.stdin })) {
  const { name, given } = JSON.parse(line);
  const answer = await Promise.resolve()
    .then(() => globalThis.bench[name](...given))
    .then(
      (value) => ({ value }),
      (error) => ({ error: String(error?.stack ?? error) }),
    );
  process.stdout.write(`${JSON.stringify(answer, inJson)}\n`);
}
process.exit(0);
