// Values held in registers make a second pass free of memory traffic: always take it.
fn mean_of(place: Place, thread: u32) -> Mean {
  return mean_in_two_passes(place, thread);
}
