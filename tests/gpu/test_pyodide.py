"""The whole way as in the page: Python in a worker, NumPy's memory, the glue, the device."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from static.build import runtime
from static.build.paths import ROOT
from tests.gpu.chromium import served
from tests.gpu.conftest import FOLDERS

Python = Callable[[str], Any]


@pytest.fixture(scope="module")
def python_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pyodide and the packages as the site has them, and our kernels as they are now."""
    made = runtime.make(print)
    folder = tmp_path_factory.mktemp("runtime")
    for file in (*made.core.iterdir(), made.library, made.out / "site.tar.gz"):
        (folder / file.name).symlink_to(file)
    with tarfile.open(folder / "modules.tar.gz", "w:gz", compresslevel=1) as archive:
        archive.add(ROOT / "kernels", "kernels", filter=without_bytecode)
    return folder


def without_bytecode(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Every file but what CPython compiled."""
    return None if "__pycache__" in entry.name else entry


@pytest.fixture(scope="module")
def python(chromium: Browser, python_folder: Path) -> Iterator[Python]:
    """Run code in the worker's Python; what its last line gives comes back as JSON."""
    with served({**FOLDERS, "runtime": python_folder}, {}) as address:
        page = chromium.new_page()
        page.set_default_timeout(120_000)
        page.goto(f"{address}/tests/python.html")
        yield lambda code: answer(page, code)
        page.close()


def answer(page: Page, code: str) -> Any:
    """The last expression's value, which must be plain."""
    body = "\n".join(f"    {line}" for line in code.strip().splitlines())
    wrapped = (
        "import json\nimport numpy as np\nimport kernels\nfrom kernels import webgpu\n"
        f"async def _answer():\n{body}\njson.dumps(await _answer())"
    )
    return json.loads(page.evaluate("(code) => python(code)", wrapped))


def test_the_page_finds_the_device_and_its_shaders(python: Python) -> None:
    status = python(
        """
notices = []
available = await webgpu.start(notices.append)
return {"available": available, "notices": notices, "status": webgpu.status()}
"""
    )
    assert status["available"] is True
    assert [notice["key"] for notice in status["notices"]] == ["software-adapter"]
    assert status["status"]["adapter"]["limits"]["maxBufferSize"] >= 2**28


def test_the_self_test_passes(python: Python) -> None:
    report = python(
        """
report = await webgpu.self_test()
return report.as_json()
"""
    )
    assert report["passed"] is True
    assert 0 < report["largest_difference"] < 4e-6
    assert all(
        timing["numpy"] > 0 and timing["webgpu"] > 0
        for timings in report["timings"].values()
        for timing in timings
    )


def test_every_kernel_answers_as_numpy_does(python: Python) -> None:
    differences = python(
        """
from kernels.webgpu.trial import difference
x = np.random.default_rng(0).standard_normal((6, 4, 10)).astype(np.float32) + 3
gain = np.linspace(-1, 1, 10, dtype=np.float32)
running = np.zeros(4, np.float32), np.ones(4, np.float32)
calls = {
    "layer_norm": ((x, 10, gain, gain), {}),
    "rms_norm": ((x, 10, gain), {}),
    "normalize": ((x, (0, 2)), {}),
    "group_norm": ((x, 2), {}),
    "batch_norm": ((x, *running), {"training": True}),
    "softmax": ((x, 1), {"temperature": 0.5}),
    "attention_scores": ((x, x), {"soft_cap": 5.0}),
    "layer_norm_backward": ((x[::-1], x, 10, gain), {}),
    "moments": ((x, None), {}),
    "sum_exp": ((x, -1), {}),
}
differences = {}
for name, (args, kwargs) in calls.items():
    got = await webgpu.run(name, *args, backend="webgpu", **kwargs)
    last = webgpu.status()["last"]
    right = webgpu.KERNELS[name].numpy(*args, **kwargs)
    differences[name] = [last["backend"], difference(got, right)]
return differences
"""
    )
    assert len(differences) == 10
    for name, (backend, off) in differences.items():
        assert backend == "webgpu", name
        assert off < 4e-6, name


def test_views_of_memory_that_grew_are_not_used(python: Python) -> None:
    # A view of WebAssembly's memory is dead after it grows: each upload must take a new one.
    off = python(
        """
off = []
kept = []
for power in range(10, 25, 2):
    kept.append(np.ones(1 << power, np.float32))
    x = np.random.default_rng(power).standard_normal((1 << (power - 8), 256), dtype=np.float32)
    got = await webgpu.layer_norm(x, 256, backend="webgpu")
    assert webgpu.status()["last"]["backend"] == "webgpu"
    off.append(float(np.abs(got.output - kernels.layer_norm(x, 256).output).max()))
return off
"""
    )
    assert max(off) < 2e-6


def test_inputs_that_are_no_plain_arrays(python: Python) -> None:
    off = python(
        """
base = np.random.default_rng(1).standard_normal((8, 12)).astype(np.float32)
locked = base.copy()
locked.flags.writeable = False
off = []
for x in (base.T, base[::2, ::-1], np.asfortranarray(base), locked, base[:, :1]):
    got = await webgpu.normalize(x, -1, backend="webgpu")
    assert webgpu.status()["last"]["backend"] == "webgpu"
    off.append(float(np.abs(got.output - kernels.normalize(x, -1).output).max()))
return off
"""
    )
    assert max(off) < 2e-6


def test_data_stays_on_the_device_between_steps(python: Python) -> None:
    off = python(
        """
rng = np.random.default_rng(2)
x, weight = rng.standard_normal((16, 64)), rng.standard_normal((64, 64)) / 8
with webgpu.scope() as gpu:
    stream, matrix = gpu.tensor(x), gpu.tensor(weight)
    for _ in range(24):
        stream = stream + stream.normalize() @ matrix
    on_gpu = await stream.numpy()
stream = x
for _ in range(24):
    stream = stream + kernels.layer_norm(stream, 64).output @ weight
return float(np.abs(on_gpu - stream).max() / np.abs(stream).max())
"""
    )
    assert off < 2e-6


def test_a_switch_forces_either(python: Python) -> None:
    backends = python(
        """
x = np.ones((4, 8), np.float32)
backends = []
for mode in ("numpy", "webgpu"):
    webgpu.force(mode)
    await webgpu.softmax(x)
    backends.append(webgpu.status()["last"]["backend"])
webgpu.force("auto")
return backends
"""
    )
    assert backends == ["numpy", "webgpu"]


def test_a_device_lost_in_the_page(python: Python) -> None:
    told = python(
        """
import asyncio
from kernels.webgpu.api import BACKEND
x = np.random.default_rng(3).standard_normal((4, 8)).astype(np.float32)
task = asyncio.ensure_future(webgpu.layer_norm(x, 8, backend="webgpu"))
await asyncio.sleep(0)
BACKEND.glue._gpu.context.session.device.destroy()
result = await task
right = float(np.abs(result.output - kernels.layer_norm(x, 8).output).max()) < 2e-6
answered = webgpu.status()["last"]
await BACKEND.glue.settled()
await webgpu.layer_norm(x, 8, backend="webgpu")
return [right, answered["backend"], answered["key"], webgpu.status()["last"]["backend"]]
"""
    )
    assert told == [True, "numpy", "device-lost", "webgpu"]
