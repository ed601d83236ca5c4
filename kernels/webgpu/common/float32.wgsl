// float32 in memory, bound as integers: WGSL lets an implementation assume that floats are finite,
// so NaN and infinity are told apart by their bits, never by comparing floats.
alias Stored = Bits;

fn x_at(index: u32) -> Bits {
  return x[index];
}

fn stored_from(bits: Bits) -> Stored {
  return bits;
}
