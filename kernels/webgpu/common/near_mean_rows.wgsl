// The average of a few values of the group, near its mean. Equal values give exactly that value:
// sums of equal values by powers of two are exact.
fn near_mean(place: Place, first: Chunk) -> Stat {
  return sum_across(first) * (1.0 / f32(WIDTH));
}
