// Four float16 values a step.
alias Stored = vec2<u32>;

fn x_at(index: u32) -> Bits {
  return unpacked(x[index]);
}

fn stored_from(bits: Bits) -> Stored {
  return packed(bits);
}
