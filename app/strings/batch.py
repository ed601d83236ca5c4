"""The sentences of the Batch scene, a table for each story."""

from __future__ import annotations

SHARED: dict[str, str] = {
    "stories": "Story",
    "story_train": "Train and eval",
    "story_single": "One example",
    "story_microbatches": "Microbatches",
    "story_padding": "Padding",
    "story_workers": "Workers",
    "story_server": "Decode server",
    "story_shift": "Shift",
    "convention": "Running statistics as in",
    "convention_pytorch": "PyTorch",
    "convention_keras": "Keras",
    "convention_cumulative": "None",
    "momentum": "momentum",
    "hint_pytorch": "{momentum} weighs the new value, {other} the old. Keras, Flax and ONNX call "
    "this momentum={other}.",
    "hint_keras": "{momentum} weighs the old value, {other} the new; so in Flax and ONNX. PyTorch "
    "calls this momentum={other}.",
    "hint_cumulative": "momentum=None in PyTorch: the plain average of all forwards so far.",
    "forward_axis": "forwards",
    "target": "this batch {value}",
}

TRAIN: dict[str, str] = {
    "mode": "Mode of the next forward",
    "grad_on": "no effect on running_mean: {now} → {after}",
    "grad_off": "on, and still running_mean: {now} → {after}",
    "grad_on_eval": ".eval() keeps running_mean at {now}",
    "grad_off_eval": "it is .eval() that keeps running_mean at {now}",
    "forwards": "Forwards",
    "more": "One more forward",
    "less": "Take it back",
    "none": "Start again",
    "count_none": "No forward yet",
    "count": "{count} done: {training} in training, {evaluation} in evaluation",
    "count_no_grad": "{count} under no_grad",
    "results": "The same tensor in both modes",
    "updates": "One more forward, by momentum",
    "lead": "<em data-colour='bn'>Training</em> takes{channel} the mean {mean} and spread {spread} "
    "of these {count} values; <em data-colour='bn'>evaluation</em> the running {kept_mean} and "
    "{kept_spread}.",
    "channel": " for channel {number}",
    "sub": "Two denominators: training divides by √ of the squares over m = {m}, {biased}; over "
    "m − 1 = {less} they give {unbiased},",
    "stored": "and that is what PyTorch stores.",
    "stored_biased": "which PyTorch stores; Keras, Flax and ONNX store the first.",
    "sub_single": "One value a channel: its mean is the value itself, and there is no spread.",
    "refused": "PyTorch refuses this forward: ValueError: {message}",
    "eps_zero": "PyTorch 2.10 and newer refuse eps=0 in training; 1e-12 gives the same to 12 "
    "digits.",
    "card_train": "Training",
    "card_train_over": "this batch",
    "card_eval": "Evaluation",
    "card_eval_over": "running statistics",
    "update_pytorch": "PyTorch, {momentum}",
    "update_keras": "Keras, {momentum}",
    "update_cumulative": "PyTorch, None",
    "step_squares": "squares",
    "step_biased": "over m: divides x − μ",
    "step_unbiased": "over m − 1: stored",
    "step_unused": "over m − 1: unused",
    "step_mean": "next running_mean",
    "step_variance": "next running_var",
    "step_stays": "evaluation: stays",
}

SINGLE: dict[str, str] = {
    "answers": "One forward of a new layer, by who runs it",
    "output": "output",
    "running_var": "running_var after it",
    "results": "Outputs",
    "lead_zero": "With one value a channel, x − μ is 0: <em data-colour='bn'>BatchNorm</em> gives "
    "0, whatever x was.",
    "lead_broken": "With one value a channel, x − μ is 0 and so is the spread: without ε, "
    "<em data-colour='bn'>BatchNorm</em> gives 0/0.",
    "lead_many": "In {shape} each channel has {m} values: <em data-colour='bn'>BatchNorm</em> can "
    "be trained on it.",
    "sub_zero": "PyTorch raises instead. Keras, Flax and ONNX hand the zeros on without a word. "
    "Evaluation needs no neighbours, but it needs running statistics.",
    "sub_eps": "ε is what makes it 0 and not NaN. PyTorch raises in either case.",
    "sub_length": "The {m} values come from the length of one example: its statistics span its "
    "positions.",
    "sub_many": "They come from {examples} examples, so what one of them becomes depends on the "
    "others.",
    "way_formula": "The bare formula",
    "way_pytorch": "PyTorch, training",
    "way_keras": "Keras, Flax, ONNX, training",
    "way_evaluation": "Evaluation, running (0, 1)",
    "way_untracked": "Evaluation, track_running_stats=False",
    "card_formula": "BatchNorm",
    "card_formula_over": "the bare formula",
    "card_evaluation": "BatchNorm",
    "card_evaluation_over": "evaluation",
    "card_layer": "LayerNorm",
    "card_layer_over": "its own channels",
    "card_rms": "RMSNorm",
    "card_rms_over": "its own channels",
    "note_layer": "Over a single channel LayerNorm is 0 as well, and says nothing.",
    "note_rms": "Over a single channel RMSNorm leaves only the sign.",
    "step_mean": "mean of {m}",
    "step_difference": "x − μ",
}

