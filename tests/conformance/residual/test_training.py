"""The tiny model's training against PyTorch's autograd and Adam, recorded by record_training.py."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kernels.training import RECIPES, TrainingRun

RECORDED = json.loads(Path(__file__).with_name("training.json").read_text())


@pytest.mark.parametrize("name", RECIPES)
def test_twelve_steps_have_pytorchs_losses(name: str) -> None:
    recipe = RECIPES[name]
    settings = replace(
        recipe, dtype="float64", warmup=6 if recipe.warmup else 0, **RECORDED["settings"]
    )
    losses = [step.loss for step in TrainingRun(settings)]
    np.testing.assert_allclose(losses, RECORDED[name], rtol=1e-7)
