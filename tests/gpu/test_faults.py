"""Everything that can go wrong with a GPU, each caused for real: the result is right all the same,
and the person is told once, in words."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

import kernels
from kernels.webgpu.backend import Backend
from tests.gpu.chromium import SOFTWARE_ADAPTER, launched
from tests.gpu.conftest import open_page
from tests.gpu.device import Call, Device
from tests.gpu.inputs import noise
from tests.gpu.page_glue import PageGlue, run

X = noise((6, 64), 1, 2.0)
RIGHT = kernels.layer_norm(X, 64).output
PAUSE = 300  # milliseconds until a lost device is asked for again


class Setting:
    """A backend over a page of its own, whose device may be broken."""

    def __init__(self, page: Page, exchange: dict[str, bytes], **options: Any) -> None:
        """Open a device with these options of the harness."""
        self.page = page
        self.device = Device(page, exchange, **options)
        self.backend = Backend()
        self.glue = PageGlue(self.device, self.backend._noticed)
        run(self.backend.start(glue=self.glue))

    def told(self) -> list[str]:
        """The keys of all notices but that of the software adapter, which every test here has."""
        self.glue.status()
        return [n["key"] for n in self.backend.notices if n["key"] != "software-adapter"]

    def answers_right(self) -> str:
        """Ask for WebGPU; the result must be right. Returns the backend that answered."""
        result = run(self.backend.run("layer_norm", X, 64, backend="webgpu"))
        assert np.allclose(result.output, RIGHT, rtol=0, atol=2e-6)
        assert self.backend.last is not None
        return self.backend.last.backend

    def break_at(self, step: str, script: str) -> None:
        """Run a script in the page when the backend comes to a step, once."""

        def before(reached: str) -> None:
            if reached == step:
                self.glue.before = lambda _: None
                self.page.evaluate(script, self.device.number)

        self.glue.before = before


@pytest.fixture
def own_page(chromium: Browser, address: str) -> Iterator[Page]:
    """A page that the test may break."""
    page = open_page(chromium, address)
    yield page
    page.close()


def test_a_page_without_https_has_no_webgpu(
    chromium: Browser, address: str, exchange: dict[str, bytes]
) -> None:
    # Browsers hide navigator.gpu from insecure pages; localhost counts as secure, this name not.
    port = address.rsplit(":", 1)[1]
    flags = [*SOFTWARE_ADAPTER, "--host-resolver-rules=MAP plain.test 127.0.0.1"]
    with launched(chromium.browser_type, flags) as browser:
        page = open_page(browser, f"http://plain.test:{port}")
        assert page.evaluate("'gpu' in navigator") is False
        setting = Setting(page, exchange)
        assert setting.answers_right() == "numpy"
        assert setting.answers_right() == "numpy"
        assert setting.told() == ["no-webgpu"]
        assert "HTTPS" in setting.backend.notices[0]["detail"]
        reason = setting.backend.status()["reason"]
        assert reason["key"] == "no-webgpu" and "NumPy computes everything" in reason["text"]


def test_a_browser_without_an_adapter(
    chromium: Browser, address: str, exchange: dict[str, bytes]
) -> None:
    with launched(chromium.browser_type, []) as browser:
        page = open_page(browser, address)
        assert page.evaluate("navigator.gpu.requestAdapter()") is None
        setting = Setting(page, exchange)
        assert setting.answers_right() == "numpy"
        assert run(setting.backend.self_test()) is None
        assert setting.told() == ["no-adapter"]


def test_a_fallback_adapter_is_used_and_named(own_page: Page, exchange: dict[str, bytes]) -> None:
    adapter = "navigator.gpu.requestAdapter().then((adapter) => adapter.info.isFallbackAdapter)"
    assert own_page.evaluate(adapter) is True
    setting = Setting(own_page, exchange)
    assert setting.answers_right() == "webgpu"
    setting.told()
    assert [notice["key"] for notice in setting.backend.notices] == ["software-adapter"]
    assert setting.backend.status()["adapter"]["software"] is True


@pytest.mark.parametrize("step", ["upload", "call", "read"])
def test_a_device_lost_in_the_middle_of_a_call(
    own_page: Page, exchange: dict[str, bytes], step: str
) -> None:
    setting = Setting(own_page, exchange, pauses=[PAUSE])
    assert setting.answers_right() == "webgpu"
    setting.break_at(step, "(n) => harness.gpu(n).context.session.device.destroy()")
    assert setting.answers_right() == "numpy"
    assert setting.told() == ["device-lost"]
    assert setting.backend.last is not None
    assert setting.backend.last.key == "device-lost"
    run(setting.glue.settled())
    assert setting.answers_right() == "webgpu"
    assert setting.told() == ["device-lost", "device-back"]


def test_a_gpu_process_that_crashes(
    chromium: Browser, address: str, exchange: dict[str, bytes]
) -> None:
    others = gpu_processes()
    with launched(chromium.browser_type, SOFTWARE_ADAPTER) as browser:
        setting = Setting(open_page(browser, address), exchange, pauses=[PAUSE])
        assert setting.answers_right() == "webgpu"
        (own,) = gpu_processes() - others
        os.kill(own, 9)
        assert setting.answers_right() == "numpy"
        run(setting.glue.settled())
        assert setting.answers_right() == "webgpu"
        assert setting.told() == ["device-lost", "device-back"]


def gpu_processes() -> set[int]:
    """The GPU processes of every Chromium that these tests started.

    Which is the newest one cannot be seen by the numbers: they start over at some point.
    """
    lines = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True).stdout
    rows = [line.split(None, 2) for line in lines.splitlines()[1:]]
    parents = {int(pid): int(parent) for pid, parent, _ in rows}

    def is_ours(pid: int) -> bool:
        while pid in parents:
            if pid == os.getpid():
                return True
            pid = parents[pid]
        return False

    return {int(pid) for pid, _, args in rows if "--type=gpu-process" in args and is_ours(int(pid))}


def test_a_device_lost_for_good(own_page: Page, exchange: dict[str, bytes]) -> None:
    setting = Setting(own_page, exchange, pauses=[1])
    for _ in range(2):
        run(setting.glue.settled())
        setting.break_at("read", "(n) => harness.gpu(n).context.session.device.destroy()")
        assert setting.answers_right() == "numpy"
        own_page.wait_for_timeout(50)
    assert setting.answers_right() == "numpy"
    assert setting.told() == ["device-lost", "device-back", "device-gone"]


def test_tensors_of_a_lost_device_are_refused(own_page: Page, exchange: dict[str, bytes]) -> None:
    setting = Setting(own_page, exchange, pauses=[1])
    handle = setting.glue.upload(X)
    own_page.evaluate(
        "(n) => harness.gpu(n).context.session.device.destroy()", setting.device.number
    )
    own_page.wait_for_timeout(50)
    run(setting.glue.settled())
    with pytest.raises(Exception, match="the tensor went with it"):
        setting.glue.call("max", {"x": handle}, {"axes": [1]})


def test_memory_that_is_full(own_page: Page, exchange: dict[str, bytes]) -> None:
    setting = Setting(own_page, exchange)
    # The software adapter refuses 1 GiB at once: VK_ERROR_OUT_OF_DEVICE_MEMORY.
    script = "(n) => { harness.gpu(n).context.session.memory.tensor([2 ** 28]); }"
    for _ in range(2):
        setting.break_at("call", script)
        assert setting.answers_right() == "numpy"
        assert setting.backend.last is not None
        assert setting.backend.last.key == "out-of-memory"
    assert setting.told() == ["out-of-memory"]
    assert setting.answers_right() == "webgpu"


def test_an_adapter_that_allows_less_than_was_asked(
    own_page: Page, exchange: dict[str, bytes]
) -> None:
    setting = Setting(own_page, exchange, limits={"maxStorageBufferBindingSize": 2**40}, cut=False)
    assert setting.answers_right() == "webgpu"
    assert setting.told() == ["lower-limits"]
    limits = setting.backend.status()["adapter"]["limits"]
    assert limits["maxStorageBufferBindingSize"] == 2**27  # the default
    # One value more than 128 MiB hold.
    x = np.zeros((1, 2**25 + 1), np.float32)
    x[0, 0] = 1
    largest = run(setting.backend.run("largest", x, 1, backend="webgpu"))
    assert largest.item() == 1
    assert setting.backend.last is not None and setting.backend.last.key == "too-large"
    assert setting.told() == ["lower-limits", "too-large"]


def test_a_shader_that_does_not_compile(own_page: Page, exchange: dict[str, bytes]) -> None:
    broken = [["softmax_apply.wgsl", "bitcast<Stat>(sum_bits);", "bitcast<Stat>(total_of);"]]
    setting = Setting(own_page, exchange, changes=broken)
    right = kernels.softmax(X)
    for _ in range(2):
        assert np.allclose(run(setting.backend.run("softmax", X, backend="webgpu")), right)
        assert setting.backend.last is not None
        assert (setting.backend.last.backend, setting.backend.last.key) == (
            "numpy",
            "shader-failed",
        )
    assert setting.answers_right() == "webgpu"  # every other kernel still is
    assert setting.told() == ["shader-failed"]
    assert "total_of" in setting.backend.notices[-1]["detail"]


def test_a_shader_that_is_missing(own_page: Page, exchange: dict[str, bytes]) -> None:
    setting = Setting(own_page, exchange, baseURL="http://127.0.0.1:9/", fromBase=True)
    assert setting.answers_right() == "numpy"
    assert setting.told() == ["shader-missing"]


# What a compiler may do to a shader: WGSL lets it reassociate, assume that there are no NaN, and
# take an approximation for a function.
WRONG = {
    "reassociated": (
        "common/shifted.wgsl",
        "minus(minus(value * mean.scale, mean.high), mean.low)",
        "minus(value * mean.scale, mean.high + mean.low)",
    ),
    "a coarse square root": (
        "common/scales.wgsl",
        "var factor = 1.0 / sqrt(square + eps)",
        "var factor = 1.00002 / sqrt(square + eps)",
    ),
    "NaN lost": ("common/special.wgsl", "0x7fc00000u", "0x3f800000u"),
    "tiny squares flushed": ("common/scales.wgsl", "0x30800000u", "0x00000000u"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_device_that_computes_wrong(
    own_page: Page, exchange: dict[str, bytes], fault: str
) -> None:
    setting = Setting(own_page, exchange, changes=[WRONG[fault]])
    report = run(setting.backend.self_test())
    assert report is not None and not report.passed
    assert setting.answers_right() == "numpy"
    assert setting.answers_right() == "numpy"
    assert setting.told() == ["self-test-failed"]
    assert setting.backend.notices[-1]["detail"] == report.failure


@contextmanager
def unchanged(device: Device) -> Iterator[None]:
    """The page's device must still be the same and whole afterwards."""
    yield
    assert device.status["available"]


def test_bad_calls_do_not_harm_the_device(own_page: Page, exchange: dict[str, bytes]) -> None:
    device = Device(own_page, exchange)
    with unchanged(device):
        (unknown,) = device.try_run([Call("no such thing", {"x": X})])
        assert isinstance(unknown, Exception) and "no GPU operation" in str(unknown)
        given = {"axes": [0, 2, 4], "center": True, "eps": 1e-5}
        (axes,) = device.try_run([Call("normalize", {"x": X.reshape(2, 3, 4, 4, 4)}, given)])
        assert isinstance(axes, Exception) and "alternate too often" in str(axes)
    (result,) = device.run([Call("max", {"x": X}, {"axes": [1]})])
    assert np.array_equal(result["output"].ravel(), X.max(1))
