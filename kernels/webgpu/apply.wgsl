// y = γ·(x − μ)/√(σ² + ε) + β with statistics that are known already: those of a long group that
// was split, the running ones of BatchNorm in evaluation, and mean squares (μ = 0) for RMSNorm.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<Stored>;
@group(0) @binding(2) var<storage, read> weight: array<Gain>;
@group(0) @binding(3) var<storage, read> bias: array<Gain>;
@group(0) @binding(4) var<storage, read> statistics: array<StatBits>;
@group(0) @binding(5) var<storage, read_write> y: array<Stored>;

@compute @workgroup_size(WORKGROUP)
fn apply(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let place = place_of(workgroup, thread);
  if (!place.live) {
    return;
  }
  let known = known_statistics(place.group, params.groups);
  let special = is_special(known);
  let count = trips(place);
  for (var trip = 0u; trip < count; trip += 1u) {
    let step = place.begin + trip * LANES;
    let bits = take(place, trip);
    let deviation = minus(minus(value_of(bits) * known.scale, known.high), known.low);
    var value = bits_of(affine(deviation * known.factor, place.group, step));
    if (special) {
      value = spoil(nan_where_nonfinite(value, bits), known.factor_bits);
    }
    y[address(place, step)] = stored_from(value);
  }
}
