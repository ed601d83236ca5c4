// The reduced axis is the fastest one: the values of a chunk belong to one group. A group's lanes
// are neighbouring threads, so that they read neighbouring chunks.
alias Stat = f32;
alias StatBits = u32;
alias GainOfStep = Chunk; // a weight for each value of a step
const LANES_ARE_NEIGHBOURS: bool = true;

fn total(chunk: Chunk) -> Stat {
  return sum_across(chunk);
}

fn peak_of(bits: Bits) -> StatBits {
  return peak_across(bits);
}

fn largest(chunk: Chunk) -> Stat {
  return largest_across(chunk);
}

fn first_of(chunk: Chunk) -> Stat {
  return first_across(chunk);
}

fn minus(chunk: Chunk, stat: Stat) -> Chunk {
  return less(chunk, stat);
}

fn with_gain(chunk: Chunk, gain: GainOfStep) -> Chunk {
  return product(chunk, gain);
}

fn with_shift(chunk: Chunk, shift: GainOfStep) -> Chunk {
  return chunk + shift;
}

fn spoil(value: Bits, spoilt: StatBits) -> Bits {
  if (spoilt == NOT_A_NUMBER) {
    return all_nan();
  }
  return value;
}
