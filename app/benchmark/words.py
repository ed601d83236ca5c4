"""What the measured numbers say, in sentences made from them."""

from __future__ import annotations

from html import escape
from typing import Any

from app.benchmark.loop import RUNS
from app.benchmark.result import Measured, Typical, ratio, takes_over, typical
from app.cost import ratio as bytes_ratio
from app.strings import listed, say

BACKENDS = ("numpy", "webgpu")
WHERE = {"numpy": "precision_in_numpy", "webgpu": "precision_on_webgpu"}

# RMSNorm is called cheaper below this part of LayerNorm's time: medians of this many runs on a
# machine with other work differ by a few per cent.
CHEAPER = 0.93
NEAR_COPY = 0.7  # LayerNorm's share of a copy's bandwidth that leaves RMSNorm little to save

DIGITS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def power(size: int) -> str:
    """2²⁰"""
    return "2" + str(size.bit_length() - 1).translate(DIGITS)


def milliseconds(seconds: float) -> str:
    """Three digits, two of what is small."""
    ms = seconds * 1000
    if ms >= 100:
        return f"{ms:,.0f}"
    return f"{ms:.3g}" if ms >= 0.1 else f"{ms:.2g}"


def sizes_of(one: Typical) -> str:
    """2²⁶, or 2²² to 2²⁶"""
    first, last = power(one.sizes[0]), power(one.sizes[-1])
    return last if first == last else say("precision_sizes", first=first, last=last)


def newest(measured: list[Measured]) -> dict[str, Typical]:
    """The largest sizes of each backend that was measured at all."""
    found = {backend: typical(measured, backend) for backend in BACKENDS}
    return {backend: one for backend, one in found.items() if one is not None}


def lead(measured: list[Measured]) -> str:
    """What RMSNorm costs beside LayerNorm at the largest sizes of each backend."""
    found = newest(measured)
    if not found:
        return say("precision_not_yet")
    sizes = {sizes_of(one) for one in found.values()}
    parts = []
    for backend, one in found.items():
        where = say(WHERE[backend])
        if len(sizes) > 1:
            where += f" ({sizes_of(one)})"
        parts.append(say("precision_ratio", ratio=one.ratio, where=where))
    if len(sizes) > 1:
        return say("precision_ratios", listed=listed(parts))
    return say("precision_ratios_at", size=sizes.pop(), listed=listed(parts))


def why(measured: list[Measured]) -> list[str]:
    """Why RMSNorm is cheaper, or is not: a line for each backend, and below which size not."""
    found = newest(measured)
    if not found:
        held, streamed = (bytes_ratio(where, "float32") for where in ("held", "streamed"))
        return [say("precision_not_yet_sub", held=held, streamed=streamed)]
    return [" ".join(why_on(measured, backend, one)) for backend, one in found.items()]


def why_on(measured: list[Measured], backend: str, one: Typical) -> list[str]:
    """Of one backend."""
    layer, rms = one.share["layer"], one.share["rms"]
    cheaper = one.ratio < CHEAPER
    if cheaper:
        key = "precision_why_cheaper"
    else:
        key = "precision_why_memory" if layer >= NEAR_COPY else "precision_why_other"
    sentences = [say(key, layer=layer, rms=rms, where=say(f"precision_{backend}"))]
    small = small_sizes(measured, backend)
    if cheaper and small:
        worst = min(ratio(each, backend) for each in small)
        sentences.append(say("precision_small", size=power(small[-1].size), worst=worst))
    return sentences


def small_sizes(measured: list[Measured], backend: str) -> list[Measured]:
    """The sizes from the smallest on at which RMSNorm is not cheaper."""
    found: list[Measured] = []
    for one in measured:
        if backend not in one.seconds or ratio(one, backend) < CHEAPER:
            break
        found.append(one)
    return found


def faster(measured: list[Measured]) -> list[str]:
    """Which backend is the faster, and what writing it as in books costs."""
    found = newest(measured)
    sentences = []
    if len(found) == len(BACKENDS):
        size = takes_over(measured, "layer")
        if size is not None:
            sentences.append(say("precision_faster_from", size=power(size)))
        else:
            both = min(one.sizes[-1] for one in found.values())
            sentences.append(say("precision_faster_never", size=power(both)))
    if "numpy" in found:
        share = found["numpy"].share
        books = {kernel: share[kernel] / share[f"textbook_{kernel}"] for kernel in ("layer", "rms")}
        sentences.append(say("precision_books", **books))
    return sentences


def held(measured: list[Measured]) -> list[str]:
    """How long an edit had to wait."""
    if not measured:
        return []
    longest = max(measured, key=lambda one: one.held)
    return [say("precision_held", size=power(longest.size), ms=milliseconds(longest.held))]


def device(measured: list[Measured], adapter: dict[str, Any] | None) -> list[str]:
    """What WebGPU ran on, what is not in its times, and how far its results are off."""
    sentences = []
    if adapter is not None and "webgpu" in newest(measured):
        key = "precision_adapter_software" if adapter["software"] else "precision_adapter"
        sentences.append(say(key, adapter=adapter_name(adapter)))
    handing = sorted(one.handing for one in measured if one.handing is not None)
    if handing:
        ms = milliseconds(handing[len(handing) // 2])
        sentences.append(say("precision_handing", ms=ms))
    compared = [one for one in measured if one.difference is not None]
    if compared:
        most = max(one.difference or 0.0 for one in compared)
        size = power(compared[-1].size)
        sentences.append(say("precision_difference", size=size, difference=f"{most:.1e}"))
    return sentences


def adapter_name(adapter: dict[str, Any]) -> str:
    """What a browser says of it: a description, or vendor and architecture."""
    told = adapter["description"] or f"{adapter['vendor']} {adapter['architecture']}"
    return escape(told.strip() or "…")


def missing(measured: list[Measured]) -> list[str]:
    """Why a backend has no numbers at some sizes, each reason once."""
    sentences = []
    for backend in BACKENDS:
        told = ""
        for one in measured:
            reason = one.missing.get(backend, "")
            if reason and reason != told:
                last = measured[-1].missing.get(backend) == reason
                key = (
                    "precision_missing_on"
                    if last and one is not measured[-1]
                    else "precision_missing"
                )
                title = say(f"precision_{backend}")
                size = power(one.size)
                sentences.append(say(key, backend=title, size=size, reason=escape(reason)))
            told = reason
    return sentences


def table_title(row: int) -> str:
    """What the table's numbers are."""
    return say("precision_table", row=row, runs=RUNS)
