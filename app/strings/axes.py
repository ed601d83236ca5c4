"""The sentences of the Axes scene."""

from __future__ import annotations

STRINGS: dict[str, str] = {
    "tensor": "Tensor",
    "own_tensor": "Your own",
    "reduce_over": "Reduce over",
    "grid_label": "Input tensor, shape {shape}",
    "sub": "Point at a cell to see its groups; type, paste or use the arrow keys to change it.",
    "one_value": "One value per channel: PyTorch refuses to train on this "
    "(“Expected more than 1 value per channel when training”); the bare formula gives 0.",
    "results": "The same tensor, normalized",
    "shares": "shares {title}’s statistics",
    "no_axes": "No axis is reduced: each value is a group of its own.",
    "too_many_columns": "{given} columns pasted, but only {room} fit from here",
    "too_many_rows": "{given} rows pasted, but only {room} fit from here",
    "centred": "Centred",
    "not_centred": "Not centred",
    "over": "over {axes}",
    "over_nothing": "over no axis",
    "lead": "<em data-colour='{colour}'>{title}</em> reads {reads}.",
    "reads_along": "the values along {axes}",
    "sub_shares": "Cell {place} holds {value} and shares its {title} statistics with {others} "
    "other {values}. Type to change it; arrow keys move, paste fills.",
    "sub_alone": "Cell {place} holds {value} and is alone in its {title} group. "
    "Type to change it; arrow keys move, paste fills.",
    "both": "both",
    "range": "colour: ±{range}",
    "step_x": "the value",
    "step_mean": "mean",
    "step_variance": "variance",
    "step_mean_square": "mean square",
    "step_denominator": "denominator",
    "step_normalized": "normalized",
    "step_output": "output",
}

# What one statistic is taken from, by the names of the axes reduced.
READS: dict[tuple[str, ...], str] = {
    (): "each value alone",
    ("d",): "one token’s own features",
    ("T", "d"): "all tokens of one sequence together",
    ("B", "T"): "one feature across all tokens",
    ("B",): "one feature at one position, across sequences",
    ("T",): "one feature along one sequence",
    ("B", "d"): "one position of all sequences",
    ("B", "T", "d"): "every value of the batch at once",
    ("N",): "one channel across the batch",
    ("C",): "one example’s own channels",
    ("N", "L"): "one channel across the batch and its length",
    ("C", "L"): "one whole example",
    ("L",): "one channel of one example",
    ("N", "H", "W"): "one channel across the batch and all pixels",
    ("C", "H", "W"): "one whole image",
    ("H", "W"): "one channel of one image",
}
