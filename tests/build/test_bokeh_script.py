"""BokehJS in parts: each module once, after what it needs, and the bundle else as it was."""

from __future__ import annotations

import pytest

from static.build.bokeh_script import CHANGES, in_parts, leaves_first, modules_of, needs
from static.build.errors import BuildError

BUNDLE = (
    "".join(old for old, _ in CHANGES[:3])
    + CHANGES[3][0]
    + """
function _(t,n,o){t(1);t(2)},
function _(e,r){e(3).x(99)},
function _(q){q(3);z.q(1)},
function _(){},
], 0, {});"""
)


def test_modules_come_after_what_they_need() -> None:
    assert [needs(module) for module in modules_of(BUNDLE)] == [[1, 2], [3], [3], []]
    assert "order: [3,1,2,0]" in in_parts(BUNDLE)


def test_a_long_chain_and_a_number_of_another_bundle() -> None:
    chain = [[number + 1] for number in range(5000)]  # the last needs 5000, which is not there
    assert leaves_first(chain) == list(range(4999, -1, -1))


def test_a_bundle_built_otherwise_is_refused() -> None:
    with pytest.raises(BuildError, match="not built as expected"):
        in_parts(BUNDLE.replace("factory()", "factory( )"))
