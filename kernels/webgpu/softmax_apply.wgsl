// e^((x − max)/T) / Σ with the largest value and the sum known: the last step for long groups.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<Stored>;
@group(0) @binding(2) var<storage, read> statistics: array<StatBits>;
@group(0) @binding(3) var<storage, read_write> y: array<Stored>;

@compute @workgroup_size(WORKGROUP)
fn softmax_apply(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let place = place_of(workgroup, thread);
  if (!place.live) {
    return;
  }
  let largest = bitcast<Stat>(statistics[place.group]);
  let sum_bits = statistics[place.group + params.groups];
  let spoilt = worst(sum_bits & StatBits(MAGNITUDE));
  let factor = 1.0 / bitcast<Stat>(sum_bits);
  let count = trips(place);
  for (var trip = 0u; trip < count; trip += 1u) {
    let probability = exponential_of_difference(value_of(take(place, trip)), largest) * factor;
    y[address(place, place.begin + trip * LANES)] =
      stored_from(spoil(bits_of(probability), spoilt));
  }
}
