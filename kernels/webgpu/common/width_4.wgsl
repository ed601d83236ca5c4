// Four neighbouring values a step: one 16-byte load instead of four.
alias Chunk = vec4<f32>;
alias Bits = vec4<u32>;
const WIDTH: u32 = 4u;

fn sum_across(chunk: Chunk) -> f32 {
  return (chunk.x + chunk.y) + (chunk.z + chunk.w);
}

fn largest_across(chunk: Chunk) -> f32 {
  return max(max(chunk.x, chunk.y), max(chunk.z, chunk.w));
}

fn peak_across(bits: Bits) -> u32 {
  return max(max(bits.x, bits.y), max(bits.z, bits.w));
}

fn first_across(chunk: Chunk) -> f32 {
  return chunk.x;
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
  return bitcast<vec4<f32>>(bits);
}

fn bits_of(chunk: Chunk) -> Bits {
  return bitcast<vec4<u32>>(chunk);
}

fn higher_peak(peak: Bits, bits: Bits) -> Bits {
  return max(peak, bits & vec4(MAGNITUDE));
}

fn nan_where_nonfinite(value: Bits, original: Bits) -> Bits {
  return select(value, vec4(NOT_A_NUMBER), (original & vec4(MAGNITUDE)) >= vec4(INFINITE));
}

fn all_nan() -> Bits {
  return vec4(NOT_A_NUMBER);
}
