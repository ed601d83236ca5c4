"""All published systems, in order of appearance: key → row."""

from __future__ import annotations

from kernels import models_from_2024, models_to_2023
from kernels.models import Model

MODELS: dict[str, Model] = {**models_to_2023.ROWS, **models_from_2024.ROWS}
