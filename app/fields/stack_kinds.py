"""Kinds of the deep stack's fields: a switch, and where the norms stand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from kernels.placements import ONE, PLACEMENTS, PLACES, Placement, published_name

OWN = "own"  # what a link calls a placement that is not in the table
PARALLEL = "parallel"
SCALED = "deep_norm"  # the one published pair of α and β that is not 1


@dataclass(frozen=True)
class Flag:
    """On or off."""

    def parse(self, name: str, value: Any) -> bool:
        """True or False."""
        if not isinstance(value, bool):
            raise ValueError(f"{name}: expected true or false, got {value!r}")
        return value

    def dump(self, value: bool) -> bool:
        """Itself."""
        return value

    def encode(self, value: bool) -> str:
        """1 or 0."""
        return "1" if value else "0"

    def decode(self, text: str) -> bool:
        """What `encode` wrote."""
        if text not in ("0", "1"):
            raise ValueError(f"expected 0 or 1, got {text[:20]!r}")
        return text == "1"


@dataclass(frozen=True)
class PlacementKind:
    """A placement: the name of a published one, or which places are on."""

    def parse(self, name: str, value: Any) -> Placement:
        """A name of `PLACEMENTS`, or {"places": [...], "parallel"?: bool, "scaling"?: name}."""
        if isinstance(value, Placement):
            return value
        if isinstance(value, str):
            if value not in PLACEMENTS:
                raise ValueError(
                    f"{name}: expected one of {', '.join(PLACEMENTS)}, got {value[:40]!r}"
                )
            return PLACEMENTS[value].placement
        if not isinstance(value, dict) or not isinstance(value.get("places"), (list, tuple)):
            raise ValueError(f"{name}: expected a name or an object with places, got {value!r}")
        return self._from_places(name, value)

    def _from_places(self, name: str, value: dict[str, Any]) -> Placement:
        unknown = [place for place in value["places"] if place not in PLACES]
        if unknown:
            raise ValueError(f"{name}: expected places of {', '.join(PLACES)}, got {unknown[0]!r}")
        scaling = value.get("scaling")
        if scaling not in (None, SCALED):
            raise ValueError(f"{name}: expected scaling null or {SCALED!r}, got {scaling!r}")
        parallel = Flag().parse(f"{name}.parallel", value.get(PARALLEL, False))
        places: dict[str, Any] = dict.fromkeys(value["places"], True)
        try:
            placement = Placement(**places, parallel=parallel)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        if scaling is None:
            return placement
        scaled = PLACEMENTS[SCALED].placement
        return replace(
            placement, residual_scale=scaled.residual_scale, init_scale=scaled.init_scale
        )

    def dump(self, value: Placement) -> str | dict[str, Any]:
        """Its published name, or its places."""
        published = published_name(value)
        if published is not None:
            return published
        return {
            "places": list(value.places),
            "parallel": value.parallel,
            "scaling": None if value.residual_scale == ONE else SCALED,
        }

    def encode(self, value: Placement) -> str:
        """pre_ln, or own.attention_input.ffn_sum.parallel.deep_norm"""
        dumped = self.dump(value)
        if isinstance(dumped, str):
            return dumped
        words = [OWN, *dumped["places"]]
        if dumped["parallel"]:
            words.append(PARALLEL)
        if dumped["scaling"]:
            words.append(dumped["scaling"])
        return ".".join(words)

    def decode(self, text: str) -> str | dict[str, Any]:
        """What `encode` wrote."""
        first, *words = text.split(".")
        if first != OWN:
            return text
        return {
            "places": [word for word in words if word not in (PARALLEL, SCALED)],
            "parallel": PARALLEL in words,
            "scaling": SCALED if SCALED in words else None,
        }