MICROBATCHES: dict[str, str] = {
    "size": "Microbatch of",
    "size_text": "{size} examples",
    "results": "Outputs",
    "gradients": "Gradient of the first output by every input",
    "axis": "examples seen",
    "curve": "<b>{name}</b> {path} <span>one forward {target}</span>",
    "lead": "One forward leaves the running statistics at {whole}; <em data-colour='bn'>{count} "
    "microbatches</em> leave them at {parts}.",
    "lead_one": "One forward holds the whole batch: the running statistics end at {whole} either "
    "way.",
    "sub": "Outputs differ by up to {difference}. Adding up gradients before the optimizer’s step "
    "joins no statistics: every forward has normalized by its own and moved the running ones.",
    "refused": "PyTorch refuses a microbatch: ValueError: {message}",
    "row_whole": "One batch of {size}",
    "row_parts": "Microbatch {number}",
    "row_more": "… and {count} more",
    "card_whole": "One batch",
    "card_whole_over": "1 forward",
    "card_parts": "Microbatches",
    "card_parts_over": "{count} forwards",
}

PADDING: dict[str, str] = {
    "length": "Length of b{number}",
    "padded_to": "Padded to",
    "padded_to_text": "{width} tokens",
    "holds": "Padding holds",
    "padding": "padding",
    "axis": "padded to",
    "results": "Outputs",
    "sequences": "LayerNorm over (T, d): first token",
    "padded": "padded",
    "alone": "alone",
    "lead": "<em data-colour='bn'>BatchNorm</em> over all positions takes mean {mean} and variance "
    "{variance}; the real tokens have {masked_mean} and {masked_variance}.",
    "lead_none": "Nothing is padded: all {all} positions are real, with mean {mean} and variance "
    "{variance}.",
    "sub": "{filled} of {all} positions are only filling. A mask keeps them out of the statistics. "
    "A number typed into a hatched cell is what all padding holds.",
    "sub_none": "Shorten a sequence or pad to more tokens.",
    "row_blind": "All positions",
    "row_masked": "Real tokens, by mask",
    "curve_mean": "<b>mean</b> {now} <span>masked {masked}</span>",
    "curve_variance": "<b>variance</b> {now} <span>masked {masked}</span>",
    "card_blind": "BatchNorm",
    "card_blind_over": "all positions",
    "card_masked": "BatchNorm",
    "card_masked_over": "with a mask",
    "row_sequence": "b{number}",
}

WORKERS: dict[str, str] = {
    "count": "Workers",
    "cut": "Worker {number} starts at",
    "cut_text": "n{example}",
    "sent": "One forward: numbers a worker sends, and what it stores",
    "numbers": "sent",
    "results": "Outputs",
    "lead": "Averaging what the workers have gives {naive}; the whole batch has "
    "<em data-colour='bn'>{right}</em>.",
    "lead_same": "Here averaging happens to be right: the workers’ means agree, and so do their "
    "sizes or spreads; {right}.",
    "lead_alone": "One worker has the whole batch: {right}.",
    "sub_sizes": "An average of averages forgets how many values each worker has, and the spread "
    "between the workers. Sent along with the counts, the same numbers give the whole exactly.",
    "sub_equal": "With parts of equal size the averaged mean is right; the averaged variance still "
    "lacks the spread between the workers.",
    "sub_alone": "Nothing has to be sent, and nothing can go wrong.",
    "row_worker": "Worker {number}",
    "row_local": "Each its own",
    "row_averaged": "Averaged",
    "row_synchronized": "Synchronized",
    "sent_local": "Plain data parallel. Every worker stores something of its own.",
    "sent_averaged": "A mean and a variance a channel: 2·{channels} = {sent}.",
    "sent_synchronized": "Those and the count: 2·{channels} + 1 = {sent}, as SyncBatchNorm does.",
    "card_local": "local statistics",
    "card_averaged": "averaged statistics",
    "card_synchronized": "those of the whole",
}

