// Sixteen neighbouring values a step, for rows on adapters that run on the CPU: there a step costs
// more than its arithmetic, and a wide load is checked against the buffer's end only once.
alias Chunk = mat4x4<f32>;
const WIDTH: u32 = 16u;

struct Bits {
  a: vec4<u32>,
  b: vec4<u32>,
  c: vec4<u32>,
  d: vec4<u32>,
}

fn sum_across(chunk: Chunk) -> f32 {
  let sum = (chunk[0] + chunk[1]) + (chunk[2] + chunk[3]);
  return (sum.x + sum.y) + (sum.z + sum.w);
}

fn largest_across(chunk: Chunk) -> f32 {
  let largest = max(max(chunk[0], chunk[1]), max(chunk[2], chunk[3]));
  return max(max(largest.x, largest.y), max(largest.z, largest.w));
}

fn peak_across(bits: Bits) -> u32 {
  let peak = max(max(bits.a, bits.b), max(bits.c, bits.d));
  return max(max(peak.x, peak.y), max(peak.z, peak.w));
}

fn first_across(chunk: Chunk) -> f32 {
  return chunk[0].x;
}

fn less(chunk: Chunk, number: f32) -> Chunk {
  return Chunk(chunk[0] - number, chunk[1] - number, chunk[2] - number, chunk[3] - number);
}

fn product(a: Chunk, b: Chunk) -> Chunk {
  return Chunk(a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]);
}

fn larger(a: Chunk, b: Chunk) -> Chunk {
  return Chunk(max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]));
}

fn value_of(bits: Bits) -> Chunk {
  return Chunk(
    bitcast<vec4<f32>>(bits.a), bitcast<vec4<f32>>(bits.b),
    bitcast<vec4<f32>>(bits.c), bitcast<vec4<f32>>(bits.d),
  );
}

fn bits_of(chunk: Chunk) -> Bits {
  return Bits(
    bitcast<vec4<u32>>(chunk[0]), bitcast<vec4<u32>>(chunk[1]),
    bitcast<vec4<u32>>(chunk[2]), bitcast<vec4<u32>>(chunk[3]),
  );
}

fn higher_peak(peak: Bits, bits: Bits) -> Bits {
  let mask = vec4(MAGNITUDE);
  return Bits(
    max(peak.a, bits.a & mask), max(peak.b, bits.b & mask),
    max(peak.c, bits.c & mask), max(peak.d, bits.d & mask),
  );
}

fn nan_where_nonfinite(value: Bits, original: Bits) -> Bits {
  return Bits(
    nan_where_nonfinite_4(value.a, original.a), nan_where_nonfinite_4(value.b, original.b),
    nan_where_nonfinite_4(value.c, original.c), nan_where_nonfinite_4(value.d, original.d),
  );
}

fn nan_where_nonfinite_4(value: vec4<u32>, original: vec4<u32>) -> vec4<u32> {
  return select(value, vec4(NOT_A_NUMBER), (original & vec4(MAGNITUDE)) >= vec4(INFINITE));
}

fn all_nan() -> Bits {
  let nan = vec4(NOT_A_NUMBER);
  return Bits(nan, nan, nan, nan);
}
