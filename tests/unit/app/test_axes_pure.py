"""Probes, diagnosis, fills and code: what the Axes scene says, checked without a browser."""

import contextlib
import io

import numpy as np
import pytest

from app.code import numpy_code, torch_code
from app.diagnosis import diagnose, eps_note
from app.fields.kinds import Normalizer
from app.fills import FILLS, filled, resized
from app.formulas import steps_of
from app.normalizers import Affine, apply, with_axes
from app.presets import PRESETS
from app.probes import answers
from app.tensor import Tensor, cell_names
from kernels.axes import LAYOUTS

SEQUENCES = PRESETS["sequences"].tensor
FAMILIES = ("batch", "layer", "layer_sample", "rms", "rms_sample", "group", "instance")


def seen(key: str, tensor: Tensor, amount: float = 0.0, eps: float = 1e-5) -> dict[str, str]:
    normalized = [apply(Normalizer(family), tensor, eps) for family in ("batch", "layer", "rms")]
    rows = answers(key, tensor, amount, (0, 0, 0), normalized, eps)
    assert rows is not None
    return {str(row["title"]): str(row["seen"]) for row in rows}


def test_adding_ten_changes_rms_norm_alone() -> None:
    """The seeds: [1, 3] plus 10 leaves LayerNorm at [-1, 1]; RMSNorm's denominator is sqrt(145)."""
    assert seen("add", SEQUENCES, 10.0) == {
        "BatchNorm": "same",
        "LayerNorm": "same",
        "RMSNorm": "changes",
    }


def test_multiplying_changes_nothing_where_epsilon_is_zero() -> None:
    assert set(seen("multiply", SEQUENCES, 3.0, eps=0.0).values()) == {"same"}


def test_multiplying_shows_epsilon_where_it_is_not() -> None:
    assert set(seen("multiply", SEQUENCES, 3.0).values()) == {"nearly"}


def test_dropping_the_other_sequence_changes_batch_norm_alone() -> None:
    assert seen("drop", SEQUENCES) == {
        "BatchNorm": "changes",
        "LayerNorm": "same",
        "RMSNorm": "same",
    }


def test_permuting_the_batch_changes_no_token() -> None:
    assert set(seen("permute", SEQUENCES).values()) == {"same"}


def test_batch_probes_need_a_batch() -> None:
    one = PRESETS["pair"].tensor
    normalized = [apply(Normalizer("layer"), one, 1e-5)]
    assert answers("drop", one, 0.0, (0, 0, 0), normalized, 1e-5) is None


def found(values: list[list[list[float]]], eps: float, family: str = "layer"):  # type: ignore[no-untyped-def]
    tensor = Tensor("[B,T,d]", np.array(values))
    one = apply(Normalizer(family), tensor, eps)
    return diagnose(one, tensor, (0, 0, 0), cell_names(tensor.names))


def test_finite_outputs_need_no_diagnosis() -> None:
    assert found([[[1, 2, 3]]], 1e-5) is None


def test_a_nan_is_found_where_it_stands() -> None:
    diagnosis = found([[[1, 2, 3], [4, float("nan"), 6]]], 1e-5)
    assert diagnosis.step == "step_x"
    assert diagnosis.cells == (4,)
    assert "t1 f1" in diagnosis.sentence
    assert "3 outputs" in diagnosis.sentence


def test_a_constant_group_without_epsilon_is_zero_by_zero() -> None:
    diagnosis = found([[[3, 3, 3], [1, 2, 4]]], 0.0)
    assert diagnosis.step == "step_denominator"
    assert diagnosis.cells == (0, 1, 2)
    assert "0 by 0" in diagnosis.sentence
    assert "ε" in diagnosis.mend


def test_zeros_without_epsilon_break_rms_norm() -> None:
    assert "All values" in found([[[0, 0, 0]]], 0.0, "rms").sentence


def test_epsilon_is_told_when_it_is_a_third_of_the_denominator() -> None:
    """The seeds: eps = 1 on [2, 4, 4, 6] gives var + eps = 3 and shrinks by sqrt(2/3)."""
    one = apply(Normalizer("layer"), PRESETS["token"].tensor, 1.0)
    assert eps_note(one, (0, 0, 0), 1.0) == "Here ε is 33 % of σ² + ε: outputs shrink to ×0.82."
    assert eps_note(one, (0, 0, 0), 1e-5) == ""


