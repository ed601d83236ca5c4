// The average of four values of each group, near its mean. Equal values give exactly that value:
// sums of equal values by powers of two are exact.
fn near_mean(place: Place, first: Chunk) -> Stat {
  let quarter = (place.end - place.begin) / 4u;
  let second = value_of(x_at(address(place, place.begin + quarter)));
  let third = value_of(x_at(address(place, place.begin + 2u * quarter)));
  let fourth = value_of(x_at(address(place, place.begin + 3u * quarter)));
  return ((first + second) + (third + fourth)) * 0.25;
}
