// Where each pass reads memory again and one thread has the whole group, one pass is tried first,
// relative to the group's first value instead of the largest. If no value is further than TAME from
// it, nothing overflows or vanishes, and the rounding of exponents costs 5e-7 at most.
const TAME: u32 = 0x40c00000u; // 6

fn exponentials_of(place: Place, thread: u32) -> Exponentials {
  let reference = first_of(value_of(x_at(address(place, place.begin))));
  let inverse = select(1.0, params.inverse_temperature, HEATED);
  var so_far = value_of(x_at(address(place, place.begin)));
  var sum = Stat();
  var extent = Bits(); // of the exponents: NaN and infinity in x show there too
  let count = trips(place);
  for (var block = 0u; block < count; block += BLOCK) {
    var of_block = Chunk();
    let block_end = min(block + BLOCK, count);
    for (var trip = block; trip < block_end; trip += 1u) {
      let value = value_of(take(place, trip));
      let exponent = minus(value, reference) * inverse;
      of_block += exponential_of_tame(exponent);
      so_far = larger(so_far, value);
      extent = higher_peak(extent, bits_of(exponent));
    }
    sum += total(of_block);
  }
  var all_of = Exponentials(largest(so_far), reference, sum, StatBits(FINITE));
  let is_tame = all(peak_of(extent) <= StatBits(TAME));
  for (var is_good = is_tame; !is_good; is_good = true) { // not `if`: see mean_streamed.wgsl
    all_of = exponentials_in_two_passes(place, thread);
  }
  return all_of;
}
