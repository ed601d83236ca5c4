// Runs measure.py in Pyodide under Node.js and prints what it returns, as JSON.
// usage: node run.mjs <folder with pyodide> <numpy wheel> <top of the checkout> <rounds>
import { readFileSync } from "node:fs";
import { mount, startPython } from "../../../static/build/python.mjs";

const [pyodide, wheel, top, rounds] = process.argv.slice(2);
const python = await startPython(pyodide);
const archive = new Uint8Array(readFileSync(wheel));
python.unpackArchive(archive, "zip", { extractDir: "/lib/python3.14/site-packages" });
mount(python, top, "/checkout");
python.runPython(`
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, "/checkout")
`);
console.log(python.pyimport("tests.bench.kernels.measure").as_json(Number(rounds)));
process.exit(0);
