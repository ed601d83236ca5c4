// Neighbouring threads take neighbouring chunks of the same step, whatever the chunks mean.
alias Stat = f32;
alias StatBits = u32;

fn lane_of(thread: u32) -> u32 {
  return thread / SLOTS;
}

fn slot_of(thread: u32) -> u32 {
  return thread % SLOTS;
}
