// Values are read once and kept in registers: TILE chunks a thread, a number known to the compiler,
// so that it can unroll the loops and never index registers by a variable.
var<private> kept: array<Bits, TILE>;

fn trips(place: Place) -> u32 {
  return TILE;
}

fn inside(place: Place, trip: u32) -> bool {
  return place.begin + trip * LANES < place.end;
}

fn take(place: Place, trip: u32) -> Bits {
  let bits = x_at(address(place, place.begin + trip * LANES));
  kept[trip] = bits;
  return bits;
}

fn take_again(place: Place, trip: u32) -> Bits {
  return kept[trip];
}
