// The mean of squares, safe from overflow: a thread that meets values out of range sums its squares
// again, scaled; partial sums of different scales are brought to the smaller one when they merge.
struct Partial {
  square: Stat,
  peak: StatBits,
}

// From the scale of `peak` to that of the largest: squares are multiplied twice, since the factor's
// own square may be out of range.
fn rescaled(square: Stat, peak: StatBits, largest: StatBits) -> Stat {
  let factor = scale_for(largest) / scale_for(peak);
  return select(square * factor * factor, Stat(0.0), square == Stat(0.0));
}

fn merge(a: Partial, b: Partial) -> Partial {
  let peak = max(a.peak, b.peak);
  return Partial(rescaled(a.square, a.peak, peak) + rescaled(b.square, b.peak, peak), peak);
}

const BLOCK: u32 = 64u; // sums are taken block by block: the error grows with √n of the block

fn sum_of_squares(place: Place) -> Partial {
  var outer = Partial(Stat(), StatBits());
  let count = trips(place);
  for (var block = 0u; block < count; block += BLOCK) {
    var square = Chunk();
    var peak = Bits();
    let block_end = min(block + BLOCK, count);
    for (var trip = block; trip < block_end; trip += 1u) {
      if (inside(place, trip)) {
        let bits = take(place, trip);
        let value = value_of(bits);
        square += product(value, value);
        peak = higher_peak(peak, bits);
      }
    }
    outer.square += total(square);
    outer.peak = max(outer.peak, peak_of(peak));
  }
  return outer;
}

fn sum_of_scaled_squares(place: Place, scale: Stat) -> Stat {
  var outer = Stat();
  let count = trips(place);
  for (var trip = 0u; trip < count; trip += 1u) {
    if (inside(place, trip)) {
      let value = value_of(take_again(place, trip)) * scale;
      outer += total(product(value, value));
    }
  }
  return outer;
}

struct MeanSquare {
  square: Stat, // times scale²
  scale: Stat,
  spoilt: StatBits,
}

fn mean_square_of(place: Place, thread: u32) -> MeanSquare {
  var own = sum_of_squares(place);
  let scale = scale_for(own.peak);
  if (any(scale != Stat(1.0))) {
    own.square = sum_of_scaled_squares(place, scale);
  }
  let all = join(thread, own);
  return MeanSquare(all.square / place.count, scale_for(all.peak), worst(all.peak));
}
