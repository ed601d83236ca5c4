"""BatchNorm and InstanceNorm: what is remembered, what is masked, what raises."""

import numpy as np
import pytest

import kernels
from kernels.running import RunningStatistics, update_weights, updated
from kernels.statistics import Moments, merge_moments, moments

BATCH = np.array([[0.0], [2.0], [10.0], [12.0]])
START = {"running_mean": np.zeros(1), "running_var": np.ones(1)}


def train(x, mean=None, var=None, **options):
    mean = np.zeros(1) if mean is None else mean
    var = np.ones(1) if var is None else var
    return kernels.batch_norm(x, mean, var, training=True, **options)


def test_one_forward_over_four_moves_the_statistics_to_0_6_and_4_3667() -> None:
    result = train(BATCH)
    assert result.running_mean == pytest.approx(0.6)
    assert result.running_var == pytest.approx(0.9 + 0.1 * 104 / 3)


def test_two_microbatches_end_at_1_19_and_1_19() -> None:
    first = train(BATCH[:2])
    second = train(BATCH[2:], first.running_mean, first.running_var)
    assert second.running_mean == pytest.approx(1.19)
    assert second.running_var == pytest.approx(1.19)


def test_keras_stores_the_biased_variance_and_weighs_the_old_value() -> None:
    keras = {"momentum_convention": "keras", "unbiased_running_var": False}
    assert train(BATCH, momentum=0.9, **keras).running_var == pytest.approx(3.5)
    assert train(BATCH, momentum=0.1, **keras).running_mean == pytest.approx(5.4)
    assert train(BATCH, momentum=0.1, **keras).running_var == pytest.approx(23.5)


@pytest.mark.parametrize("momentum", [0.0, 0.1, 0.5, 1.0])
def test_the_two_conventions_are_each_other_s_complement(momentum: float) -> None:
    torch = train(BATCH, momentum=momentum)
    keras = train(BATCH, momentum=1 - momentum, momentum_convention="keras")
    assert torch.running_mean == pytest.approx(keras.running_mean)
    assert torch.running_var == pytest.approx(keras.running_var)


def test_the_cumulative_average_weighs_all_batches_alike() -> None:
    mean, var = np.zeros(1), np.ones(1)
    batches = [np.array([[0.0], [2.0]]), np.array([[10.0], [12.0]]), np.array([[4.0], [8.0]])]
    for seen, batch in enumerate(batches):
        result = train(batch, mean, var, momentum=None, num_batches_tracked=seen)
        mean, var = result.running_mean, result.running_var
    # Means 1, 11, 6 and unbiased variances 2, 2, 8.
    assert mean == pytest.approx(6.0)
    assert var == pytest.approx(4.0)


def test_an_empty_batch_changes_nothing() -> None:
    result = kernels.batch_norm(
        np.zeros((0, 2, 5)), np.array([3.0, 4.0]), np.array([5.0, 6.0]), training=True
    )
    assert result.output.shape == (0, 2, 5)
    np.testing.assert_array_equal(result.running_mean, [3, 4])
    np.testing.assert_array_equal(result.running_var, [5, 6])


def test_running_statistics_are_new_arrays_of_their_own_type() -> None:
    mean, var = np.zeros(1, np.float32), np.ones(1, np.float32)
    for training in (True, False):
        result = kernels.batch_norm(BATCH, mean, var, training=training)
        assert result.running_mean.dtype == result.running_var.dtype == np.float32
        assert not np.shares_memory(result.running_mean, mean)
        assert not np.shares_memory(result.running_var, var)
        assert mean == 0 and var == 1


def test_untracked_statistics_are_those_of_the_batch_in_evaluation_too() -> None:
    result = kernels.batch_norm(BATCH)
    np.testing.assert_array_equal(result.output, kernels.batch_norm(BATCH, training=True).output)
    assert result.running_mean is None and result.running_var is None


def test_evaluation_uses_what_it_remembers_and_leaves_it() -> None:
    result = kernels.batch_norm(BATCH, [6.0], [4.0], eps=0.0)
    np.testing.assert_allclose(result.output, (BATCH - 6) / 2)
    assert result.running_mean == 6 and result.running_var == 4
    assert result.mean_square is None


