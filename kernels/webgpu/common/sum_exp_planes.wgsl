// Σ e^(x − max) of values that are all −∞ is NaN as in NumPy, unless they are only a part of a
// group: there they count for nothing. NaN and +∞ spoil both numbers or the sum.
fn write_sum_exp(index: u32, largest: Stat, sum: Stat, peak: StatBits) {
  let largest_bits = bitcast<StatBits>(largest);
  let is_nan = peak > StatBits(INFINITE);
  let is_infinite = (largest_bits & StatBits(MAGNITUDE)) == StatBits(INFINITE);
  let of_a_part = params.parts > 1u;
  let empty = select(StatBits(NOT_A_NUMBER), StatBits(0u), largest_bits == StatBits(0xff800000u));
  let spoilt_sum = select(StatBits(NOT_A_NUMBER), empty, of_a_part);
  statistics[index] = select(largest_bits, StatBits(NOT_A_NUMBER), is_nan);
  statistics[index + params.groups] =
    select(bitcast<StatBits>(sum), spoilt_sum, is_nan | is_infinite);
}
