// e^((x − max)/T) / Σ e^((x − max)/T) in one dispatch. As in NumPy a group with NaN or +∞ in it, or
// with nothing but −∞, is NaN throughout.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<Stored>;
@group(0) @binding(2) var<storage, read_write> y: array<Stored>;

// KEEPS: float32 results have room for the exponentials, which then need no second computation.
fn keep_exponential(place: Place, trip: u32, e: Chunk) {
  if (KEEPS && place.live) {
    y[address(place, place.begin + trip * LANES)] = stored_from(bits_of(e));
  }
}

fn exponential_at(place: Place, trip: u32, all: Exponentials) -> Chunk {
  if (all.tame) {
    if (KEEPS) {
      return value_of(bits_from(y[address(place, place.begin + trip * LANES)]));
    }
    let inverse = select(1.0, params.inverse_temperature, HEATED);
    let value = value_of(take_again(place, trip));
    return exponential_of_tame(minus(value, all.reference) * inverse);
  }
  return exponential_of_difference(value_of(take_again(place, trip)), all.reference);
}

@compute @workgroup_size(WORKGROUP)
fn softmax(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let place = place_of(workgroup, thread);
  let all = exponentials_of(place, thread);
  if (!place.live) {
    return;
  }
  let spoilt = undefined_softmax(all.largest, all.peak);
  let factor = 1.0 / all.sum;
  let count = trips(place);
  for (var trip = 0u; trip < count; trip += 1u) {
    if (inside(place, trip)) {
      let probability = exponential_at(place, trip, all) * factor;
      y[address(place, place.begin + trip * LANES)] =
        stored_from(spoil(bits_of(probability), spoilt));
    }
  }
}