def test_training_ignores_what_it_remembers_but_moves_it() -> None:
    a = train(BATCH, np.array([100.0]), np.array([9.0]))
    np.testing.assert_array_equal(a.output, train(BATCH).output)
    assert a.running_mean == pytest.approx(90.6)


@pytest.mark.parametrize("x", [[[2.0, 4.0]], [[[2.0], [4.0]]], [[[[1.0]]]]])
def test_a_single_value_a_channel_raises_as_torch_does(x) -> None:
    with pytest.raises(ValueError, match="Expected more than 1 value per channel when training"):
        kernels.batch_norm(x, training=True)
    with pytest.raises(ValueError, match="Expected more than 1 value per channel when training"):
        kernels.batch_norm(x)
    result = kernels.batch_norm(x, training=True, strict=False)
    np.testing.assert_array_equal(result.output, 0)


def test_the_formula_for_a_single_value_has_an_unbiased_variance_of_nan() -> None:
    unbiased = train([[3.0]], strict=False)
    assert unbiased.running_mean == pytest.approx(0.3) and np.isnan(unbiased.running_var)
    biased = train([[3.0]], strict=False, unbiased_running_var=False)
    assert biased.running_var == pytest.approx(0.9)


def test_a_single_value_is_fine_in_evaluation() -> None:
    result = kernels.batch_norm([[2.0, 4.0]], np.zeros(2), np.ones(2))
    np.testing.assert_allclose(result.output, [[2, 4]] / np.sqrt(1.00001))


def test_padding_enters_no_statistic_with_one_channel_too() -> None:
    x = np.array([[[1.0, 2, 3, 4]], [[5.0, 0, 0, 0]]])
    mask = [[1, 1, 1, 1], [1, 0, 0, 0]]
    result = train(x, mask=mask)
    assert result.mean.item() == 3 and result.variance.item() == 2
    assert result.running_mean == pytest.approx(0.3)
    assert result.running_var == pytest.approx(0.9 + 0.25)
    np.testing.assert_allclose(result.output[1, 0, 1:], -3 / np.sqrt(2.00001))


@pytest.mark.parametrize("padding", [np.nan, np.inf, 1e30])
def test_what_padding_holds_does_not_matter(padding: float) -> None:
    x = np.random.default_rng(0).standard_normal((3, 2, 4))
    mask = np.arange(4) < np.array([[4], [2], [1]])
    clean = kernels.batch_norm(x, training=True, mask=mask)
    x[~np.broadcast_to(mask[:, None], x.shape)] = padding
    spoilt = kernels.batch_norm(x, training=True, mask=mask)
    np.testing.assert_array_equal(spoilt.mean, clean.mean)
    np.testing.assert_array_equal(spoilt.variance, clean.variance)
    kept = np.broadcast_to(mask[:, None], x.shape)
    np.testing.assert_array_equal(spoilt.output[kept], clean.output[kept])


def test_a_mask_gives_what_the_real_tokens_alone_give() -> None:
    rng = np.random.default_rng(0)
    x, mask = rng.standard_normal((5, 7, 3)), rng.random((5, 7)) < 0.6
    masked = kernels.batch_norm(x, training=True, mask=mask, channel_axis=-1)
    alone = kernels.batch_norm(x[mask], training=True)
    np.testing.assert_allclose(masked.output[mask], alone.output, rtol=1e-12)


def test_masks_of_every_accepted_shape_agree() -> None:
    x = np.random.default_rng(0).standard_normal((3, 2, 4))
    mask = np.arange(4) < np.array([[4], [2], [1]])
    wanted = kernels.batch_norm(x, training=True, mask=mask).output
    for given in (mask.astype(int), mask.astype(float), mask[:, None], mask[:, None] & [[[1]] * 2]):
        got = kernels.batch_norm(x, training=True, mask=given).output
        np.testing.assert_array_equal(got, wanted)


def test_a_mask_may_differ_by_channel_and_a_channel_without_values_stays() -> None:
    x = np.arange(8.0).reshape(4, 2)
    mask = np.array([[1, 0], [1, 0], [1, 0], [0, 0]])
    result = kernels.batch_norm(x, [9.0, 9.0], [4.0, 4.0], training=True, mask=mask)
    assert result.running_mean == pytest.approx([0.9 * 9 + 0.1 * 2, 9.0])
    assert result.running_var[1] == 4


