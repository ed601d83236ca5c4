"""The scene's sentences, each from the numbers on show."""

from __future__ import annotations

import math

from app.numbers import short
from app.placement.catalogue import LISTED, key_of, listed
from app.placement.series import down_gradient, growth_of, mean_cosine
from app.strings import say
from kernels.growth import GrowthAccount
from kernels.placements import ONE, Placement
from kernels.residual import StackTrace

HARDLY = 1.1  # a stream that grows by less "hardly grows"
UNEQUAL = 1.5  # from here on, one gradient is called larger than the other
ORDINARY = (1e-3, 1e4)  # beyond these, numbers are written with a power of ten


def figures(value: float, digits: int = 3) -> str:
    """A positive number in a few significant figures: 0.123, 1.23, 12.3, 123, 1.23e5."""
    if not math.isfinite(value) or value == 0:
        return short(value)
    if not ORDINARY[0] <= abs(value) < ORDINARY[1]:
        mantissa, exponent = f"{value:.1e}".split("e")
        return f"{mantissa}e{int(exponent)}".replace("-", "−")
    rounded = abs(float(f"{value:.{digits - 1}e}"))  # 0.99996 is 1.00, and not 1.000
    decimals = max(0, digits - 1 - math.floor(math.log10(rounded)))
    return f"{value:.{decimals}f}".replace("-", "−")


def decimals(value: float) -> str:
    """A number with two decimals, or what it is instead of one."""
    return f"{value:.2f}" if math.isfinite(value) else short(value)


def colour_of(norm: str) -> str:
    """The colour token of a norm."""
    return {"layer_norm": "ln", "rms_norm": "rms"}[norm]


def layers(count: int) -> str:
    """24 layers."""
    return say("place_layer") if count == 1 else say("place_layers", count=count)


def name_of(placement: Placement) -> str:
    """The placement inside a sentence."""
    key = key_of(placement)
    return next(row.name for row in listed(placement) if row.key == key)


def subject(placement: Placement) -> str:
    """The placement at the start of a sentence."""
    name = name_of(placement)
    return name[0].upper() + name[1:]


def does(placement: Placement, depth: int) -> str:
    """What the placement does to the stream."""
    reads = placement.attention_input and placement.ffn_input
    adds = placement.attention_branch and placement.ffn_branch
    held = placement.ffn_sum and (placement.attention_sum or placement.parallel)
    if held and placement.residual_scale != ONE:
        return say("place_does_weighs", alpha=figures(placement.residual_scale(depth)))
    if held:
        return say("place_does_sums")
    if placement.ffn_sum or placement.attention_sum:
        return say("place_does_one_sum")
    if reads and adds:
        return say("place_does_both")
    if adds and not (placement.attention_input or placement.ffn_input):
        return say("place_does_output")
    if reads and not (placement.attention_branch or placement.ffn_branch):
        return say("place_does_input")
    if len(placement.places) - placement.final:
        return say("place_does_mixed", count=len(placement.places))
    return say("place_does_nothing")


def so(trace: StackTrace) -> str:
    """What comes of it, measured."""
    overflow = trace.first_overflow()
    if overflow is not None:
        return say("place_so_overflows", layer=overflow[0] + 1)
    depth = trace.settings.depth
    if trace.settings.placement.ffn_sum:
        return say("place_so_stays", rms=f"{trace.stream_rms[-1]:.2f}")
    ratio = growth_of(trace)
    key = "so_grows" if ratio > HARDLY else "so_still" if ratio > 1 / HARDLY else "so_shrinks"
    return say(
        f"place_{key}", ratio=figures(ratio, 2 if HARDLY < ratio < 10 else 3), depth=layers(depth)
    )


def lead(placement: Placement, norm: str, depth: int, trace: StackTrace | None) -> str:
    """The sentence at the top; what comes of the placement only once that is known."""
    parts = {
        "colour": colour_of(norm),
        "name": subject(placement),
        "does": does(placement, depth),
    }
    if trace is None:
        return say("place_lead_waiting", **parts)
    return say("place_lead", so=so(trace), **parts)


def formula(placement: Placement) -> str:
    """The dashed curve of a placement, as one writes it; see `kernels.growth.predicted_rms`."""
    if placement.ffn_sum:
        return "1"
    both = {
        (place, getattr(placement, f"attention_{place}"), getattr(placement, f"ffn_{place}"))
        for place in ("input", "branch")
    }
    mixed = placement.attention_sum or any(first != second for _, first, second in both)
    if mixed or placement.residual_scale != ONE:
        return say("place_formula_mixed")
    if placement.attention_branch:
        return say("place_formula_branch")
    if placement.parallel and not placement.attention_input:
        return say("place_formula_mixed")
    return say("place_formula_input" if placement.attention_input else "place_formula_none")


