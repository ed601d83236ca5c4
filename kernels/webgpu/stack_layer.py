"""A block's norms and sublayers on the device, as `kernels.blocks` asks for them."""

from __future__ import annotations

from dataclasses import dataclass

from kernels.self_attention import QK_ROW_NORMS
from kernels.stack_settings import StackSettings
from kernels.webgpu.matrices import View
from kernels.webgpu.tensors import Scope, Tensor


@dataclass(frozen=True)
class DeviceLayer:
    """One block's matrices on the device, as `kernels.weights.LayerWeights`."""

    query_key_value: Tensor
    output: Tensor
    hidden: Tensor
    down: Tensor


@dataclass(frozen=True)
class OuterProduct:
    """A weight's gradient, not multiplied out: its inputs, and the gradients of its outputs."""

    inputs: Tensor
    gradients: tuple[Tensor, ...]


@dataclass(frozen=True)
class Attended:
    """What attention's backward pass needs. q, k and v are [T, heads, d/heads], or [T, d] where
    q and k are normalized over all heads; raw is before QK-norm.
    """

    inputs: Tensor
    raw: tuple[Tensor, Tensor]
    heads: tuple[Tensor, Tensor, Tensor]
    scores: Tensor
    probabilities: Tensor
    context: Tensor


@dataclass(frozen=True)
class Fed:
    """What the FFN's backward pass needs."""

    inputs: Tensor
    before: Tensor
    activated: Tensor


