// Where each pass reads memory again and one thread has the whole group, one pass is tried first:
// with a pivot near the mean, E[d²] − E[d]² loses less than two bits. A group for which that does
// not hold, or whose values are out of range, takes the two passes.
fn mean_of(place: Place, thread: u32) -> Mean {
  let pivot = pivot_near_mean(place);
  let sums = sums_in_one_pass(place, pivot);
  let shift = sums.sum / place.count;
  let square = sums.square / place.count;
  let variance = square - shift * shift;
  let in_range = (scale_for(sums.peak) == Stat(1.0)) | (sums.peak == StatBits());
  if (all((square <= 4.0 * variance) & in_range)) {
    var mean = split_mean(pivot, shift, Stat(1.0), sums.peak);
    mean.square = variance;
    return mean;
  }
  return mean_in_two_passes(place, thread);
}

// The average of values from two places, near the mean for noise and ramps alike. Equal values give
// exactly that value: sums of equal values by powers of two are exact.
fn pivot_near_mean(place: Place) -> Stat {
  let half = (place.end - place.begin) / 2u;
  let a = total(value_of(x_at(address(place, place.begin))));
  let b = total(value_of(x_at(address(place, place.begin + half))));
  return (a + b) * (0.5 / params.values_per_step);
}

fn sums_in_one_pass(place: Place, pivot: Stat) -> Partial {
  var outer = Partial(Stat(), Stat(), StatBits());
  let count = trips(place);
  for (var block = 0u; block < count; block += BLOCK) {
    var sum = Chunk();
    var square = Chunk();
    var peak = Bits();
    let block_end = min(block + BLOCK, count);
    for (var trip = block; trip < block_end; trip += 1u) {
      let bits = take(place, trip);
      let deviation = minus(value_of(bits), pivot);
      sum += deviation;
      square += product(deviation, deviation);
      peak = higher_peak(peak, bits);
    }
    outer.sum += total(sum);
    outer.square += total(square);
    outer.peak = max(outer.peak, peak_of(peak));
  }
  return outer;
}
