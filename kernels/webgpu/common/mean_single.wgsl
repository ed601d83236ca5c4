// A group of a single value: it is its own mean, and its variance is 0.
fn mean_of(place: Place, thread: u32) -> Mean {
  let bits = take(place, 0u);
  let peak = peak_of(higher_peak(Bits(), bits));
  let scale = scale_for(peak);
  return split_mean(first_of(value_of(bits)) * scale, Stat(0.0), scale, peak);
}
