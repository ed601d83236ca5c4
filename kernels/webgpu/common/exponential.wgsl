// e^(x + rest) for x ≤ 0 and a tiny rest, with a relative error below 1e-7 everywhere. WGSL's own
// exp may be off by 3 + 2·|x| units in the last place, which is 2e-5 at x = −80. `Real` and
// `RealBits` are f32 and u32 or vectors of them, as real_1.wgsl and real_4.wgsl say.
// x = n·ln 2 + r; n·LN2_HIGH is exact, since LN2_HIGH has 9 bits. The polynomial for e^r is
// 1 + r + r²·p(r), its coefficients fitted for the least relative error (3.3e-9) on |r| ≤ 0.35.
const LOG2_E: f32 = 1.4426950408889634;
const LN2_HIGH: f32 = 0.693359375;
const LN2_LOW: f32 = -2.12194440e-4;
const VANISHED: f32 = -88.0; // e^x is below the normal numbers of f32

// 1.5·2^23: a number of that size holds an integer in its last bits, so adding it rounds.
const ROUNDING: f32 = 12582912.0;

// e^r for |r| ≤ 0.35.
fn near_one(r: Real) -> Real {
  var p = Real(0.0013813124);
  p = p * r + 0.0083694207;
  p = p * r + 0.041668456;
  p = p * r + 0.16666515;
  p = p * r + 0.49999994;
  return (p * r * r + r) + 1.0;
}

fn exponential(x: Real, rest: Real) -> Real {
  let limited = max(x, Real(VANISHED));
  let n = bitcast<RealIntegers>(limited * LOG2_E + ROUNDING) - bitcast<i32>(ROUNDING);
  let steps = Real(n);
  let r = ((limited - steps * LN2_HIGH) - steps * LN2_LOW) + rest;
  // 2^n by its bits; at VANISHED they are those of 0.
  return near_one(r) * bitcast<Real>((n + 127) << RealBits(23u));
}

// The same for exponents that are small, of either sign, and known exactly enough.
fn exponential_of_small(x: Real) -> Real {
  let n = bitcast<RealIntegers>(x * LOG2_E + ROUNDING) - bitcast<i32>(ROUNDING);
  let steps = Real(n);
  let p = near_one((x - steps * LN2_HIGH) - steps * LN2_LOW);
  return p * bitcast<Real>((n + 127) << RealBits(23u));
}
