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
  var all = join(thread, largest_of(place));
  all.sum = sum_of_exponentials(place, all.largest);
  let sum = join(thread, all).sum;
  if (!place.live) {
    return;
  }
  let spoilt = undefined_softmax(all.largest, all.peak);
  let factor = 1.0 / sum;
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
