// Where each pass reads memory again and one thread has the whole group, one pass is tried first:
// with a pivot near the mean, E[d²] − E[d]² loses less than two bits. A group for which that does
// not hold, or whose values are out of range, takes the two passes.
fn mean_of(place: Place, thread: u32) -> Mean {
  let first = take(place, 0u);
  let pivot = near_mean(place, value_of(first));
  let sums = sums_in_one_pass(place, first, pivot);
  let shift = sums.sum / place.count;
  let square = sums.square / place.count;
  let variance = square - shift * shift;
  let in_range = (scale_for(sums.peak) == Stat(1.0)) | (sums.peak == StatBits());
  var mean = split_mean(pivot, shift, Stat(1.0), sums.peak);
  mean.square = variance;
  // Not `if`, which adapters that run on the CPU compute whether or not a thread takes it; a loop
  // that no thread enters they skip.
  for (var is_good = all((square <= 4.0 * variance) & in_range); !is_good; is_good = true) {
    mean = mean_in_two_passes(place, thread);
  }
  return mean;
}

// Starts with the chunk that is read already.
fn sums_in_one_pass(place: Place, first: Bits, pivot: Stat) -> Partial {
  let deviation = minus(value_of(first), pivot);
  var outer = Partial(
    total(deviation), total(product(deviation, deviation)), peak_of(higher_peak(Bits(), first)),
  );
  let count = trips(place);
  for (var block = 1u; block < count; block += BLOCK) {
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
