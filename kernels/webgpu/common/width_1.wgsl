// One value a step: for tensors whose fastest run of axes is no multiple of 4.
alias Chunk = f32;
alias Bits = u32;
const WIDTH: u32 = 1u;

fn sum_across(chunk: Chunk) -> f32 {
  return chunk;
}

fn largest_across(chunk: Chunk) -> f32 {
  return chunk;
}

fn peak_across(bits: Bits) -> u32 {
  return bits;
}

fn first_across(chunk: Chunk) -> f32 {
  return chunk;
}

fn less(chunk: Chunk, number: f32) -> Chunk {
  return chunk - number;
}

fn product(a: Chunk, b: Chunk) -> Chunk {
  return a * b;
}

fn larger(a: Chunk, b: Chunk) -> Chunk {
  return max(a, b);
}

fn value_of(bits: Bits) -> Chunk {
  return bitcast<f32>(bits);
}

fn bits_of(chunk: Chunk) -> Bits {
  return bitcast<u32>(chunk);
}

fn higher_peak(peak: Bits, bits: Bits) -> Bits {
  return max(peak, bits & MAGNITUDE);
}

fn nan_where_nonfinite(value: Bits, original: Bits) -> Bits {
  return select(value, NOT_A_NUMBER, (original & MAGNITUDE) >= INFINITE);
}

fn all_nan() -> Bits {
  return NOT_A_NUMBER;
}
