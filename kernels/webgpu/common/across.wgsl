// Neighbouring threads take neighbouring chunks of the same step, whatever the chunks mean.
alias Stat = f32;
alias StatBits = u32;
