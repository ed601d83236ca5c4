// A group's statistics lie in four planes, one value a group in each: mean (high and low part),
// variance or mean square, and the power of two they are scaled by. NaN and infinity are written
// as bits: `spoilt` is FINITE, or what the third plane shall hold.
fn write_statistics(
  index: u32, high: Stat, low: Stat, square: Stat, scale: Stat, spoilt: StatBits,
) {
  let is_spoilt = spoilt != StatBits(FINITE);
  statistics[index] = select(bitcast<StatBits>(high), StatBits(NOT_A_NUMBER), is_spoilt);
  statistics[index + params.groups] = bitcast<StatBits>(low);
  statistics[index + 2u * params.groups] = select(bitcast<StatBits>(square), spoilt, is_spoilt);
  statistics[index + 3u * params.groups] = bitcast<StatBits>(scale);
}
