"""Long work in steps, so that the page stays alive and a person can stop it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any


class Background:
    """Runs generators a step at a time; between steps the worker hears the page's messages."""

    def __init__(self, after_step: Callable[[], None]) -> None:
        """`after_step` sends what a step changed."""
        self.after_step = after_step
        self.running: dict[str, Iterator[Any]] = {}

    def start(self, key: str, steps: Iterator[Any]) -> None:
        """Run a generator to its end; one started before under the same key is given up.

        A step that yields a number is followed by a pause of so many seconds, one that yields an
        awaitable by the next step when that is through; what it raises is raised at the yield.
        """
        self.stop(key)
        self.running[key] = steps
        asyncio.get_event_loop().call_soon(self._step, key, steps)

    def stop(self, key: str) -> bool:
        """Give up what runs under a key; whether anything did."""
        steps = self.running.pop(key, None)
        if steps is not None:
            steps.close()  # type: ignore[attr-defined]
        return steps is not None

    def _step(self, key: str, steps: Iterator[Any], error: BaseException | None = None) -> None:
        if self.running.get(key) is not steps:
            return
        try:
            step = next(steps) if error is None else steps.throw(error)  # type: ignore[attr-defined]
        except StopIteration:
            self.running.pop(key, None)
        except BaseException:
            self.running.pop(key, None)
            raise
        else:
            if isinstance(step, Awaitable):
                waiting = asyncio.ensure_future(step)
                waiting.add_done_callback(lambda done: self._waited(key, steps, done))
            else:
                wait = step if isinstance(step, float) else 0.0
                asyncio.get_event_loop().call_later(wait, self._step, key, steps)
        finally:
            self.after_step()

    def _waited(self, key: str, steps: Iterator[Any], done: asyncio.Future[Any]) -> None:
        error = None if done.cancelled() else done.exception()
        self._step(key, steps, error)
