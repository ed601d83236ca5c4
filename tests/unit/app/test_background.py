"""Long work in steps: pauses, waiting, failures, and being given up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from app.background import Background


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """In a thread of its own: the browser's tests leave an event loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: asyncio.run(main())).result()


async def until_idle(background: Background) -> None:
    """Wait until nothing runs."""
    while background.running:
        await asyncio.sleep(0.001)


def test_a_step_that_waits_is_followed_by_the_next_when_that_is_through() -> None:
    log: list[str] = []

    async def device() -> None:
        log.append("asked")
        await asyncio.sleep(0.01)
        log.append("answered")

    def steps() -> Iterator[Any]:
        log.append("first")
        yield device()
        log.append("second")
        yield None
        yield 0.001
        log.append("last")

    async def main() -> None:
        background = Background(lambda: log.append("sent"))
        background.start("work", steps())
        await until_idle(background)

    run(main)
    assert [entry for entry in log if entry != "sent"] == [
        "first",
        "asked",
        "answered",
        "second",
        "last",
    ]
    assert log.count("sent") == 4  # one a step, the end included


def test_what_waiting_raises_is_raised_in_the_work() -> None:
    caught: list[str] = []

    async def lost() -> None:
        raise RuntimeError("the device was lost")

    def steps() -> Iterator[Any]:
        try:
            yield lost()
        except RuntimeError as error:
            caught.append(str(error))
            yield None
        caught.append("went on")

    async def main() -> None:
        background = Background(lambda: None)
        background.start("work", steps())
        await until_idle(background)

    run(main)
    assert caught == ["the device was lost", "went on"]


def test_work_given_up_while_it_waits_takes_no_further_step() -> None:
    log: list[str] = []

    async def device() -> None:
        await asyncio.sleep(0.01)

    def steps(name: str) -> Iterator[Any]:
        yield device()
        log.append(name)

    async def main() -> None:
        background = Background(lambda: None)
        background.start("work", steps("old"))
        await asyncio.sleep(0.002)
        background.start("work", steps("new"))
        await until_idle(background)
        await asyncio.sleep(0.02)

    run(main)
    assert log == ["new"]
