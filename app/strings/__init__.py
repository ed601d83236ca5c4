"""Every sentence the page shows, so that it can be translated. Live numbers fill the {braces}.

One table a scene, and one for what several scenes say.
"""

from __future__ import annotations

from app.strings import axes, batch, models, placement, precision, shared, softmax

STRINGS: dict[str, str] = {
    **shared.STRINGS,
    **axes.STRINGS,
    **batch.STRINGS,
    **placement.STRINGS,
    **softmax.STRINGS,
    **precision.STRINGS,
    **models.STRINGS,
}


def say(key: str, **numbers: object) -> str:
    """A sentence of the table with its numbers filled in."""
    return STRINGS[key].format(**numbers)


def listed(words: list[str]) -> str:
    """a, b and c."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
