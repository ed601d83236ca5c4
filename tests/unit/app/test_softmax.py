"""The Softmax scene without a browser: the seeds' chain, its steps, curves, captions and state."""

import math

import numpy as np
import pytest

from app.fields.softmax import fit_gains
from app.link import fragment_of, open_fragment
from app.softmax.captions import lead, sub
from app.softmax.curves import SCALES, VARIANTS, Curves, variant_of
from app.softmax.digits import percent, probability, significant, vector
from app.softmax.leak import compare_orders
from app.softmax.presets import SOFTMAX_PRESETS, preset_of
from app.softmax.problem import HeadResult, Problem, head_of, problem_of
from app.softmax.scales import SCALE_STEPS, nearest
from app.softmax.steps import steps_of
from app.state import Store


def store_with(preset: str = "plain", **patch: object) -> Store:
    store = Store()
    store.update(SOFTMAX_PRESETS[preset])
    store.update(dict(patch))
    return store


def run(store: Store, head: int = 0) -> tuple[Problem, HeadResult]:
    problem = problem_of(store.values)
    return problem, head_of(problem.run(), head, problem.visible)


# preset: scores, probabilities and the largest own slope, in exact arithmetic to ten digits:
# softmax of a gap g is 1/(1 + e^-g), its slope p(1 - p); the gaps are 1, 9, 9/√2, 1/√2 · 2/√5 · √2.
CHAIN = {
    "plain": ([2, 1], [0.7310585786, 0.2689414214], 0.1966119332),
    "tripled": ([18, 9], [0.9998766054, 0.0001233946], 1.233793498e-4),
    "tripled_scaled": ([12.7279220614, 6.3639610307], [0.9982804318, 0.0017195682], 0.0017166113),
    "qk_norm_tripled": ([1.2649110641, 0.6324555320], [0.6530460379, 0.3469539621], 0.2265769103),
    "bound": ([11.3137084990, -11.3137084990], [1, 1.489490227e-10], 1.489490227e-10),
    "cap_before_mask": ([2, 1], [1, 0], 0.0),
}


@pytest.mark.parametrize("preset", CHAIN)
def test_presets_give_the_seeds_numbers(preset: str) -> None:
    scores, probabilities, slope = CHAIN[preset]
    _, result = run(store_with(preset))
    assert result.scores == pytest.approx(scores, rel=1e-9)
    assert result.probabilities == pytest.approx(probabilities, rel=1e-6, abs=1e-15)
    assert float(result.slope.max()) == pytest.approx(slope, rel=2e-6, abs=1e-15)


def test_cap_after_the_mask_leaks_12_3_percent() -> None:
    """onnx#7865: at cap 1 the masked key is back at -1."""
    _, result = run(store_with("cap_after_mask"))
    assert result.probabilities == pytest.approx([0.8769681684, 0.1230318316], abs=1e-10)
    assert percent(result.leaked) == "12.3 %"


def test_the_comparison_supposes_cap_1_and_the_last_key_masked() -> None:
    problem, _ = run(store_with("plain"))
    orders = compare_orders(problem, problem.run(), 0)
    assert orders.supposed
    assert orders.cap == 1
    assert orders.before.probabilities.tolist() == [1, 0]
    assert orders.after.leaked == pytest.approx(0.12303183162604975, abs=1e-12)


def test_the_comparison_takes_the_states_own_cap_and_mask() -> None:
    store = store_with("plain", softmax_cap=2.0, softmax_masked=[0])
    problem, _ = run(store)
    chain = problem.run()
    orders = compare_orders(problem, chain, 0)
    assert not orders.supposed
    assert np.shares_memory(orders.before.probabilities, chain.probabilities)  # not run again
    # 1/(1 + e^(c·tanh(s/c) + c)) with s = 1, c = 2: 2·tanh(1/2) = 0.9242343145.
    assert orders.after.leaked == pytest.approx(1 / (1 + math.exp(2.9242343145)), abs=1e-10)


