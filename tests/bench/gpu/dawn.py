"""The benchmark's page under Node.js with Dawn: for machines without a browser."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from static.build import tools
from static.build.errors import BuildError
from tests.bench.gpu.browser import Call, installed_chromium
from tests.bench.gpu.peers import DAWN, fetch_packages

# SwiftShader comes with Chromium: a Vulkan driver that runs on the CPU, and the loader for it.
SOFTWARE_DRIVER = "vk_swiftshader_icd.json"
CHROMIUM_FOLDERS = ("/usr/lib/chromium", "/usr/lib/chromium-browser", "/opt/google/chrome")


@contextlib.contextmanager
def opened(address: str, *, software: bool) -> Iterator[tuple[str, Call]]:
    """What runs the page, and calls into it."""
    package = fetch_packages([DAWN], print) / DAWN[0]
    script = Path(__file__).with_name("node") / "run.mjs"
    main = f"{address}/bench/main.js"
    with subprocess.Popen(
        [*tools.node(), str(script), str(package), main],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **(software_driver() if software else {})},
    ) as process:
        try:
            yield f"Dawn {DAWN[1]} under Node.js", caller(process)
        finally:
            if process.stdin:
                process.stdin.close()  # it ends when there is nothing to read


def caller(process: subprocess.Popen[str]) -> Call:
    """Calls of the page's functions by name, over the process's stdin and stdout."""
    stdin, stdout = process.stdin, process.stdout
    if stdin is None or stdout is None:
        raise BuildError("Node.js was started without pipes")

    def call(name: str, *given: Any) -> Any:
        stdin.write(json.dumps({"name": name, "given": given}) + "\n")
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise BuildError("Node.js ended in the middle of the benchmark; its message is above")
        answer = json.loads(line)
        if "error" in answer:
            raise BuildError(answer["error"])
        return answer["value"]

    return call


def software_driver() -> dict[str, str]:
    """The environment that makes Vulkan use SwiftShader."""
    named = os.environ.get("NORMSCOPE_SWIFTSHADER")  # the folder of the driver
    chromium = installed_chromium()
    beside = [str(chromium.resolve().parent)] if chromium else []
    for folder in map(Path, [*([named] if named else []), *beside, *CHROMIUM_FOLDERS]):
        if (folder / SOFTWARE_DRIVER).is_file():
            loader = os.environ.get("LD_LIBRARY_PATH", "")
            return {
                "VK_ICD_FILENAMES": str(folder / SOFTWARE_DRIVER),
                "LD_LIBRARY_PATH": f"{folder}:{loader}" if loader else str(folder),
            }
    raise BuildError(
        f"The software adapter needs {SOFTWARE_DRIVER}, which comes with Chromium, and none was "
        "found. Name its folder in NORMSCOPE_SWIFTSHADER, or measure the machine's own GPU with "
        "--real-gpu."
    )
