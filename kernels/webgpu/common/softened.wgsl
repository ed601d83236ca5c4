// The sum of e^(x − largest) over a group: two passes.

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
}

const BLOCK: u32 = 64u; // sums are taken block by block: the error grows with √n of the block

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
  return Exponentials(all.largest, all.largest, sum, all.peak);
}