@pytest.mark.parametrize("key", FILLS)
def test_a_fill_repeats_itself_for_the_same_seed(key: str) -> None:
    first, again = filled(key, (2, 3, 4), 5), filled(key, (2, 3, 4), 5)
    assert np.array_equal(first, again)
    assert FILLS[key].seeded != np.array_equal(first, filled(key, (2, 3, 4), 6))


def test_padding_is_zero_in_the_later_half_of_the_tokens() -> None:
    values = filled("padding", (2, 4, 3), 1)
    assert (values[:, 2:] == 0).all()
    assert (values[:, :2] != 0).all()


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_growing_keeps_what_was_there_and_shrinking_gives_it_back(axis: int) -> None:
    values = SEQUENCES.values
    grown = resized(values, axis, values.shape[axis] + 2)
    assert np.array_equal(np.take(grown, range(values.shape[axis]), axis), values)
    assert np.array_equal(resized(grown, axis, values.shape[axis]), values)
    assert np.array_equal(resized(resized(grown, axis, 1), axis, 1), resized(values, axis, 1))


def test_axes_picked_by_hand_get_their_proper_name_where_there_is_one() -> None:
    layout = LAYOUTS["[B,T,d]"]
    assert with_axes(Normalizer("layer"), (1, 2), layout).family == "layer_sample"
    assert with_axes(Normalizer("layer_sample"), (2,), layout).family == "layer"
    assert with_axes(Normalizer("layer"), (0,), layout) == Normalizer("layer", (0,))


def test_the_steps_end_in_the_output_with_gain_and_bias_of_the_channel() -> None:
    """The seeds: gamma [.5, .5, 2, 2], beta [1, 1, 0, 0] on [2, 4, 4, 6]: 0.2929 ... 2.8284."""
    affine = Affine(np.array([0.5, 0.5, 2, 2]), np.array([1.0, 1, 0, 0]))
    one = apply(Normalizer("layer"), PRESETS["token"].tensor, 1e-5, affine)
    steps = {step.name: step.number(one, (0, 0, 0), 2.0) for step in steps_of(one, 2)}
    assert steps["step_mean"] == 4.0
    assert steps["step_variance"] == 2.0
    assert steps["step_denominator"] == pytest.approx(1.4142170979, abs=1e-10)
    assert steps["step_gain"] == 0.5
    assert steps["step_bias"] == 1.0
    assert steps["step_output"] == pytest.approx(0.2928949866, abs=1e-10)


TENSORS = {
    "sequences": SEQUENCES,
    "images": Tensor("[N,C,H,W]", np.random.default_rng(1).normal(size=(2, 4, 2, 3))),
    "table": Tensor("[N,C]", np.random.default_rng(2).normal(size=(3, 4))),
    "vector": Tensor("[d]", np.random.default_rng(3).normal(size=4)),
    "broken": Tensor("[N,C]", np.array([[np.nan, 1.0], [np.inf, 2.0]])),
}


@pytest.mark.parametrize("axes", [None, (0,)])
@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", TENSORS)
def test_the_numpy_code_runs_as_it_is_copied_and_prints_what_is_shown(
    name: str, family: str, affine: bool, axes: tuple[int, ...] | None
) -> None:
    tensor = TENSORS[name]
    channels = tensor.values.shape[LAYOUTS[tensor.layout].channel]
    pair = Affine(np.linspace(0.5, 2, channels), np.arange(channels) * 1.0) if affine else None
    one = apply(Normalizer(family, axes), tensor, 1e-5, pair)
    code = numpy_code(one, tensor, 1e-5)
    assert "from kernels" not in code
    assert "import kernels" not in code
    names: dict[str, object] = {"__name__": "copied"}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), np.printoptions(precision=17):
        exec(compile(code.replace("print(", "shown = ("), "copied", "exec"), names)
    assert np.array_equal(names["shown"], one.result.output, equal_nan=True)  # type: ignore[arg-type]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", TENSORS)
def test_the_pytorch_code_is_python_and_names_the_right_function(name: str, family: str) -> None:
    tensor = TENSORS[name]
    one = apply(Normalizer(family), tensor, 1e-5)
    code = torch_code(one, tensor, 1e-5)
    compile(code, "copied", "exec")
    by_hand = "x.mean(" in code or "(x**2).mean(" in code or "centred" in code
    assert by_hand or "F." in code


def test_what_pytorch_refuses_is_said_in_its_code() -> None:
    one = apply(Normalizer("batch"), PRESETS["pair"].tensor, 0.0)
    code = torch_code(one, PRESETS["pair"].tensor, 0.0)
    assert "Expected more than 1 value per channel when training" in code
    assert "eps=0" in code
