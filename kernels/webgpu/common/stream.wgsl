// Values are read from memory again for each pass: for groups that do not fit into registers, and
// for adapters that run on the CPU, where a second read comes from the cache.
fn trips(place: Place) -> u32 {
  return trips_for(max(place.end, place.begin) - place.begin);
}

fn inside(place: Place, trip: u32) -> bool {
  return true;
}

fn take(place: Place, trip: u32) -> Bits {
  return x_at(address(place, place.begin + trip * LANES));
}

fn take_again(place: Place, trip: u32) -> Bits {
  return x_at(address(place, place.begin + trip * LANES));
}
