"""The placements as the scene lists them: title, where one meets it, and its kind of line."""

from __future__ import annotations

from dataclasses import dataclass

from kernels.placements import PLACEMENTS, Placement, published_name


@dataclass(frozen=True)
class Listed:
    """A placement of the list: its key there, its names, and the dashes of its curve."""

    key: str
    title: str  # in the list
    short: str  # beside a curve
    name: str  # inside a sentence
    known_from: str
    dash: str  # of Bokeh: solid, dashed, dotted, dotdash, dashdot
    placement: Placement


OWN = "own"

_ROWS: tuple[tuple[str, str, str, str, str, str], ...] = (
    ("none", "No norm", "No norm", "a stack without norms", "for comparison", "dotted"),
    ("post_ln", "Post-LN", "Post-LN", "Post-LN", "the Transformer of 2017", "dashed"),
    ("pre_ln", "Pre-LN", "Pre-LN", "Pre-LN", "Xiong et al. 2020", "solid"),
    ("pre_ln_final", "Pre-LN, final norm", "Pre + final", "Pre-LN", "GPT-2", "solid"),
    (
        "before_and_after",
        "Before and after",
        "Both",
        "a norm before and after",
        "Gemma 3",
        "dotdash",
    ),
    (
        "branch_output",
        "On the output only",
        "Output",
        "a norm on the output only",
        "OLMo 2",
        "dashdot",
    ),
    ("deep_norm", "DeepNorm", "DeepNorm", "DeepNorm", "DeepNet", "dashed"),
    ("parallel", "Parallel", "Parallel", "a parallel block", "PaLM", "dotted"),
)

LISTED: dict[str, Listed] = {row[0]: Listed(*row, PLACEMENTS[row[0]].placement) for row in _ROWS}


def key_of(placement: Placement) -> str:
    """The key of a placement in the list; `OWN` for one of a person's own."""
    return published_name(placement) or OWN


def listed(placement: Placement) -> tuple[Listed, ...]:
    """The list with a chosen placement in it: the table, and below it the person's own."""
    rows = tuple(LISTED.values())
    if key_of(placement) != OWN:
        return rows
    return (
        *rows,
        Listed(OWN, "Your own", "Yours", "your own block", "switched by hand", "solid", placement),
    )


def opposite(placement: Placement) -> str:
    """The key of the placement that the chosen one is best held against.

    Post-LN, the first to be published, for whatever leaves the stream alone; Pre-LN with its
    final norm for what does not.
    """
    return "pre_ln_final" if placement.ffn_sum or placement.attention_sum else "post_ln"


def in_order(placement: Placement) -> list[str]:
    """Keys in the order they are computed: the chosen, its opposite, the rest of the table."""
    first = [key_of(placement), opposite(placement)]
    return [*first, *(key for key in LISTED if key not in first)]
