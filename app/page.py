"""The one module that speaks with the page: documents and patches out, events and calls in.

Every message is JSON text, with binary buffers beside it. All that one message changes goes back as
one patch, however many views it touches: the page draws once.
"""

from __future__ import annotations

import asyncio
import json
import time
import traceback
from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bokeh.core.serialization import Buffer, Serializer
from bokeh.document import Document
from bokeh.document.events import ModelChangedEvent
from bokeh.document.json import PatchJson

from app import api, wire
from app.application import Application
from app.background import Background
from app.link import fragment_of
from app.views.component import Speaking
from app.views.figures import set_theme
from app.wire import PAGE, Wire

if TYPE_CHECKING:
    from app.graphics import Graphics

Post = Callable[[str, list[tuple[str, bytes]]], None]


class Page:
    """The documents of the scenes, kept equal on both sides."""

    def __init__(self, application: Application, post: Post) -> None:
        """An application, and the function that sends a message to the page."""
        self.application = application
        self.post = post
        self.documents: dict[str, Document] = {}
        self.shown = ""
        application.background = Background(self.after_step)
        application.ask_for_graphics = lambda: self.graphics.begin()
        self.pending: dict[str, list[Any]] = {}
        self.wire = wire.live = Wire()
        self.answers: set[asyncio.Future[None]] = set()  # calls that are not answered yet
        self.fragment = fragment_of(application.store)
        application.store.listeners.insert(0, self.on_state)  # before anything computes

    @cached_property
    def graphics(self) -> Graphics:
        """The graphics processor; nothing of it is loaded before it is asked for."""
        from app.graphics import Graphics

        graphics = Graphics(
            lambda report: self.send("graphics", **report), self.application.store["backend"]
        )
        graphics.listeners.append(self.application.graphics_came)
        graphics.listeners.append(self.flush)
        return graphics

    def on_state(self, changed: frozenset[str]) -> None:
        """The switch between the backends is part of the state."""
        if "backend" in changed:
            self.graphics.force(self.application.store["backend"])

    def send(self, kind: str, buffers: list[tuple[str, bytes]] | None = None, **body: Any) -> None:
        """One message to the page."""
        self.post(json.dumps({"type": kind, **body}), buffers or [])

    def open_scene(self) -> None:
        """Show the scene of the state; its document is made on the first visit."""
        scene = self.application.scene
        self.shown = scene.key
        if scene.key in self.documents:
            self.send("scene", scene=scene.key)
            return
        document = Document()
        for place, viewable in scene.layout().items():
            viewable.server_doc(document, location=False)
            document.roots[-1].name = place
        self.documents[scene.key] = document
        self.pending[scene.key] = []
        document.on_change(lambda event: self.collect(scene.key, event))
        self.send("document", scene=scene.key, document=document.to_json(deferred=False))

    def collect(self, scene: str, event: Any) -> None:
        """Keep a change for the end of the message that caused it."""
        if getattr(event, "setter", None) != PAGE:
            self.pending[scene].append(event)

    def flush(self) -> None:
        """Send what changed: a scene, one patch a document, and the link."""
        if self.application.store["scene"] != self.shown:
            self.open_scene()
        self.send_changes()
        fragment = fragment_of(self.application.store)
        if fragment != self.fragment:
            self.fragment = fragment
            self.send("link", fragment=fragment, deliberate=self.application.store.steps.take())

    def send_changes(self) -> None:
        """What changed, as one message: a patch a scene, and then what goes by the wire."""
        patches: list[dict[str, Any]] = []
        buffers: list[tuple[str, bytes]] = []
        for scene, events in self.pending.items():
            if events:
                self.pending[scene] = []
                patch, own = encode_patch(self.documents[scene], newest_only(events))
                patches.append({"scene": scene, "patch": patch})
                buffers += own
        if patches or self.wire.waiting:
            models, arrays = self.wire.take()
            if arrays:
                buffers.append(("wire", arrays))
            self.post(
                f'{{"type":"changes","patches":{json.dumps(patches)},"models":{models}}}', buffers
            )

    def after_step(self) -> None:
        """Send what a step in the background changed, and what computed it."""
        self.flush()
        run = self.application.last_run()
        if run:
            self.send("ran", **run)

    def receive(self, message: str, attachment: Any = None) -> None:
        """Handle one message from the page; whatever fails is told to the page, nothing is lost."""
        began = time.perf_counter()
        body = json.loads(message)
        try:
            HANDLERS[body["type"]](self, body, attachment)
        except Exception as error:
            self.send("trouble", reason=str(error), trace=traceback.format_exc())
        self.flush()
        self.send("idle", ms=(time.perf_counter() - began) * 1000, **self.application.last_run())

    def on_changes(self, body: dict[str, Any], attachment: Any) -> None:
        """What a person did, in its order: in a view of ours, or in a widget.

        A view is told directly. Bokeh would ask each of its models whether the message is theirs,
        and Panel would count how busy it is; together they took longer than the answer.
        """
        for change in body["changes"]:
            if "patch" in change:
                self.documents[body["scene"]].apply_json_patch(change["patch"], setter=PAGE)
            elif view := Speaking.of_model.get(change["model"]):
                view.hear(change["data"])

    def on_open(self, body: dict[str, Any], attachment: Any) -> None:
        """A link was opened, or Back was pressed."""
        self.application.open(body["fragment"])
        if self.application.problems:
            self.send("problems", problems=self.application.problems)
        self.application.store.steps.take()
        self.fragment = fragment_of(self.application.store)

    def on_scene(self, body: dict[str, Any], attachment: Any) -> None:
        """Another scene was chosen in the header; the rest of the state stays."""
        self.application.store.update({"scene": body["scene"]})

    def on_theme(self, body: dict[str, Any], attachment: Any) -> None:
        """The page is light or dark now."""
        set_theme("dark" if body["theme"] == "dark" else "light")

    def on_file(self, body: dict[str, Any], attachment: Any) -> None:
        """A file was dropped or chosen: its bytes come beside the message and stay here."""
        self.application.store.update({"scene": "axes"})
        text = self.application.scene.open_file(body["name"], attachment.to_bytes())
        self.send("notice", text=text)

    def on_call(self, body: dict[str, Any], attachment: Any) -> None:
        """A call of the page's API; the answer or the reason goes back under its number."""
        try:
            value = api.call(self, body["method"], body["arguments"])
        except Exception as error:
            self.flush()
            self.send("answer", id=body["id"], error=f"{type(error).__name__}: {error}")
            return
        self.flush()
        if isinstance(value, Awaitable):
            self.answers.add(task := asyncio.ensure_future(self.answer_later(body["id"], value)))
            task.add_done_callback(self.answers.discard)
        else:
            self.send("answer", id=body["id"], value=value)

    async def answer_later(self, number: int, value: Awaitable[Any]) -> None:
        """The answer of a call that waits for a device."""
        try:
            answer = {"value": await value}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        self.send("answer", id=number, **answer)

    def on_graphics(self, body: dict[str, Any], attachment: Any) -> None:
        """Somebody wants to know what computes here."""
        self.graphics.begin()
        self.graphics.report()

    def on_rest(self, body: dict[str, Any], attachment: Any) -> None:
        """The page is at rest for the first time."""
        assert self.application.background is not None
        self.application.background.start("rehearsal", self.application.rehearse())
        self.on_graphics(body, attachment)


