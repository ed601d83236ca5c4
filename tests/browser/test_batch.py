"""The Batch scene: both modes, one example, microbatches; real clicks and keys.

Numbers: exact arithmetic on the seeds' tensors, PyTorch 2.13 and Keras 3.15 where they are named.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.batch import (
    button,
    card,
    cells,
    choose_preset,
    lead,
    near,
    numbers_in,
    open_story,
    radio,
    row,
    scene,
    slider,
    sub,
    type_into,
)
from tests.browser.reading import flat, outputs, shown, statistics

Screenshot = Callable[[Page, str], Path]
MESSAGE = "Expected more than 1 value per channel when training, got input size torch.Size([1, 4])"


def running(page: Page) -> list[float]:
    """Running mean and variance of the first channel."""
    found = outputs(page)
    return [found["running_mean"][0], found["running_var"][0]]


def test_one_more_forward_stores_0_6_and_4_3667_and_can_be_taken_back(page: Page) -> None:
    open_story(page, "Train and eval")
    assert running(page) == [0, 1]
    button(page, "One more forward").click()
    assert running(page) == near([0.6, 4.366666666666667])
    assert "evaluation the running 0.6 and 2.0897" in lead(page)
    assert shown(card(page, 1)) == ["−0.29", "0.67", "4.50", "5.46"]
    assert statistics(card(page, 1)) == ["0.6", "4.3667", "2.0897"]
    expect(scene(page).get_by_text("1 done: 1 in training, 0 in evaluation")).to_be_visible()
    button(page, "Take it back").click()
    assert running(page) == [0, 1]
    expect(scene(page).get_by_text("No forward yet")).to_be_visible()


def test_back_takes_a_forward_back_too(page: Page) -> None:
    open_story(page, "Train and eval")
    for _ in range(2):
        button(page, "One more forward").click()
        outputs(page)
    assert running(page) == near([1.14, 0.9 * 4.366666666666667 + 104 / 30])
    page.go_back()
    expect(scene(page).get_by_text("1 done: 1 in training")).to_be_visible()
    assert running(page) == near([0.6, 4.366666666666667])


def test_both_denominators_stand_side_by_side(page: Page) -> None:
    open_story(page, "Train and eval")
    found = outputs(page)
    assert found["m"] == 4
    assert found["sum_of_squares"] == near([104])
    assert flat(found["training"]["variance"]) == near([26])
    assert found["unbiased_variance"] == near([104 / 3])
    steps = page.locator("#batch-stage .steps li").locator("visible=true")
    assert steps.locator("b").all_inner_texts() == ["6", "104", "26", "34.6667", "0.6", "4.3667"]
    assert "m = 4, 26; over m − 1 = 3 they give 34.6667" in sub(page)
    assert shown(card(page, 0)) == ["−1.18", "−0.78", "0.78", "1.18"]


def test_a_typed_number_is_in_both_modes_at_once(page: Page) -> None:
    open_story(page, "Train and eval")
    type_into(page, 3, "-4")  # 0, 2, 10, −4: mean 2, squares 4 + 0 + 64 + 36
    found = outputs(page)
    assert flat(found["training"]["mean"]) == near([2])
    assert found["sum_of_squares"] == near([104])
    assert shown(card(page, 1)) == ["0.00", "2.00", "10.00", "−4.00"]
    page.keyboard.type("many")
    page.keyboard.press("Enter")
    expect(page.locator("#batch-stage").get_by_text("“many” is not a number")).to_be_visible()
    assert flat(outputs(page)["x"]) == [0, 2, 10, -4]
    page.keyboard.press("Escape")


def test_the_same_momentum_is_read_in_two_ways(page: Page) -> None:
    open_story(page, "Train and eval")
    assert numbers_in(row(page, "PyTorch, 0.1")) == ["0.6", "4.3667"]
    assert numbers_in(row(page, "Keras, 0.9")) == ["0.6", "3.5"]
    assert numbers_in(row(page, "Keras, 0.1")) == ["5.4", "23.5"]
    assert numbers_in(row(page, "PyTorch, None")) == ["6", "34.6667"]
    radio(page, "Keras").click()
    button(page, "One more forward").click()
    assert running(page) == near([5.4, 23.5])
    slider(page, "momentum").focus()
    for _ in range(80):
        page.keyboard.press("ArrowRight")
    expect(slider(page, "momentum")).to_have_attribute("aria-valuetext", "0.9")
    assert running(page) == near([0.6, 3.5])
    expect(scene(page).get_by_text("PyTorch calls this momentum=0.1")).to_be_visible()


def test_momentum_none_is_the_average_of_all_forwards(page: Page) -> None:
    open_story(page, "Train and eval")
    choose_preset(page, "Two examples · [2, 1]")
    type_into(page, 0, "0")
    type_into(page, 1, "2")
    radio(page, "None").click()
    button(page, "One more forward").click()
    assert running(page) == near([1, 2])
    type_into(page, 0, "10")
    type_into(page, 1, "12")
    button(page, "One more forward").click()
    assert running(page) == near([6, 2])
    expect(slider(page, "momentum")).to_have_count(0)


def test_no_grad_changes_nothing_and_eval_does(page: Page) -> None:
    open_story(page, "Train and eval")
    switch = scene(page).get_by_role("switch", name="torch.no_grad()")
    expect(switch).to_have_attribute("aria-checked", "false")
    switch.focus()
    page.keyboard.press("Space")
    expect(switch).to_have_attribute("aria-checked", "true")
    expect(scene(page).get_by_text("on, and still running_mean: 0 → 0.6")).to_be_visible()
    button(page, "One more forward").focus()
    page.keyboard.press("Enter")
    assert running(page) == near([0.6, 4.366666666666667])
    expect(scene(page).get_by_text("1 under no_grad")).to_be_visible()
    radio(page, ".train()").focus()
    page.keyboard.press("ArrowRight")
    expect(radio(page, ".eval()")).to_be_focused()
    expect(scene(page).get_by_text("it is .eval() that keeps running_mean at 0.6")).to_be_visible()
    button(page, "One more forward").click()
    assert running(page) == near([0.6, 4.366666666666667])
    assert outputs(page)["num_batches_tracked"] == 1


def test_the_same_pair_gives_another_answer_in_evaluation(page: Page) -> None:
    open_story(page, "Train and eval")
    choose_preset(page, "Two examples · [2, 1]")
    slider(page, "ε").focus()
    page.keyboard.press("Home")
    slider(page, "momentum").focus()
    page.keyboard.press("End")
    button(page, "One more forward").click()
    found = outputs(page)
    assert running(page) == near([2, 2])
    assert flat(found["training"]["output"]) == near([-1, 1])
    assert flat(found["evaluation"]["output"]) == near([-0.7071067811865475, 0.7071067811865475])
    assert shown(card(page, 1)) == ["−0.71", "0.71"]
    expect(scene(page).get_by_text("refuse eps=0 in training")).to_be_visible()


def test_one_statistic_a_channel_over_examples_and_length(page: Page) -> None:
    """The tensor of pytorch#60528."""
    open_story(page, "Train and eval")
    choose_preset(page, "Three channels with a length · [4, 3, 4]")
    found = outputs(page)
    assert found["m"] == 16
    assert found["training"]["output"][0][0] == near([-1.89737, -1.26491, -0.63246, 0], 1e-5)
    assert found["next"]["running_mean"] == near([0.4, 0.8, 1.2])
    assert found["next"]["running_var"] == near([1.1666667] * 3, 1e-6)
    cells(page).nth(4).click()  # n0 c1 l0
    assert "for channel 1 the mean 8" in lead(page)


