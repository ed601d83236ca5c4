// float16 in memory, two values in a u32, computed with as float32. Integers do the conversion:
// WGSL's own may round either way and knows no infinities, and not every device has f16.
alias Halves = vec4<u32>; // four values, each in the low 16 bits

fn from_halves(halves: Halves) -> vec4<u32> {
  let magnitude = halves & vec4(0x7fffu);
  let rebiased = (magnitude << vec4(13u)) + vec4(0x38000000u);
  let subnormal = bitcast<vec4<u32>>(vec4<f32>(magnitude) * 0x1p-24);
  var bits = select(rebiased, subnormal, magnitude < vec4(0x400u));
  bits = select(bits, rebiased + vec4(0x38000000u), magnitude >= vec4(0x7c00u));
  return bits | ((halves & vec4(0x8000u)) << vec4(16u));
}

// Rounds to nearest, ties to even, as NumPy does.
fn to_halves(bits: vec4<u32>) -> Halves {
  let magnitude = bits & vec4(MAGNITUDE);
  let rebiased = magnitude - vec4(0x38000000u);
  let normal = (rebiased + vec4(0xfffu) + ((rebiased >> vec4(13u)) & vec4(1u))) >> vec4(13u);
  // Adding 1/2 leaves the unit of the subnormal numbers, 2^-24, as the last bit.
  let shifted = bitcast<vec4<f32>>(min(magnitude, vec4(0x38800000u))) + 0.5;
  let subnormal = bitcast<vec4<u32>>(shifted) - vec4(0x3f000000u);
  var halves = select(normal, subnormal, magnitude < vec4(0x38800000u));
  halves = select(halves, vec4(0x7c00u), magnitude >= vec4(0x47800000u));
  halves = select(halves, vec4(0x7e00u), magnitude > vec4(INFINITE));
  return halves | ((bits >> vec4(16u)) & vec4(0x8000u));
}

fn unpacked(words: vec2<u32>) -> vec4<u32> {
  let mask = vec2(0xffffu);
  let low = words & mask;
  let high = words >> vec2(16u);
  return from_halves(vec4(low.x, high.x, low.y, high.y));
}

fn packed(bits: vec4<u32>) -> vec2<u32> {
  let halves = to_halves(bits);
  return halves.xz | (halves.yw << vec2(16u));
}
