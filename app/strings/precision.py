"""The sentences of the Precision scene."""

from __future__ import annotations

STRINGS: dict[str, str] = {
    "precision_row": "Row (1 to 64 numbers)",
    "precision_offset": "Added to every value",
    "precision_storage": "Stored as",
    "precision_accumulation": "Summed in",
    "precision_seed": "Draw {count} values",
    "precision_one_pass": "One pass, E[x²] − E[x]²",
    "precision_two_pass": "Two passes",
    "precision_welford": "Welford",
    "precision_fine": "{method} is right to {error}.",
    "precision_broke": "{method} breaks first at {step}: {value} instead of {truth}.",
    "precision_stored": "Storage breaks it before any sum: the values kept have σ² = {value} "
    "instead of {truth}.",
    "precision_stored_beyond": "Storage breaks it before any sum: a value is kept as Inf.",
    "precision_sub": "{values} values {storage}, every operation rounded to {accumulation}. "
    "A square above {largest} in size is Inf there: |x| up to {root}.",
    "precision_curve": "Relative error of the variance against the offset",
    "precision_offset_axis": "offset",
    "precision_error_axis": "relative error",
    "precision_marks": "dotted: one pass · solid: two passes · dashed: Welford · "
    "vertical: the present offset. A missing curve is Inf or NaN.",
    "precision_cost": "Bytes read and written for each value",
    "precision_cost_held": "row kept",
    "precision_cost_streamed": "row read anew",
    "precision_cheaper": "(reads + writes) · {bytes} bytes. Where a row is read anew in each "
    "pass, RMSNorm moves {streamed:.0%} of LayerNorm’s bytes: it needs no pass for μ. "
    "Where the row stays in registers or cache, {held:.0%}: both read x once and write y once.",
    "precision_bench": "Time on this device, float32",
    "precision_start": "Start the benchmark",
    "precision_stop": "Stop",
    "precision_bench_end": "All sizes measured.",
    "precision_bench_slow": "Ended before 2^{exponent}: one call would hold the page too long.",
    "precision_bench_memory": "Ended before 2^{exponent}: the arrays do not fit in memory.",
    "precision_bench_running": "Measuring …",
    "precision_bench_stopped": "Stopped.",
    "precision_bench_idle": "Medians of {runs} runs; share: of the bandwidth of np.copyto here.",
    "precision_webgpu": "All of this is NumPy in WebAssembly; "
    "the compute shaders are not measured here.",
    "precision_bad": "Expected 1 to 64 numbers up to 1e6, with commas between.",
}