def test_one_example_gives_zeros_or_an_error_or_an_answer(
    page: Page, screenshot: Screenshot
) -> None:
    open_story(page, "One example")
    found = outputs(page)["answers"]
    assert found["formula"]["output"] == [[0, 0, 0, 0]]
    assert found["formula"]["running_var"] == ["NaN"] * 4
    assert found["pytorch"]["error"] == MESSAGE
    assert found["keras"]["running_var"] == near([0.9] * 4)
    evaluated = [value / 1.00001**0.5 for value in (2, 4, 4, 6)]
    assert found["evaluation"]["output"][0] == near(evaluated)
    assert found["untracked"]["error"] == MESSAGE
    assert outputs(page)["layer"][0] == near([-1.4142100269, 0, 0, 1.4142100269])
    assert lead(page) == "With one value a channel, x − μ is 0: BatchNorm gives 0, whatever x was."
    assert numbers_in(row(page, "The bare formula")) == ["0, 0, 0, 0", "NaN, NaN, NaN, NaN"]
    assert numbers_in(row(page, "Keras, Flax, ONNX, training"))[1] == "0.9, 0.9, 0.9, 0.9"
    expect(scene(page).get_by_text(MESSAGE).first).to_be_visible()
    assert shown(card(page, 0)) == ["0.00"] * 4
    assert shown(card(page, 1)) == ["2.00", "4.00", "4.00", "6.00"]
    assert shown(card(page, 2)) == ["−1.41", "0.00", "0.00", "1.41"]
    screenshot(page, "batch-one-example")


