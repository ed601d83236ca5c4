"""A decode server: sequences come and go, and one request repeats its token among them.

Everything follows from the seed, so that a step can be shown again, taken back, and linked to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import kernels

STEPS = 32  # steps of seeded traffic
MOST_OTHERS = 4  # requests served beside yours


@dataclass(frozen=True)
class Request:
    """One sequence: when it is served, and its token at each step, shape ``[length, d]``."""

    number: int
    start: int
    tokens: np.ndarray

    @property
    def end(self) -> int:
        """The first step without it."""
        return self.start + len(self.tokens)

    def is_served(self, step: int) -> bool:
        """Whether it has a token at a step."""
        return self.start <= step < self.end


@dataclass(frozen=True)
class Traffic:
    """How busy the server is: the chance of an arrival at each step, and how long answers are."""

    arrivals: float
    longest: int


TRAFFIC: dict[str, Traffic] = {"light": Traffic(0.25, 8), "busy": Traffic(0.8, 14)}
SCRIPT = "script"  # the seeds' three batches: the same 1 with [3], with [3, 5], with [11]
KINDS = ("script", *TRAFFIC)


def steps_of(kind: str) -> int:
    """How many steps a kind of traffic lasts."""
    return 3 if kind == SCRIPT else STEPS


def requests_of(kind: str, seed: int, features: int) -> tuple[Request, ...]:
    """The other requests, by their number; a token has so many features."""
    if kind == SCRIPT:
        values = ((0, (3.0, 3.0)), (1, (5.0,)), (2, (11.0,)))
        return tuple(
            Request(number, start, np.repeat(np.array(tokens)[:, np.newaxis], features, axis=1))
            for number, (start, tokens) in enumerate(values)
        )
    traffic = TRAFFIC[kind]
    generator = np.random.default_rng(seed)
    requests: list[Request] = []
    for step in range(1, STEPS):  # at the first step yours is alone
        served = sum(request.is_served(step) for request in requests)
        if generator.random() < traffic.arrivals and served < MOST_OTHERS:
            length = int(generator.integers(2, traffic.longest + 1))
            level = generator.normal(0.0, 4.0)  # what its text is about moves all its tokens
            tokens = level + generator.normal(0.0, 2.0, (length, features))
            requests.append(Request(len(requests), step, np.round(tokens, 1)))
    return tuple(requests)


def batch_at(
    step: int, token: np.ndarray, requests: tuple[Request, ...]
) -> tuple[np.ndarray, list[Request]]:
    """The batch of a step, your token (shape ``[d]``) first, and whose the other rows are."""
    others = [request for request in requests if request.is_served(step)]
    rows = [token, *(request.tokens[step - request.start] for request in others)]
    return np.array(rows), others


@dataclass(frozen=True)
class Replay:
    """Your token's output at every step, of shape ``[steps, d]`` each.

    Attributes:
        sizes: how many tokens were in the batch.
        batch_norm: BatchNorm with the statistics of the batch of that step (zeros when it is alone,
            where PyTorch raises in training).
        running: BatchNorm in evaluation, with statistics learned on another hour of traffic.
        layer, rms: LayerNorm and RMSNorm, in the same batches.
    """

    requests: tuple[Request, ...]
    sizes: np.ndarray
    batch_norm: np.ndarray
    running: np.ndarray
    layer: np.ndarray
    rms: np.ndarray


def replay(kind: str, seed: int, token: np.ndarray, eps: float) -> Replay:
    """Serve the whole hour with the kernels; your token is row 0 of every batch."""
    features = len(token)
    requests = requests_of(kind, seed, features)
    learned = learned_statistics(kind, seed, features)
    batches = [batch_at(step, token, requests)[0] for step in range(steps_of(kind))]
    served = {
        name: np.array([norm(batch).output[0] for batch in batches])
        for name, norm in {
            "batch_norm": lambda x: kernels.batch_norm(x, training=True, strict=False, eps=eps),
            "running": lambda x: kernels.batch_norm(x, *learned, eps=eps),
            "layer": lambda x: kernels.layer_norm(x, features, eps=eps),
            "rms": lambda x: kernels.rms_norm(x, features, eps=eps),
        }.items()
    }
    return Replay(requests=requests, sizes=np.array([len(one) for one in batches]), **served)


def learned_statistics(kind: str, seed: int, features: int) -> tuple[np.ndarray, np.ndarray]:
    """Running statistics from the traffic of another seed, all its tokens as one batch."""
    other = "busy" if kind == SCRIPT else kind
    tokens = np.concatenate([one.tokens for one in requests_of(other, seed + 1, features)])
    fresh = (np.zeros(features), np.ones(features))
    result = kernels.batch_norm(tokens, *fresh, training=True, momentum=1.0)
    return np.asarray(result.running_mean), np.asarray(result.running_var)


def moved(outputs: np.ndarray) -> float:
    """The largest difference between any two steps, over all features."""
    return float((outputs.max(axis=0) - outputs.min(axis=0)).max())


def rows_of(spans: list[tuple[int, int]]) -> list[int]:
    """A row for each span, from 1 on, so that none in a row overlap."""
    ends: list[int] = []
    rows = []
    for start, end in spans:
        free = next((row for row, until in enumerate(ends) if until <= start), len(ends))
        if free == len(ends):
            ends.append(end)
        ends[free] = end
        rows.append(free + 1)
    return rows
