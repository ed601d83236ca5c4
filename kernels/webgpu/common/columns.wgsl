// A kept axis is the fastest one: the values of a chunk belong to neighbouring groups, each with
// its own statistic, and neighbouring threads take neighbouring chunks of the same step. So a
// reduction over leading axes reads memory in order without a transposition.
alias Stat = Chunk;
alias StatBits = Bits;
alias GainOfStep = f32; // a step is one value of each group
const LANES_ARE_NEIGHBOURS: bool = false;

fn total(chunk: Chunk) -> Stat {
  return chunk;
}

fn peak_of(bits: Bits) -> StatBits {
  return bits;
}

fn largest(chunk: Chunk) -> Stat {
  return chunk;
}

fn first_of(chunk: Chunk) -> Stat {
  return chunk;
}

fn minus(chunk: Chunk, stat: Stat) -> Chunk {
  return chunk - stat;
}

fn with_gain(chunk: Chunk, gain: GainOfStep) -> Chunk {
  return chunk * gain;
}

fn with_shift(chunk: Chunk, shift: GainOfStep) -> Chunk {
  return chunk + shift;
}

fn spoil(value: Bits, spoilt: StatBits) -> Bits {
  return select(value, StatBits(NOT_A_NUMBER), spoilt == StatBits(NOT_A_NUMBER));
}