SERVER: dict[str, str] = {
    "traffic": "Traffic",
    "traffic_script": "Three batches: [3], [3, 5], [11]",
    "traffic_light": "Light traffic",
    "traffic_busy": "Busy traffic",
    "new": "Other traffic",
    "seed": "seed {seed}",
    "yours": "yours",
    "player": "Steps of the server",
    "play": "Play",
    "pause": "Pause",
    "back": "Back",
    "on": "Step",
    "step": "Step",
    "step_text": "{step} of {last}",
    "batch": "Your token, and the batch of this step",
    "request": "request {number}, token {token} of {length}",
    "results": "Your token’s output",
    "lead": "Same token, {others} beside it now: <em data-colour='bn'>BatchNorm</em> makes its "
    "f{feature} {now}; a step ago it was {before}.",
    "lead_first": "Your token has {others} beside it: <em data-colour='bn'>BatchNorm</em> makes "
    "its f{feature} {now}.",
    "lead_alone": "Your token is alone in the batch: <em data-colour='bn'>BatchNorm</em> makes its "
    "f{feature} {now}, whatever it was.",
    "sub": "Over {steps} steps it moves between {low} and {high}, though the token never changes. "
    "LayerNorm and RMSNorm give the same at every step, to the last bit.",
    "sub_moved": "Over {steps} steps it moves between {low} and {high}, though the token never "
    "changes.",
    "axis": "step of the server",
    "curves": "f{feature}",
    "curve_batch_norm": "this batch",
    "curve_running": "running statistics",
    "curve_layer": "LayerNorm",
    "curve_rms": "RMSNorm",
    "bars": "{count} other requests",
    "bars_key": "come and go; the lowest bar is yours",
    "card_batch_norm": "BatchNorm",
    "card_batch_norm_over": "statistics of this batch",
    "card_running": "BatchNorm",
    "card_running_over": "running, from other traffic",
    "card_layer": "LayerNorm",
    "card_layer_over": "its own features",
    "card_rms": "RMSNorm",
    "card_rms_over": "its own features",
    "moves": "moves by",
    "moves_name": "largest difference between two steps",
    "note_alone": "Alone: PyTorch raises in training, the formula gives 0.",
}

SHIFT: dict[str, str] = {
    "shift": "Added to what is served",
    "spread": "Spread of what is served",
    "data": "Data",
    "new": "Other data",
    "seed": "seed {seed}",
    "adapt": "Forwards in training on what is served",
    "more": "{count} forwards on it",
    "less": "Take them back",
    "none": "None",
    "adapted": "{count} forwards in training on what is served",
    "axis": "forwards",
    "change": "moved",
    "results": "What is served, normalized",
    "lead": "Running statistics remember mean {kept_mean} and spread {kept_spread}; what is "
    "served has <em data-colour='bn'>{mean} and {spread}</em>.",
    "sub": "So evaluation hands on mean {mean} and spread {spread}, not 0 and 1. The running "
    "statistics have not drifted: in evaluation they stand still, and the input has moved.",
    "inputs": "<b>feature 0, going in</b> <span>outline: training</span>",
    "outputs": "<b>out of evaluation</b> <span>outline: training</span>",
    "curve_mean": "<b>running_mean</b> {learned} → {now} <span>served {target}</span>",
    "curve_variance": "<b>running_var</b> {learned} → {now} <span>served {target}</span>",
    "row_evaluation": "BatchNorm, eval",
    "row_training": "BatchNorm, train",
    "row_layer": "LayerNorm",
    "row_rms": "RMSNorm",
    "note_evaluation": "Divides by what it learned elsewhere.",
    "note_training": "Takes the shift out, but makes every answer depend on the batch.",
    "note_layer": "A number added to all features of a token, or multiplied, goes out with its "
    "mean and spread.",
    "note_rms": "Ignores a factor, not an added number.",
}

STORIES: dict[str, dict[str, str]] = {
    "train": TRAIN,
    "single": SINGLE,
    "microbatches": MICROBATCHES,
    "padding": PADDING,
    "workers": WORKERS,
    "server": SERVER,
    "shift": SHIFT,
}

STRINGS: dict[str, str] = {
    **{f"batch_{key}": text for key, text in SHARED.items()},
    **{
        f"batch_{story}_{key}": text
        for story, table in STORIES.items()
        for key, text in table.items()
    },
}