def test_one_value_a_channel_under_a_mask_raises() -> None:
    with pytest.raises(ValueError, match="Expected more than 1 value per channel"):
        kernels.batch_norm(BATCH, training=True, mask=[1, 0, 0, 0])


def test_workers_of_unequal_size_agree_with_the_whole_batch() -> None:
    workers = [[[0.0], [2.0]], [[10.0], [12.0], [14.0], [16.0]]]
    results = kernels.sync_batch_norm(workers, **START)
    for result in results:
        assert result.mean.item() == 9
        assert result.variance.item() == pytest.approx(107 / 3)
        assert result.running_var == pytest.approx(0.9 + 0.1 * 42.8)
    assert results[0].output.shape == (2, 1) and results[1].output.shape == (4, 1)


def test_averaging_the_workers_statistics_would_be_wrong() -> None:
    parts = [moments(np.array([0.0, 2.0]), (0,)), moments(np.array([10.0, 12, 14, 16]), (0,))]
    merged = merge_moments(parts)
    assert (merged.mean.item(), merged.variance.item()) == pytest.approx((9, 107 / 3))
    assert merged.num_values == 6
    assert np.mean([part.mean for part in parts]) == 7
    assert np.mean([part.variance for part in parts]) == 3


def test_a_worker_without_samples_counts_for_nothing() -> None:
    results = kernels.sync_batch_norm([BATCH, np.zeros((0, 1))], **START)
    assert results[1].output.shape == (0, 1)
    assert results[0].running_var == pytest.approx(4.366666666666667)


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_workers_with_values_whose_squares_are_no_float64(scale: float) -> None:
    parts = [scale * np.array([[0.0, 1.0], [2.0, 4.0]]), scale * np.array([[10.0, 3.0]])]
    synced = kernels.sync_batch_norm(parts, eps=0.0)
    whole = kernels.batch_norm(np.concatenate(parts) / scale, training=True, eps=0.0)
    got = np.concatenate([result.output for result in synced])
    np.testing.assert_allclose(got, whole.output, rtol=1e-14)


def test_instance_norm_remembers_the_average_over_samples() -> None:
    x = np.array([[[0.0, 2.0]], [[10.0, 14.0]]])
    result = kernels.instance_norm(x, np.zeros(1), np.ones(1))
    # Means 1 and 12; unbiased variances 2 and 8.
    assert result.running_mean == pytest.approx(0.65)
    assert result.running_var == pytest.approx(1.4)


def test_instance_norm_of_one_position_raises_and_its_formula_gives_0() -> None:
    x = [[[2.0], [4.0]], [[5.0], [6.0]]]
    with pytest.raises(ValueError, match="Expected more than 1 spatial element when training"):
        kernels.instance_norm(x)
    np.testing.assert_array_equal(kernels.instance_norm(x, strict=False).output, 0)


def test_instance_norm_of_nothing_is_nothing() -> None:
    result = kernels.instance_norm(np.zeros((0, 2, 3)), [1.0, 1.0], [2.0, 2.0])
    assert result.output.shape == (0, 2, 3)
    np.testing.assert_array_equal(result.running_var, [2, 2])


def test_instance_norm_reads_two_dimensions_as_one_sample() -> None:
    x = np.random.default_rng(0).standard_normal((3, 5))
    alone, batched = kernels.instance_norm(x), kernels.instance_norm(x[None])
    np.testing.assert_array_equal(alone.output, batched.output[0])
    assert alone.mean.shape == (3, 1) and alone.axes == (1,)


def test_weights_of_the_update() -> None:
    assert update_weights(0.1) == (0.9, 0.1)
    assert update_weights(0.9, "keras") == pytest.approx((0.9, 0.1))
    assert update_weights(None, num_batches_tracked=3) == (0.75, 0.25)


def test_an_update_of_a_channel_never_seen_leaves_it() -> None:
    before = RunningStatistics(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    batch = Moments(np.array([2.0, 0.0]), np.array([5.0, np.nan]), np.array([1.0, np.nan]))
    after = updated(before, batch, (0.5, 0.5))
    np.testing.assert_array_equal(after.mean, [3, 2])
    np.testing.assert_array_equal(after.variance, [2.5, 4])
