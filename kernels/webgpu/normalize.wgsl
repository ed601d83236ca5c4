// y = γ·(x − μ)/√(σ² + ε) + β in one dispatch: LayerNorm, BatchNorm in training, GroupNorm,
// InstanceNorm and any axes, which differ only in how groups and γ, β are found in memory.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<Stored>;
@group(0) @binding(2) var<storage, read> weight: array<Gain>;
@group(0) @binding(3) var<storage, read> bias: array<Gain>;
@group(0) @binding(4) var<storage, read_write> y: array<Stored>;
@group(0) @binding(5) var<storage, read_write> statistics: array<StatBits>;

@compute @workgroup_size(WORKGROUP)
fn normalize(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let place = place_of(workgroup, thread);
  let mean = mean_of(place, thread);
  if (!place.live) {
    return;
  }
  let factor = inverse_root(mean.square, mean.scale);
  let spoilt = mean.spoilt | undefined(mean.square);
  let count = trips(place);
  for (var trip = 0u; trip < count; trip += 1u) {
    if (inside(place, trip)) {
      let step = place.begin + trip * LANES;
      let deviation = deviation_of(value_of(take_again(place, trip)), mean);
      let value = affine(deviation * factor, place.group, step);
      y[address(place, step)] = stored_from(spoil(bits_of(value), spoilt));
    }
  }
  if (params.write_statistics != 0u && place.lane == 0u) {
    write_statistics(
      place.group, mean.high, mean.low, mean.square, mean.scale, mean.spoilt,
    );
  }
}
