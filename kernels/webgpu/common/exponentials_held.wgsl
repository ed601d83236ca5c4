// Values held in registers make a second pass free of memory traffic: always take it.
fn exponentials_of(place: Place, thread: u32) -> Exponentials {
  return exponentials_in_two_passes(place, thread);
}
