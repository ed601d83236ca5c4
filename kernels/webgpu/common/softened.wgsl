// The largest value of a group and the sum of e^(x − largest): two passes.
struct Partial {
  largest: Stat,
  peak: StatBits,
  sum: Stat,
}

fn merge(a: Partial, b: Partial) -> Partial {
  return Partial(max(a.largest, b.largest), max(a.peak, b.peak), a.sum + b.sum);
}

// NaN and +∞ spoil a softmax, and so does a largest value of −∞: ∞ − ∞ is NaN.
fn undefined_softmax(largest: Stat, peak: StatBits) -> StatBits {
  let magnitude = bitcast<StatBits>(largest) & StatBits(MAGNITUDE);
  let is_undefined = (peak > StatBits(INFINITE)) | (magnitude == StatBits(INFINITE));
  return select(StatBits(FINITE), StatBits(NOT_A_NUMBER), is_undefined);
}

struct Exponentials {
  largest: Stat,
  reference: Stat, // what was subtracted: the largest value, or another one nearby
  sum: Stat, // of e^((x − reference)/T)
  peak: StatBits, // of x; NaN and infinity show in it
  tame: bool, // whether the exponents were small; the exponentials are kept then
}

const BLOCK: u32 = 64u; // sums are taken block by block: the error grows with √n of the block

fn largest_of(place: Place) -> Partial {
  var so_far = value_of(x_at(address(place, place.begin - place.lane)));
  var peak = Bits();
  let count = trips(place);
  for (var trip = 0u; trip < count; trip += 1u) {
    if (inside(place, trip)) {
      let bits = take(place, trip);
      so_far = larger(so_far, value_of(bits));
      peak = higher_peak(peak, bits);
    }
  }
  return Partial(largest(so_far), peak_of(peak), Stat(0.0));
}

fn sum_of_exponentials(place: Place, largest: Stat) -> Stat {
  var outer = Stat();
  let count = trips(place);
  for (var block = 0u; block < count; block += BLOCK) {
    var sum = Chunk();
    let block_end = min(block + BLOCK, count);
    for (var trip = block; trip < block_end; trip += 1u) {
      if (inside(place, trip)) {
        sum += exponential_of_difference(value_of(take_again(place, trip)), largest);
      }
    }
    outer += total(sum);
  }
  return outer;
}

fn exponentials_in_two_passes(place: Place, thread: u32) -> Exponentials {
  var all = join(thread, largest_of(place));
  all.sum = sum_of_exponentials(place, all.largest);
  let sum = join(thread, all).sum;
  return Exponentials(all.largest, all.largest, sum, all.peak, false);
}
