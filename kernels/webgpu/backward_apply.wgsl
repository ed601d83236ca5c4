// ∂L/∂x with known statistics and known Σg and Σ(g·x̂): the last step for long groups.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<Stored>;
@group(0) @binding(2) var<storage, read> gradient: array<Chunk>;
@group(0) @binding(3) var<storage, read> weight: array<Gain>;
@group(0) @binding(4) var<storage, read> bias: array<Gain>;
@group(0) @binding(5) var<storage, read> statistics: array<StatBits>;
@group(0) @binding(6) var<storage, read> sums: array<Stat>;
@group(0) @binding(7) var<storage, read_write> y: array<Stored>;

@compute @workgroup_size(WORKGROUP)
fn backward_apply(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let place = place_of(workgroup, thread);
  if (!place.live) {
    return;
  }
  let known = known_statistics(place.group, params.groups);
  // A factor of 0 is that of an infinite mean square, or of a constant group, whose square is 0.
  let square = statistics[place.group + 2u * params.groups] & StatBits(MAGNITUDE);
  let is_spoilt = (known.factor_bits == StatBits(NOT_A_NUMBER)) | (square == StatBits(INFINITE));
  let spoilt = select(StatBits(FINITE), StatBits(NOT_A_NUMBER), is_spoilt);
  let values = f32(params.size) * params.values_per_step;
  let mean_gradient = select(Stat(), sums[place.group] / values, CENTERED);
  let mean_product = sums[place.group + params.groups] / values;
  let count = trips(place);
  for (var trip = 0u; trip < count; trip += 1u) {
    let step = place.begin + trip * LANES;
    let value = value_of(take(place, trip)) * known.scale;
    let normalized = minus(minus(value, known.high), known.low) * known.factor;
    let weighted = affine(gradient[address(place, step)], place.group, step);
    let result =
      minus(weighted - normalized * mean_product, mean_gradient) * known.factor * known.scale;
    y[address(place, step)] = stored_from(spoil(bits_of(result), spoilt));
  }
}
