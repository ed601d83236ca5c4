"""The sentences of the Precision scene."""

from __future__ import annotations

STRINGS: dict[str, str] = {
    # the views
    "precision_views": "What is shown",
    "precision_view_rounding": "Error",
    "precision_view_time": "Time",
    "precision_view_table": "Table",
    # the row
    "precision_row_typed": "Row, typed (1 to {most} numbers)",
    "precision_row_drawn": "Row, drawn: standard normal",
    "precision_bad": "Expected 1 to {most} numbers up to 1e6, with commas between.",
    "precision_length": "Values to draw",
    "precision_seed": "Seed",
    "precision_bad_seed": "Expected a whole number from 0 to {most}.",
    "precision_draw": "Draw another row",
    "precision_offset": "Added to every value",
    "precision_storage": "Stored as",
    "precision_accumulation": "Summed in",
    # rounding
    "precision_formula_one_pass": "E[x²] − E[x]²",
    "precision_formula_two_pass": "E[(x − μ)²]",
    "precision_formula_welford": "value by value",
    "precision_one_pass": "One pass, E[x²] − E[x]²",
    "precision_two_pass": "Two passes",
    "precision_welford": "Welford",
    "precision_short_one_pass": "One pass",
    "precision_short_two_pass": "Two passes",
    "precision_short_welford": "Welford",
    "precision_exact_row": "Exact",
    "precision_exact": "exact",
    "precision_alike": "One pass and two are alike: μ {mean}, σ² {variance}, x̂ {normalized}.",
    "precision_fine": "{method}: μ {mean}, σ² {variance}, x̂ {normalized}.",
    "precision_broke": "{method}{comma} breaks first at {step}: {value} instead of {truth}.",
    "precision_result": "{method}{comma} breaks at x̂, off by up to {error}: μ is rounded too "
    "coarsely.",
    "precision_stored": "Storage breaks it before any sum: the values kept have σ² = {value} "
    "instead of {truth}, and x̂ is off by up to {error}.",
    "precision_stored_beyond": "Storage breaks it before any sum: a value is kept as Inf.",
    "precision_types": "{values} values stored as {storage}, every operation rounded to "
    "{accumulation}.",
    "precision_types_one": "One value stored as {storage}, every operation rounded to "
    "{accumulation}.",
    "precision_beyond": "There, what reaches {beyond} rounds to Inf: half a step above the largest "
    "number, {largest}.",
    "precision_beyond_near": "There, what lies half a step or more above the largest number, "
    "{largest}, rounds to Inf.",
    "precision_largest": "Its largest number is {largest}.",
    "precision_square": "A square does from |x| = {root} on.",
    "precision_no_square": "No {storage} number has a square that large.",
    "precision_far": "from {low} to {high}",
    "precision_column_mean": "μ",
    "precision_column_variance": "σ²",
    "precision_column_normalized": "x̂, on one scale",
    "precision_column_error": "error of x̂",
    "precision_step_computed": "computed",
    "precision_step_exact": "exact",
    "precision_curve": "Relative error of σ² against the offset",
    "precision_offset_axis": "offset",
    "precision_at_floor": "exact",
    "precision_at_ceiling": "Inf, NaN",
    "precision_marks": "The lowest line is no error at all, the highest Inf or NaN. "
    "Dots: at the present offset{where}.",
    "precision_marks_left": "; 0 lies left of the plot",
    # bytes
    "precision_cost": "Bytes read and written for each value",
    "precision_cost_held": "row kept",
    "precision_cost_streamed": "row read anew",
    "precision_copy": "Copy",
    "precision_rms": "RMSNorm",
    "precision_layer": "LayerNorm",
    "precision_softmax": "softmax",
    "precision_textbook_layer": "LayerNorm as in books",
    "precision_textbook_rms": "RMSNorm as in books",
    "precision_cheaper": "(reads + writes) · {bytes} bytes. Read anew in each pass, RMSNorm moves "
    "{streamed:.0%} of LayerNorm’s bytes: it needs no pass for μ. Kept in registers or cache, "
    "{held:.0%}.",
    # the benchmark
    "precision_numpy": "NumPy",
    "precision_webgpu": "WebGPU",
    "precision_bench_row": "Values that share a statistic",
    "precision_bench": "Measure on this device",
    "precision_start": "Start",
    "precision_again": "Start again",
    "precision_stop": "Stop",
    "precision_bench_idle": "float32, rows of {row} values, sizes from {first} to {last}: there it "
    "needs about {memory:.1f} GB of memory. It can be stopped at any size.",
    "precision_bench_asking": "Asking for the graphics processor …",
    "precision_bench_running": "Measuring {size} values, of {last} …",
    "precision_bench_end": "All sizes measured.",
    "precision_bench_failed": "Ended by a fault: {reason}",
    "precision_bench_cut": "Ended after {size} values.",
    "precision_bench_stopped": "Stopped after {size} values.",
    "precision_bench_nothing": "Stopped before the first size.",
    "precision_bench_away": "Stopped: another scene was opened.",
    "precision_held": "Nothing interrupts a call: an edit may have waited {ms} ms, at {size} "
    "values.",
    "precision_adapter": "WebGPU runs on {adapter}.",
    "precision_adapter_software": "WebGPU is emulated here by the processor ({adapter}).",
    "precision_handing": "Not in its times: {ms} ms in which Python hands a call over, upload, "
    "reading back.",
    "precision_difference": "Results compared up to {size} values: they differ by {difference}.",
    "precision_refused_too-large": "a tensor of it holds at most {limit} bytes.",
    "precision_refused_out-of-memory": "its memory is full.",
    "precision_refused_device-lost": "the device was lost; it is being asked for again.",
    "precision_refused_wrong": "it failed the self-test: {failure}.",
    "precision_refused_unasked": "it was not asked for yet.",
    "precision_no_memory": "the values do not fit into WebAssembly’s memory.",
    "precision_too_slow": "one call would take about {seconds:.0f} s.",
    "precision_missing": "{backend} at {size} values: {reason}",
    "precision_missing_on": "{backend} from {size} values on: {reason}",
    "precision_not_yet": "How much does a normalizer cost here? Nothing is measured yet.",
    "precision_not_yet_sub": "By the bytes it moves, RMSNorm takes {streamed:.0%} of LayerNorm’s "
    "time where rows are read anew in each pass, and {held:.0%} where they are kept. The benchmark "
    "tells which it is on this device.",
    "precision_sizes": "{first} to {last}",
    "precision_ratio": "{ratio:.0%} {where}",
    "precision_in_numpy": "in NumPy",
    "precision_on_webgpu": "on WebGPU",
    "precision_ratios": "Of LayerNorm’s time, RMSNorm takes {listed}.",
    "precision_ratios_at": "Of LayerNorm’s time at {size} values, RMSNorm takes {listed}.",
    "precision_why_cheaper": "<em>{where}</em>: RMSNorm is cheaper, with one statistic to take and "
    "nothing to subtract. {rms:.0%} of the copy’s bandwidth, LayerNorm {layer:.0%}.",
    "precision_why_memory": "<em>{where}</em>: RMSNorm is not cheaper. LayerNorm already comes "
    "near the copy, at {layer:.0%} of its bandwidth (RMSNorm {rms:.0%}): all three read x once and "
    "write y once.",
    "precision_why_other": "<em>{where}</em>: RMSNorm is not cheaper, and not for want of "
    "bandwidth: it reaches {rms:.0%} of the copy’s, LayerNorm {layer:.0%}. Other work fills the "
    "time.",
    "precision_small": "Up to {size} values it is at least {worst:.0%}: what any call costs.",
    "precision_faster_from": "LayerNorm on WebGPU is the faster from {size} values on.",
    "precision_faster_never": "LayerNorm in NumPy is the faster at {size} values.",
    "precision_books": "Written as in books, NumPy’s LayerNorm takes {layer:.2g} and RMSNorm "
    "{rms:.2g} times as long as the kernels here.",
    "precision_book_pair": "NumPy, as in books",
    "precision_plot": "Nanoseconds for each value, rows of {row}",
    "precision_size_axis": "values",
    "precision_time_axis": "ns a value",
    "precision_table": "Milliseconds a call, rows of {row}, median of up to {runs} runs",
    "precision_share": "Share of the copy’s bandwidth",
    "precision_share_at": "Share of the copy’s bandwidth, {size}",
    "precision_share_none": "The bandwidth of a copy, and each kernel’s share of it, will stand "
    "here.",
    "precision_share_said": "Counted as x read once and y written once. The copy is np.copyto in "
    "NumPy, and on WebGPU a shader that reads and writes four values a thread.",
}