def sub(placement: Placement) -> str:
    """The line under it."""
    if placement.ffn_sum:
        return say("place_sub_held")
    return say("place_sub", formula=formula(placement))


def stream_caption(trace: StackTrace) -> str:
    """The theory against the measurement, and which assumption fails by how much."""
    growth, settings = trace.growth, trace.settings
    if settings.placement.ffn_sum:
        return say("place_held")
    if not math.isfinite(growth.measured) or not math.isfinite(growth.predicted):
        return say("place_no_end")
    numbers = {
        "gain": figures(settings.update_gain, 2),
        "predicted": figures(growth.predicted),
        "measured": figures(growth.measured),
    }
    if not growth.failing:
        return say("place_holds", **numbers)
    return say("place_fails", reasons=reasons(growth, settings.placement), **numbers)


def reasons(growth: GrowthAccount, placement: Placement) -> str:
    """The failing assumptions with their numbers."""
    sentences = []
    if "size" in growth.failing:
        branch = placement.attention_branch and placement.ffn_branch
        attention, ffn = growth.size_ratio
        sentences.append(
            say(
                "place_fails_size_branch" if branch else "place_fails_size",
                attention=figures(attention, 2),
                ffn=figures(ffn, 2),
                factor=figures(growth.size_factor),
            )
        )
    if "independence" in growth.failing:
        sentences.append(
            say(
                "place_fails_independence",
                cross=figures(growth.cross_ratio, 2),
                factor=figures(growth.correlation_factor),
            )
        )
    return " ".join(sentences)


def updates_caption(trace: StackTrace) -> str:
    """What the last layer adds."""
    attention, ffn = trace.update_rms[-1]
    return say(
        "place_caption_updates",
        name=subject(trace.settings.placement),
        attention=figures(float(attention)),
        ffn=figures(float(ffn)),
    )


def gradient_caption(trace: StackTrace) -> str:
    """What becomes of the gradient on its way down."""
    first, last = float(trace.gradient_rms[0]), float(trace.gradient_rms[-1])
    return say(
        "place_caption_gradient",
        name=subject(trace.settings.placement),
        first=figures(first),
        last=figures(last),
        ratio=figures(first / last if last else math.nan),
    )


def cosine_caption(trace: StackTrace) -> str:
    """How alike neighbouring updates are, and what chance would give."""
    settings = trace.settings
    if settings.depth == 1:
        return say("place_caption_cosine_one")
    count = settings.tokens * settings.width
    return say(
        "place_caption_cosine",
        name=subject(settings.placement),
        mean=figures(mean_cosine(trace), 2),
        count=count,
        chance=figures(count**-0.5, 1),
    )


CAPTIONS = {
    "stream": stream_caption,
    "updates": updates_caption,
    "gradient": gradient_caption,
    "cosine": cosine_caption,
}


def w2_caption(chosen: StackTrace | None, other: StackTrace | None) -> str:
    """The last layer's W₂ under two placements, the larger gradient first.

    Where Post-LN's is the larger, that is what warm-up is for: Xiong et al. 2020, theorem 1.
    """
    if chosen is None or other is None:
        return say("place_w2_waiting")
    ends = [
        (float(down_gradient(trace)[-1]), name_of(trace.settings.placement), trace)
        for trace in (chosen, other)
    ]
    if not all(math.isfinite(end[0]) and end[0] > 0 for end in ends):
        return say("place_w2_not_finite")
    ends.sort(key=lambda end: -end[0])
    (more, one, _), (less, name, trace) = ends
    ratio = more / less
    final = trace.settings.placement.final and ratio > UNEQUAL
    law = say("place_w2_law", rms=figures(float(trace.stream_rms[-1]))) if final else ""
    warm = one == LISTED["post_ln"].name and ratio > UNEQUAL
    key = "place_w2_warm" if warm else "place_w2"
    return say(key, one=one, other=name, ratio=figures(ratio), law=law)


def duration(seconds: float) -> str:
    """About 20 s, about 3 min."""
    if seconds < 90:
        return say("place_seconds", count=max(1, round(seconds)))
    return say("place_minutes", count=round(seconds / 60))
