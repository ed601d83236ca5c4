// The largest value of a group; `sum` is for those who want a sum beside it.
struct Partial {
  largest: Stat,
  peak: StatBits,
  sum: Stat,
}

fn merge(a: Partial, b: Partial) -> Partial {
  return Partial(max(a.largest, b.largest), max(a.peak, b.peak), a.sum + b.sum);
}

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
