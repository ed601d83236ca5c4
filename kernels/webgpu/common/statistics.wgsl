// A group's statistics lie in five planes, one value a group in each: mean (high and low part),
// variance or mean square, the power of two that these are scaled by, and the factor 1/√(σ² + ε)
// for values that are scaled too. NaN and infinity are written as bits: `spoilt` is FINITE, or what
// the third plane shall hold. The factor then is NaN, or 0 beside an infinite mean square.
fn write_statistics(
  index: u32, high: Stat, low: Stat, square: Stat, scale: Stat, spoilt: StatBits,
) {
  let is_spoilt = spoilt != StatBits(FINITE);
  let nan = StatBits(NOT_A_NUMBER);
  var factor = bitcast<StatBits>(inverse_root(square, scale));
  factor = select(factor, StatBits(0u), spoilt == StatBits(INFINITE));
  factor = select(factor, nan, (spoilt | undefined(square)) == nan);
  statistics[index] = select(bitcast<StatBits>(high), nan, is_spoilt);
  statistics[index + params.groups] = bitcast<StatBits>(low);
  statistics[index + 2u * params.groups] = select(bitcast<StatBits>(square), spoilt, is_spoilt);
  statistics[index + 3u * params.groups] = bitcast<StatBits>(scale);
  statistics[index + 4u * params.groups] = factor;
}