def test_one_example_without_eps_is_nan(page: Page) -> None:
    open_story(page, "One example")
    slider(page, "ε").focus()
    page.keyboard.press("Home")
    assert outputs(page)["answers"]["formula"]["output"] == [["NaN"] * 4]
    assert lead(page).endswith("without ε, BatchNorm gives 0/0.")
    assert shown(card(page, 0)) == ["NaN"] * 4


def test_one_example_with_a_length_can_be_trained_on(page: Page) -> None:
    open_story(page, "One example")
    choose_preset(page, "One channel of length 4 · [1, 1, 4]")
    found = outputs(page)["answers"]
    assert found["pytorch"]["error"] == ""
    assert found["pytorch"]["output"][0][0] == near([-1.4142100269, 0, 0, 1.4142100269])
    assert found["pytorch"]["running_mean"] == near([0.4])
    assert found["pytorch"]["running_var"] == near([1.1666667], 1e-6)
    assert "each channel has 4 values: BatchNorm can be trained on it" in lead(page)
    choose_preset(page, "Two channels of length 1 · [1, 2, 1]")
    assert "torch.Size([1, 2, 1])" in outputs(page)["answers"]["pytorch"]["error"]


def test_two_microbatches_are_not_one_batch(page: Page, screenshot: Screenshot) -> None:
    open_story(page, "Microbatches")
    found = outputs(page)
    whole, parts = found["whole"], found["parts"]
    assert [whole["running_mean"][0], whole["running_var"][0]] == near([0.6, 4.366666666666667])
    assert [parts["running_mean"][0], parts["running_var"][0]] == near([1.19, 1.19])
    assert flat(parts["output"]) == near([-0.999995, 0.999995] * 2, 1e-6)
    expected = [0.0792007577, -0.0942865679, -0.0037714808, 0.0188572909]
    assert flat(whole["gradient"]) == near(expected)
    assert flat(parts["gradient"]) == near([4.999925e-6, -4.999925e-6, 0, 0], 1e-12)
    assert "at (0.6, 4.3667); 2 microbatches leave them at (1.19, 1.19)" in lead(page)
    assert numbers_in(row(page, "One batch of 4")) == ["6", "26", "0.6", "4.3667"]
    assert numbers_in(row(page, "Microbatch 1")) == ["1", "1", "0.1", "1.1"]
    assert numbers_in(row(page, "Microbatch 2")) == ["11", "1", "1.19", "1.19"]
    assert numbers_in(row(page, "One batch")) == ["0.0792, −0.0943, −0.0038, 0.0189"]
    assert numbers_in(row(page, "Microbatches")) == ["5e−6, −5e−6, 0, 0"]
    assert shown(card(page, 1)) == ["−1.00", "1.00", "−1.00", "1.00"]
    screenshot(page, "batch-microbatches")


def test_another_batch_another_cut(page: Page) -> None:
    open_story(page, "Microbatches")
    type_into(page, 1, "4")  # [0, 4], [10, 12]: means 2 and 11, unbiased variances 8 and 2
    parts = outputs(page)["parts"]
    assert [parts["running_mean"][0], parts["running_var"][0]] == near([1.28, 0.9 * 1.7 + 0.2])
    slider(page, "Microbatch of").focus()
    page.keyboard.press("ArrowRight")
    assert outputs(page)["parts"]["sizes"] == [3, 1]
    expect(scene(page).get_by_text("PyTorch refuses a microbatch")).to_be_visible()
    page.keyboard.press("End")
    assert outputs(page)["parts"]["sizes"] == [4]
    assert lead(page).startswith("One forward holds the whole batch")
