"""Every combination of places: the block's own gradient, by finite differences."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.blocks import PLACE_WIRES, WIRES, backward_block, forward_block
from kernels.placements import PLACES, Placement
from kernels.self_attention import AttentionForm
from kernels.stack_passes import StackLayer
from kernels.weights import draw_layer

ALPHA = 1.3


@st.composite
def placements(draw: st.DrawFn) -> Placement:
    on = {place: draw(st.booleans()) for place in PLACES}
    placement = Placement(**on)
    return placement.with_parallel(draw(st.booleans()))


def layer(norm: str) -> StackLayer:
    weights = draw_layer(4, 16, 0).astype(np.float64)
    return StackLayer(weights, norm, AttentionForm(heads=2, eps=1e-3))


@given(placements(), st.sampled_from(["layer_norm", "rms_norm"]), st.integers(0, 1000))
@settings(max_examples=80, deadline=None)
def test_backward_of_any_placement_is_the_finite_difference(
    placement: Placement, norm: str, seed: int
) -> None:
    generator = np.random.default_rng(seed)
    x, weight, direction = generator.standard_normal((3, 1, 4, 16))
    operations = layer(norm)
    wires, saved = forward_block(x, placement, operations, ALPHA)
    gradient, _ = backward_block(weight, placement, operations, saved, ALPHA)

    def loss(step: float) -> float:
        output = forward_block(x + step * direction, placement, operations, ALPHA)[0]["output"]
        return float((weight * output).sum())

    step = 1e-5
    slope = (loss(step) - loss(-step)) / (2 * step)
    scale = np.abs(gradient["input"] * direction).sum()
    assert abs((gradient["input"] * direction).sum() - slope) <= 1e-7 * scale + 1e-9
    expected = [w for w in WIRES if not (placement.parallel and w in ("attention_sum", "middle"))]
    assert sorted(wires) == sorted(gradient) == sorted(expected)


@given(placements())
@settings(max_examples=40, deadline=None)
def test_a_place_that_is_off_passes_its_wire_through(placement: Placement) -> None:
    x = np.random.default_rng(0).standard_normal((1, 4, 16))
    wires, _ = forward_block(x, placement, layer("rms_norm"))
    for place, (before, after) in PLACE_WIRES.items():
        if placement.parallel and place in ("attention_sum", "ffn_input"):
            continue  # no such wires: both branches read x
        same = wires[before] is wires[after]
        assert same != getattr(placement, place)
        if not same:
            np.testing.assert_allclose(np.sqrt(np.square(wires[after]).mean(-1)), 1, atol=0.02)
