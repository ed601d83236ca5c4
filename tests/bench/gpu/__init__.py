"""`python3 build.py bench gpu`: our compute shaders against those of other libraries."""

from tests.bench.gpu.run import main

__all__ = ["main"]
