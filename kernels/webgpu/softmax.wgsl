// e^((x − max)/T) / Σ e^((x − max)/T) in one dispatch. As in NumPy a group with NaN or +∞ in it, or
// with nothing but −∞, is NaN throughout.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<Stored>;
@group(0) @binding(2) var<storage, read_write> y: array<Stored>;

@compute @workgroup_size(WORKGROUP)
fn softmax(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let place = place_of(workgroup, thread);
  let all = exponentials_in_two_passes(place, thread);
  if (!place.live) {
    return;
  }
  let spoilt = undefined_softmax(all.largest, all.peak);
  let factor = 1.0 / all.sum;
  let count = trips(place);
  for (var trip = 0u; trip < count; trip += 1u) {
    if (inside(place, trip)) {
      let value = value_of(take_again(place, trip));
      let probability = exponential_of_difference(value, all.largest) * factor;
      y[address(place, place.begin + trip * LANES)] =
        stored_from(spoil(bits_of(probability), spoilt));
    }
  }
}