class GpuLayer:
    """`kernels.stack_passes.StackLayer` for tensors of the device, each [T, d]."""

    def __init__(self, settings: StackSettings, weights: DeviceLayer, gpu: Scope) -> None:
        """A layer of a stack."""
        self._settings = settings
        self._weights = weights
        self._gpu = gpu
        self._center = settings.norm == "layer_norm"
        self._length, self._width, self._count = settings.tokens, settings.width, settings.heads
        self._size = settings.width // settings.heads

    def normalize(self, place: str, x: Tensor) -> tuple[Tensor, Tensor]:
        """The stack's norm, the same at every place."""
        return x.normalize(center=self._center, eps=self._settings.eps), x

    def normalize_backward(self, place: str, gradient: Tensor, saved: Tensor) -> Tensor:
        """Through the norm."""
        return saved.normalize_backward(gradient, center=self._center, eps=self._settings.eps)

    # attention ----------------------------------------------------------------------------------

    @property
    def _over_heads(self) -> bool:
        return self._settings.qk_norm is not None and self._settings.qk_norm_over_heads

    @property
    def _qk(self) -> tuple[bool, float, float]:
        """QK-norm: whether it centres, its ε, and the factor its rows get."""
        norm = QK_ROW_NORMS[str(self._settings.qk_norm)]
        size = self._width if self._over_heads else self._size
        eps = self._settings.eps / size if norm.unit_length else self._settings.eps
        return norm.norm == "layer_norm", eps, size**-0.5 if norm.unit_length else 1.0

    @property
    def _score_factor(self) -> float:
        given = self._settings.score_scale
        factor = self._size**-0.5 if given is None else given
        return factor * self._qk[2] ** 2 if self._settings.qk_norm else factor

    @property
    def _heads_view(self) -> View:
        """Each head's [T, d/heads] inside [T, d]."""
        return View(0, self._size, self._width, 1)

    @property
    def _maps_view(self) -> View:
        """Each head's [T, T]."""
        return View(0, self._length**2, self._length, 1)

    def _of_input(self, x: Tensor, part: int) -> Tensor:
        """x times W_Q, W_K or W_V, the parts 0 to 2 of W_QKV."""
        width = self._width
        shape = [self._length, width] if self._over_heads else [*self._split]
        weight = View(0, 0, 3 * width, 1, part * width)
        views = View(0, 0, width, 1), weight, View(0, 0, width, 1)
        size = self._length, width, width
        return self._gpu.multiplied((x, self._weights.query_key_value), size, views, shape)

    @property
    def _split(self) -> tuple[int, int, int]:
        return self._length, self._count, self._size

    def _maps(self, a: Tensor, b: Tensor, **fields: float) -> Tensor:
        """a·bᵀ head by head: [heads, T, T]."""
        size = self._length, self._size, self._length
        views = self._heads_view, self._heads_view.transposed, self._maps_view
        shape = [self._count, self._length, self._length]
        return self._by_head((a, b), size, views, shape, **fields)

    def _along(self, maps: Tensor, values: Tensor, *, back: bool, factor: float = 1.0) -> Tensor:
        """Maps, or their transposes, times values head by head, in the shape of values."""
        view = self._maps_view.transposed if back else self._maps_view
        size = self._length, self._length, self._size
        views = view, self._heads_view, self._heads_view
        return self._by_head((maps, values), size, views, values.shape, factor=factor)

    def _by_head(
        self,
        operands: tuple[Tensor, Tensor],
        size: tuple[int, int, int],
        views: tuple[View, View, View],
        shape: list[int] | tuple[int, ...],
        **fields: float,
    ) -> Tensor:
        """One product a head."""
        count = self._count
        return self._gpu.multiplied(
            operands, size, views, list(shape), matrices=count, inner=count, **fields
        )

    def attention(self, x: Tensor) -> tuple[Tensor, Attended]:
        """As `kernels.self_attention.attention`."""
        settings = self._settings
        query, key, value = (self._of_input(x, part) for part in range(3))
        raw = query, key
        if settings.qk_norm:
            center, eps, _ = self._qk
            query, key = (one.normalize(center=center, eps=eps) for one in raw)
        scores = self._maps(query, key, factor=self._score_factor, causal=1, soft_cap=0.0)
        probabilities = scores.softmax()
        size = self._length, self._length, self._size
        views = self._maps_view, self._heads_view, self._heads_view
        context = self._by_head(
            (probabilities, value),
            size,
            views,
            (self._length, self._width),
            factor=settings.init_scale,
        )
        update = context.product(self._weights.output, factor=settings.output_gain)
        saved = Attended(x, raw, (query, key, value), scores, probabilities, context)
        return update, saved

    def attention_backward(
        self, gradient: Tensor, saved: Attended
    ) -> tuple[Tensor, tuple[OuterProduct, OuterProduct]]:
        """As `kernels.self_attention.attention_backward`."""
        settings = self._settings
        query, key, value = saved.heads
        output = OuterProduct(saved.context, (gradient,))
        context = gradient.product(
            self._weights.output, transposed=True, factor=settings.output_gain
        )
        by_probability = self._maps(context, value, factor=settings.init_scale)
        scores = saved.probabilities.softmax_backward(by_probability, self._score_factor)
        parts = [
            self._along(scores, key, back=False),
            self._along(scores, query, back=True),
            self._along(saved.probabilities, context, back=True),
        ]
        if settings.qk_norm:
            center, eps, _ = self._qk
            for part, raw in enumerate(saved.raw):
                parts[part] = raw.normalize_backward(parts[part], center=center, eps=eps)
        gains = 1.0, 1.0, settings.init_scale
        back, *others = (
            self._to_input(one, part, gain)
            for part, (one, gain) in enumerate(zip(parts, gains, strict=True))
        )
        for other in others:
            back = back + other
        return back, (OuterProduct(saved.inputs, tuple(parts)), output)

    def _to_input(self, gradient: Tensor, part: int, factor: float) -> Tensor:
        """A gradient of q, k or v through its part of W_QKV."""
        width = self._width
        plain = View(0, 0, width, 1)
        weight = View(0, 0, 3 * width, 1, part * width).transposed
        size, shape = (self._length, width, width), [self._length, width]
        operands = gradient, self._weights.query_key_value
        return self._gpu.multiplied(operands, size, (plain, weight, plain), shape, factor=factor)

    # the feed-forward sublayer ------------------------------------------------------------------

    def ffn(self, x: Tensor) -> tuple[Tensor, Fed]:
        """As `kernels.feed_forward.ffn`."""
        before = x.product(self._weights.hidden, factor=self._settings.init_scale)
        activated = before.gelu()
        update = activated.product(self._weights.down, factor=self._settings.output_gain)
        return update, Fed(x, before, activated)

    def ffn_backward(
        self, gradient: Tensor, saved: Fed
    ) -> tuple[Tensor, tuple[OuterProduct, OuterProduct]]:
        """As `kernels.feed_forward.ffn_backward`."""
        settings = self._settings
        by_activation = gradient.product(
            self._weights.down, transposed=True, factor=settings.output_gain
        )
        before = saved.before.gelu_backward(by_activation)
        back = before.product(self._weights.hidden, transposed=True, factor=settings.init_scale)
        hidden = OuterProduct(saved.inputs, (before,))
        return back, (hidden, OuterProduct(saved.activated, (gradient,)))
