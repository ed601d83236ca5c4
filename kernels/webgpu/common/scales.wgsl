// Squares of values beyond 1e18 overflow f32 and those below 1e-19 vanish, though the normalized
// result is ordinary. So groups whose largest magnitude lies outside [2^-30, 2^48] are multiplied
// by a power of two, which is exact. Within a range, d² stays representable even for differences
// d of one unit in the last place, and a sum of 2^24 squares does not overflow.
const TINY_BELOW: u32 = 0x30800000u; // 2^-30
const HUGE_ABOVE: u32 = 0x57800000u; // 2^48
const SCALE_OF_TINY: f32 = 0x1p+72;
const SCALE_OF_HUGE: f32 = 0x1p-80;

// `peak` is the largest magnitude of a group, as bits: an order that integers share with floats,
// and in which infinity and NaN come last.
fn scale_for(peak: StatBits) -> Stat {
  let tiny = select(Stat(1.0), Stat(SCALE_OF_TINY), peak < StatBits(TINY_BELOW));
  return select(tiny, Stat(SCALE_OF_HUGE), peak > StatBits(HUGE_ABOVE));
}

// FINITE, INFINITE or NOT_A_NUMBER: what the values are at worst.
fn worst(peak: StatBits) -> StatBits {
  let infinite = select(StatBits(FINITE), StatBits(INFINITE), peak == StatBits(INFINITE));
  return select(infinite, StatBits(NOT_A_NUMBER), peak > StatBits(INFINITE));
}

// 1 / √(σ² + ε), as the factor for values already multiplied by `scale`; `square` is σ² · scale².
fn inverse_root(square: Stat, scale: Stat) -> Stat {
  // ε in the units of `square`. For tiny values it may be out of range (params.eps_tiny is 0 then):
  // σ² is negligible beside ε there, and the factor can be taken in the units of ε.
  let tiny = scale > Stat(1.0);
  let huge = scale < Stat(1.0);
  let in_units_of_eps = (params.eps_positive != 0u) && (params.eps_tiny == 0.0);
  var eps = select(Stat(params.eps), Stat(params.eps_tiny), tiny);
  eps = select(eps, Stat(params.eps) * SCALE_OF_HUGE * SCALE_OF_HUGE, huge);
  var factor = 1.0 / sqrt(square + eps);
  if (in_units_of_eps) {
    let back = 1.0 / SCALE_OF_TINY;
    factor = select(factor, back / sqrt(square * back * back + params.eps), tiny);
  }
  // A constant group is exactly 0 for any ε > 0, also where ε vanishes beside the scale.
  let nothing = (square + eps) == Stat(0.0);
  return select(factor, Stat(0.0), nothing);
}

// 0/0: a constant group and ε = 0. NumPy gives NaN.
fn undefined(square: Stat) -> StatBits {
  let zero_over_zero = select(StatBits(FINITE), StatBits(NOT_A_NUMBER), square == Stat(0.0));
  return select(zero_over_zero, StatBits(FINITE), params.eps_positive != 0u);
}
