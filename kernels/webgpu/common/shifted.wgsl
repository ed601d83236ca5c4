// Mean and variance by a shifted two-pass. Pass one subtracts a value of the group, the pivot,
// before it sums: where all values share an offset, the differences are exact, and a constant group
// gives exactly 0. The mean is then carried as two numbers, high + low, since rounding it to one
// f32 at offset 1e6 alone costs 0.06; pass two takes the mean of what remains (the correction,
// which removes pass one's rounding) and the mean square.
struct Partial {
  sum: Stat,
  square: Stat,
  peak: StatBits,
}

fn merge(a: Partial, b: Partial) -> Partial {
  return Partial(a.sum + b.sum, a.square + b.square, max(a.peak, b.peak));
}

struct Mean {
  high: Stat,
  low: Stat,
  scale: Stat,
  spoilt: StatBits, // FINITE, or NOT_A_NUMBER where the group holds NaN or infinity
  square: Stat, // the variance times scale²
}

const BLOCK: u32 = 64u; // sums are taken block by block: the error grows with √n of the block

// x − μ, in the scale of the group.
fn deviation_of(value: Chunk, mean: Mean) -> Chunk {
  return minus(minus(value * mean.scale, mean.high), mean.low);
}

// Clearing the last bit of `high` keeps a compiler from simplifying (pivot − high) + shift to 0.
fn split_mean(pivot: Stat, shift: Stat, scale: Stat, peak: StatBits) -> Mean {
  var mean: Mean;
  mean.high = bitcast<Stat>(bitcast<StatBits>(pivot + shift) & StatBits(0xfffffffeu));
  mean.low = (pivot - mean.high) + shift;
  mean.scale = scale;
  mean.spoilt =
    select(StatBits(FINITE), StatBits(NOT_A_NUMBER), peak >= StatBits(INFINITE));
  return mean;
}

fn first_value(place: Place) -> Stat {
  return first_of(value_of(x_at(address(place, place.begin - place.lane))));
}

fn sum_of_deviations(place: Place, pivot: Stat) -> Partial {
  let scaled_pivot = pivot * params.pivot_scale;
  var outer = Partial(Stat(), Stat(), StatBits());
  let count = trips(place);
  for (var block = 0u; block < count; block += BLOCK) {
    var sum = Chunk();
    var peak = Bits();
    let block_end = min(block + BLOCK, count);
    for (var trip = block; trip < block_end; trip += 1u) {
      if (inside(place, trip)) {
        let bits = take(place, trip);
        sum += minus(value_of(bits) * params.pivot_scale, scaled_pivot);
        peak = higher_peak(peak, bits);
      }
    }
    outer.sum += total(sum);
    outer.peak = max(outer.peak, peak_of(peak));
  }
  return outer;
}

fn sum_of_squares(place: Place, mean: Mean) -> Partial {
  var outer = Partial(Stat(), Stat(), StatBits());
  let count = trips(place);
  for (var block = 0u; block < count; block += BLOCK) {
    var sum = Chunk();
    var square = Chunk();
    let block_end = min(block + BLOCK, count);
    for (var trip = block; trip < block_end; trip += 1u) {
      if (inside(place, trip)) {
        let deviation = deviation_of(value_of(take_again(place, trip)), mean);
        sum += deviation;
        square += product(deviation, deviation);
      }
    }
    outer.sum += total(sum);
    outer.square += total(square);
  }
  return outer;
}

fn mean_in_two_passes(place: Place, thread: u32) -> Mean {
  let pivot = first_value(place);
  let first = join(thread, sum_of_deviations(place, pivot));
  let scale = scale_for(first.peak);
  let shift = (first.sum / place.count) * scale * params.pivot_unscale;
  var mean = split_mean(pivot * scale, shift, scale, first.peak);
  let second = join(thread, sum_of_squares(place, mean));
  let correction = second.sum / place.count;
  mean.low += correction;
  mean.square = max(second.square / place.count - correction * correction, Stat());
  return mean;
}