def test_rope_before_or_after_the_norm_differs_with_gains_by_feature() -> None:
    """Position 1 turns [1, 2] by one radian; worked out with cosine and sine by hand."""
    store = store_with(
        softmax_vectors=[[1, 2], [1, 0]],
        softmax_norm="rms",
        softmax_eps=0,
        softmax_gains=[[2, 1], [1, 1]],
        softmax_position=1,
        softmax_rope="norm_then_rope",
    )
    a, b = np.array([1, 2]) / math.sqrt(2.5)
    cos, sin = math.cos(1), math.sin(1)
    after = [2 * a * cos - b * sin, 2 * a * sin + b * cos]
    before = [2 * (a * cos - b * sin), a * sin + b * cos]
    assert run(store)[1].query_hat == pytest.approx(after, abs=1e-12)
    store.update({"softmax_rope": "rope_then_norm"})
    assert run(store)[1].query_hat == pytest.approx(before, abs=1e-12)


def test_one_norm_over_all_heads_lets_a_head_pass_the_bound_of_one() -> None:
    """[2, 1] and [8, 4] share the mean square 85/4: the longer head keeps four times the length."""
    problem, result = run(store_with("over_heads"), head=1)
    rms_q, rms_k = math.sqrt(85 / 4 + 1e-6), math.sqrt(17 / 4 + 1e-6)
    expected = 8 * 4 / (rms_q * rms_k) / math.sqrt(2)
    assert result.scores[0] == pytest.approx(expected, rel=1e-12)
    assert result.scores[0] > math.sqrt(2)
    assert problem.bound == pytest.approx(2 * math.sqrt(2))


def test_the_bound_of_unit_gains_is_the_root_of_d() -> None:
    problem, _ = run(store_with("bound"))
    assert problem.bound == pytest.approx(11.313708498984761, rel=1e-14)
    gained = store_with("bound", softmax_gains=[[3.0] * 128, [1.0] * 128])
    assert problem_of(gained.values).bound == pytest.approx(3 * 11.313708498984761)
    assert problem_of(store_with("plain").values).bound is None


def test_curves_stand_where_the_chain_is() -> None:
    problem, result = run(store_with("tripled"))
    curves = Curves(problem)
    point = curves.points(0)[variant_of(problem)]
    assert point.largest_score == pytest.approx(18)
    assert point.entropy == pytest.approx(0.0012339533735994256, rel=1e-12)
    assert point.slope == pytest.approx(float(result.slope.max()), rel=1e-12)
    assert curves.at_one("bare", 0).slope == pytest.approx(0.19661193324148185, rel=1e-12)
    assert curves.points(0)["normed"].entropy == pytest.approx(0.60232805, abs=1e-7)


def test_moving_the_scale_gives_what_new_curves_give() -> None:
    moved = Curves(problem_of(store_with("plain").values))
    problem = problem_of(store_with("plain", softmax_scale=2.5).values)
    moved.move(problem)
    assert moved.points(0) == pytest.approx(Curves(problem).points(0))
    assert moved.points(0)["bare"].largest_score == pytest.approx(2 * 2.5**2)


def test_a_curve_of_the_norm_is_level_and_one_without_grows_with_the_square() -> None:
    curves = Curves(problem_of(store_with("plain", softmax_eps=0).values))
    bare = curves.row("bare", "largest_score", 0)
    assert bare == pytest.approx(2 * SCALES**2, rel=1e-12)
    level = curves.row("normed", "largest_score", 0)
    assert np.ptp(level) < 1e-12
    assert curves.row("capped", "largest_score", 0).max() <= 50
    assert {one.key for one in VARIANTS} == set(curves.swept)


@pytest.mark.parametrize("preset", SOFTMAX_PRESETS)
def test_every_preset_survives_its_link(preset: str) -> None:
    store = store_with(preset)
    store.update({"scene": "softmax"})
    again = Store()
    assert open_fragment(again, fragment_of(store)) == []
    assert again.as_json() == store.as_json()
    assert preset_of(again.values) == preset


def test_steps_follow_the_order_of_cap_and_mask() -> None:
    problem, result = run(store_with("cap_after_mask"))
    steps = steps_of(problem.settings, result)
    assert [step.key for step in steps][3:5] == ["mask", "cap"]
    texts = {step.key: [step.of_key(result, key) for key in (0, 1)] for step in steps}
    assert texts["mask"] == ["2", "−∞"]
    assert texts["cap"] == ["0.964", "−1"]
    assert texts["probability"] == ["0.87697", "0.12303"]


