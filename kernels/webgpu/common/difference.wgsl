// e^((x − largest) / temperature). The difference is rounded once, which alone costs 4e-6 in the
// result at −90, so what the rounding dropped is put back (Knuth's two-sum).
fn softened(x: Real, largest: Real) -> Real {
  let difference = x - largest;
  let taken = difference - x;
  let dropped = (x - (difference - taken)) - (largest + taken);
  var exponent = difference;
  var rest = dropped;
  if (HEATED) {
    exponent = difference * params.inverse_temperature;
    rest = (remainder(difference, exponent) + dropped) * params.inverse_temperature;
  }
  return exponential(exponent, select(Real(0.0), rest, exponent > Real(VANISHED)));
}

// difference − quotient · temperature, by partial products of 12 bits each, which are exact.
fn remainder(difference: Real, quotient: Real) -> Real {
  let t_high = bitcast<f32>(bitcast<u32>(params.temperature) & 0xfffff000u);
  let t_low = params.temperature - t_high;
  let q_high = bitcast<Real>(bitcast<RealBits>(quotient) & RealBits(0xfffff000u));
  let q_low = quotient - q_high;
  return ((difference - q_high * t_high) - q_high * t_low - q_low * t_high) - q_low * t_low;
}
