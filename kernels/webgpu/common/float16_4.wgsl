// Four float16 values a step.
alias Stored = vec2<u32>;

fn bits_from(stored: Stored) -> Bits {
  return unpacked(stored);
}

fn x_at(index: u32) -> Bits {
  return bits_from(x[index]);
}

fn stored_from(bits: Bits) -> Stored {
  return packed(bits);
}