def test_steps_write_the_seeds_numbers() -> None:
    problem, result = run(store_with("qk_norm_tripled"))
    steps = {step.key: step for step in steps_of(problem.settings, result)}
    assert steps["projected"].of_query == "[6, 3]"
    assert steps["prepared"].of_query == "[1.26, 0.632]"
    assert [steps["score"].of_key(result, key) for key in (0, 1)] == ["1.2649", "0.6325"]
    assert [steps["probability"].of_key(result, key) for key in (0, 1)] == ["0.65305", "0.34695"]


@pytest.mark.parametrize(
    ("preset", "patch", "words"),
    [
        ("plain", {}, ["k0 takes 73.1 %", "Nothing bounds"]),
        ("tripled", {}, ["k0 takes 99.99 %", "nearly one-hot", "1594 times smaller"]),
        ("qk_norm_tripled", {}, ["65.3 %", "as at ×1", "±√2 = 1.414"]),
        ("bound", {}, ["±√128 = 11.31"]),
        ("cap_after_mask", {}, ["12.3 % of the attention leaks to k1", "−1 again"]),
        ("plain", {"softmax_masked": [0, 1]}, ["Every key is masked"]),
        ("plain", {"softmax_masked": [0]}, ["k1 is the only key"]),
        ("plain", {"softmax_vectors": [[1, 1], [1, 0], [0, 1]]}, ["evenly: 50 % for each of 2"]),
        ("plain", {"softmax_vectors": [[2, 1], [1, "NaN"], [0, 1]]}, ["k0 is not a finite number"]),
        ("plain", {"softmax_vectors": [[1e200, 1], [1e200, 0], [0, 1]]}, ["overflow"]),
    ],
)
def test_captions_say_what_the_numbers_are(
    preset: str, patch: dict[str, object], words: list[str]
) -> None:
    problem, result = run(store_with(preset, **patch))
    then = Curves(problem).at_one(variant_of(problem), 0).slope
    text = f"{lead(problem, result)} {sub(problem, result, then)}"
    plain = text.replace("<em data-colour='rms'>", "").replace("</em>", "")
    for part in words:
        assert part in plain


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1230318, "12.3 %"),
        (0.9998766, "99.99 %"),
        (1, "100 %"),
        (0, "0 %"),
        (1.4e-10, "1.4e−8 %"),
    ],
)
def test_percent_keeps_what_tells_it_from_all_and_nothing(value: float, text: str) -> None:
    assert percent(value) == text


def test_almost_all_is_not_all() -> None:
    assert percent(1 - 1.5e-10) == "over 99.9999 %"


def test_numbers_are_written_to_three_digits() -> None:
    assert significant(0.19661193) == "0.197"
    assert significant(1.233793e-4) == "1.23e−4"
    assert significant(-0.19661193) == "−0.197"
    assert significant(17.2607) == "17.3"
    assert significant(float("nan")) == "NaN"
    assert probability(0.0001233946) == "0.00012"
    assert vector([6.0, 3.0]) == "[6, 3]"
    assert vector([1.0] * 128) == "|·| 11.3"


def test_sliders_stand_at_the_nearest_step() -> None:
    assert SCALE_STEPS[nearest(SCALE_STEPS, 3.0)] == 3
    assert SCALE_STEPS[nearest(SCALE_STEPS, 2.4)] == 2
    assert SCALE_STEPS[nearest(SCALE_STEPS, 1e-3)] == 0.1


def test_state_refuses_what_is_no_query_with_keys() -> None:
    store = Store()
    with pytest.raises(ValueError, match="softmax_vectors: expected a query and 1 to 8 keys"):
        store.update({"softmax_vectors": [[1, 2]]})
    with pytest.raises(ValueError, match="softmax_heads: 2 features are not divisible by 4"):
        store.update({"softmax_heads": 4})
    with pytest.raises(ValueError, match="softmax_factor"):
        store.update({"softmax_factor": 0})
    with pytest.raises(ValueError, match="softmax_gains: expected finite numbers"):
        store.update({"softmax_gains": [[math.inf, 1], [1, 1]]})


def test_fewer_keys_take_their_masks_with_them() -> None:
    store = store_with(softmax_masked=[1])
    store.update({"softmax_vectors": [[2, 1], [1, 0]]})
    assert store["softmax_masked"] == ()


def test_gains_follow_the_number_of_features() -> None:
    assert fit_gains(((2.0, 3.0), (1.0, 1.0)), 3) == ((2.0, 3.0, 1.0), (1.0, 1.0, 1.0))
    assert fit_gains(((1.0, 3.0), (1.0, 1.0)), 1) is None
