// One run of reduced axes: a group's values lie at equal distances.
fn address(place: Place, step: u32) -> u32 {
  return place.base + step * params.reduced_stride;
}
