"""State <-> URL fragment: what differs from the defaults is written; what is unclear is told."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, quote

from app.fields import FIELDS
from app.state import Store

LONGEST = 200_000  # characters of a fragment that we read at all


def fragment_of(store: Store) -> str:
    """The fragment (without #) that restores the state, starting with the scene's name."""
    parts = [store["scene"]]
    for name, field in FIELDS.items():
        value = store[name]
        if name != "scene" and value is not field.default and value != field.default:
            text = written(name, value)
            if text is not None:
                parts.append(f"{field.key}={text}")
    return "&".join(parts)


def is_whole(store: Store) -> bool:
    """Whether a link can hold the whole state: a very large tensor does not fit in one."""
    return not any(
        store[name] != field.default and written(name, store[name]) is None
        for name, field in FIELDS.items()
    )


_written: dict[str, tuple[Any, str | None]] = {}


def written(name: str, value: Any) -> str | None:
    """A value as text in a link, None where it is too large; the last one of each field is kept."""
    known = _written.get(name)
    if known is None or known[0] is not value:
        text = FIELDS[name].kind.encode(value)
        known = _written[name] = (value, None if text is None else quote(text, safe=":,.~*"))
    return known[1]


def open_fragment(store: Store, fragment: str) -> list[str]:
    """Set the whole state from a fragment; returns what could not be read, as sentences.

    Fields that the fragment does not name go back to their defaults: one link, one state.
    """
    problems: list[str] = []
    if len(fragment) > LONGEST:
        fragment = ""
        problems.append("The link is too long to be one of ours; everything is at its start.")
    patch: dict[str, Any] = {name: field.default for name, field in FIELDS.items()}
    by_key = {field.key: field for field in FIELDS.values()}
    scene, _, rest = fragment.partition("&")
    pairs = parse_qsl(rest, keep_blank_values=True)
    if scene:
        pairs.insert(0, ("scene", scene))
    for key, text in pairs:
        field = by_key.get(key)
        if field is None:
            problems.append(f"“{key[:40]}” is unknown.")
            continue
        try:
            patch[field.name] = field.kind.parse(field.name, field.kind.decode(text))
        except (ValueError, TypeError, OverflowError, MemoryError, ArithmeticError) as error:
            problems.append(str(error)[:200])
        except Exception as error:  # zlib.error and what else a hostile link may cause
            problems.append(f"“{key[:40]}”: {type(error).__name__}")
    try:
        store.update(patch)
    except ValueError as error:
        problems.append(str(error)[:200])
        store.update({name: field.default for name, field in FIELDS.items()})
    return problems
