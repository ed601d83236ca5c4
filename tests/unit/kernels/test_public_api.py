"""The public kernels by name and signature, as the design promises them to whoever scripts them.

The order of what may be given by position is that of `torch.nn.functional` 2.13, where torch has
the function.
"""

import ast
import inspect
from pathlib import Path

import numpy as np
import pytest

import kernels

# Name → what may be given by position, with its default; then what is given by name only. What a
# kernel takes beyond that is given by name, and may be left out.
PROMISED: dict[str, str] = {
    "layer_norm": "(x, normalized_shape, weight=None, bias=None, eps=1e-05)",
    "rms_norm": "(x, normalized_shape, weight=None, eps=None, *, gain_offset=0.0)",
    "batch_norm": "(x, running_mean=None, running_var=None, weight=None, bias=None, "
    "training=False, momentum=0.1, eps=1e-05, *, mask=None, strict=True)",
    "group_norm": "(x, num_groups, weight=None, bias=None, eps=1e-05)",
    "instance_norm": "(x, running_mean=None, running_var=None, weight=None, bias=None, "
    "use_input_stats=True, momentum=0.1, eps=1e-05)",
    "normalize": "(x, axes, *, center=True, eps=1e-05)",
    "layer_norm_backward": "(grad_output, x, normalized_shape, weight=None, eps=1e-05)",
    "rms_norm_backward": "(grad_output, x, normalized_shape, weight=None, eps=None, *, "
    "gain_offset=0.0)",
    "batch_norm_backward": "(grad_output, x, running_mean=None, running_var=None, weight=None, "
    "training=False, eps=1e-05, *, mask=None)",
    "group_norm_backward": "(grad_output, x, num_groups, weight=None, eps=1e-05)",
    "instance_norm_backward": "(grad_output, x, running_mean=None, running_var=None, weight=None, "
    "use_input_stats=True, eps=1e-05)",
    "normalize_backward": "(grad_output, x, axes, *, center=True, eps=1e-05)",
    "softmax": "(x, axis=-1, *, temperature=1.0)",
    "log_softmax": "(x, axis=-1, *, temperature=1.0)",
    "softmax_backward": "(grad_output, x, axis=-1, *, temperature=1.0)",
    "log_softmax_backward": "(grad_output, x, axis=-1, *, temperature=1.0)",
    "entropy": "(p, axis=-1)",
    "soft_cap": "(s, cap)",
    "soft_cap_backward": "(grad_output, s, cap)",
    "attention_scores": "(q, k, *, qk_norm=None, weight_q=None, weight_k=None, eps=1e-06, "
    "scale=None, soft_cap=None, rope=None)",
    "simulate_stack": "(placement, norm='layer_norm', depth=24, width=64, tokens=16, *, seed=0)",
}

RECORDS: dict[str, tuple[str, ...]] = {
    "NormResult": (
        "output",
        "normalized",
        "mean",
        "variance",
        "mean_square",
        "denominator",
        "axes",
        "running_mean",
        "running_var",
    ),
    "NormGrads": ("x", "weight", "bias"),
}


def parameters(name: str) -> list[inspect.Parameter]:
    return list(inspect.signature(getattr(kernels, name)).parameters.values())


def promised(text: str) -> list[tuple[str, str, bool]]:
    """Name, default as written or "" without one, and whether it is given by name only."""
    function = ast.parse(f"def f{text}: ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    given = function.args
    defaults = [None] * (len(given.args) - len(given.defaults)) + list(given.defaults)
    rows = [*zip(given.args, defaults, [False] * len(given.args), strict=True)]
    rows += [*zip(given.kwonlyargs, given.kw_defaults, [True] * 99, strict=False)]
    return [
        (argument.arg, "" if default is None else repr(ast.literal_eval(default)), by_name)
        for argument, default, by_name in rows
    ]


@pytest.mark.parametrize("name", PROMISED)
def test_a_kernel_has_the_promised_signature(name: str) -> None:
    wanted = promised(PROMISED[name])
    got = [
        (p.name, "" if p.default is p.empty else repr(p.default), p.kind is p.KEYWORD_ONLY)
        for p in parameters(name)
        if p.kind is not p.VAR_KEYWORD
    ]
    assert [row for row in got if row in wanted] == wanted
    beyond = [row for row in got if row not in wanted]
    assert all(default and by_name for _, default, by_name in beyond), beyond


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_has_the_promised_fields(name: str) -> None:
    assert getattr(kernels, name)._fields == RECORDS[name]


def test_a_stack_tells_the_rms_of_stream_updates_and_gradient_a_layer_and_its_logits() -> None:
    trace = kernels.simulate_stack("pre_ln", "rms_norm", 3, 16, 4, seed=7)
    assert trace.stream_rms.shape == trace.gradient_rms.shape == (4,)
    assert trace.update_rms.shape == (3, 2)
    np.testing.assert_allclose(trace.stream_rms[1], np.sqrt(np.mean(np.square(trace.stream[1]))))
    assert trace.logits.shape == (4, 4, trace.vocabulary.unembedding.shape[1])
    probabilities = kernels.softmax(trace.logits.astype(np.float64))
    np.testing.assert_allclose(probabilities, trace.read_head().probabilities, rtol=1e-5)
    other = kernels.simulate_stack("pre_ln", "rms_norm", 3, 16, 4, seed=8)
    assert not np.array_equal(trace.stream, other.stream)


def test_nothing_public_is_missing_from_the_list_of_names() -> None:
    assert set(PROMISED) | set(RECORDS) <= set(kernels.__all__)
    assert sorted(kernels.__all__) == list(kernels.__all__)
    source = ast.parse(Path(kernels.__file__).read_text(encoding="utf-8"))
    imported = [
        alias.name
        for node in source.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    assert sorted(imported) == list(kernels.__all__)


@pytest.mark.parametrize("name", kernels.__all__)
def test_everything_public_says_what_it_does(name: str) -> None:
    text = inspect.getdoc(getattr(kernels, name)) or ""
    assert text.splitlines()[0].endswith((".", ":"))
    if inspect.isfunction(getattr(kernels, name)):
        assert "Raises" in text