HANDLERS: dict[str, Callable[[Page, dict[str, Any], Any], None]] = {
    "changes": Page.on_changes,
    "open": Page.on_open,
    "scene": Page.on_scene,
    "theme": Page.on_theme,
    "call": Page.on_call,
    "file": Page.on_file,
    "graphics": Page.on_graphics,
    "rest": Page.on_rest,
}


def newest_only(events: list[Any]) -> list[Any]:
    """The events with only the newest change of each property, in the order of those."""
    newest: dict[Any, Any] = {}
    for position, event in enumerate(events):
        of_property = isinstance(event, ModelChangedEvent)
        key = (event.model.id, event.attr) if of_property else position
        newest.pop(key, None)
        newest[key] = event
    return list(newest.values())


def encode_patch(
    document: Document, events: list[Any]
) -> tuple[dict[str, Any], list[tuple[str, bytes]]]:
    """A patch as plain JSON and its arrays as bytes."""
    serializer = Serializer(references=document.models.synced_references)
    patch = PatchJson(events=serializer.encode(events))
    document.models.flush_synced(lambda model: not serializer.has_ref(model))
    buffers = [(buffer.id, buffer.to_bytes()) for buffer in serializer.buffers]
    return without_buffers(patch), buffers


def without_buffers(value: Any) -> Any:
    """The same JSON with each buffer replaced by its reference."""
    if isinstance(value, dict):
        return {key: without_buffers(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_buffers(item) for item in value]
    return value.ref if isinstance(value, Buffer) else value
