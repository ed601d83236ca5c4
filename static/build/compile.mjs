// Compiles Python sources to .pyc with the very interpreter that will run them: Pyodide under Node.js.
// usage: node compile.mjs <folder with pyodide> <jobs.json>
// jobs: [{root, shown, optimize, beside}], every .py below root, which will lie in `shown` when it runs.
// `beside: false` puts name.pyc where name.py was and removes the source; `beside: true` keeps the source
// and writes __pycache__ next to it.
import { readFileSync } from "node:fs";
import { mount, startPython } from "./python.mjs";

const [pyodideFolder, jobsFile] = process.argv.slice(2);
const python = await startPython(pyodideFolder);

const jobs = JSON.parse(readFileSync(jobsFile, "utf8"));
jobs.forEach((job, index) => {
  job.mount = `/mnt/job${index}`;
  mount(python, job.root, job.mount);
});
python.globals.set("jobs_json", JSON.stringify(jobs));
const failed = python.runPython(`
import json, os, pathlib, py_compile

failed = []
for job in json.loads(jobs_json):
    root = pathlib.Path(job["mount"])
    for source in sorted(root.rglob("*.py")):
        name = str(source.relative_to(root))
        if job["beside"]:
            target = source.parent / "__pycache__" / f"{source.stem}.cpython-314.pyc"
            target.parent.mkdir(exist_ok=True)
        else:
            target = source.with_suffix(".pyc")
        try:
            py_compile.compile(
                str(source), str(target), dfile=f"{job['shown']}/{name}", doraise=True,
                optimize=job["optimize"], invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            )
        except py_compile.PyCompileError as error:
            failed.append(f"{name}: {error.msg}")
            continue
        if not job["beside"]:
            source.unlink()
"\\n".join(failed)
`);
if (failed) {
  console.error(failed);
  process.exit(1);
}
