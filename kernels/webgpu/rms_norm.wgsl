// y = γ·x/√(E[x²] + ε) in one dispatch.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<Stored>;
@group(0) @binding(2) var<storage, read> weight: array<Gain>;
@group(0) @binding(3) var<storage, read> bias: array<Gain>;
@group(0) @binding(4) var<storage, read_write> y: array<Stored>;
@group(0) @binding(5) var<storage, read_write> statistics: array<StatBits>;

@compute @workgroup_size(WORKGROUP)
fn rms_norm(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let place = place_of(workgroup, thread);
  let mean = mean_square_of(place, thread);
  if (!place.live) {
    return;
  }
  let spoilt = mean.spoilt | undefined(mean.square);
  let factor =
    select(inverse_root(mean.square, mean.scale), Stat(0.0), spoilt == StatBits(INFINITE));
  let count = trips(place);
  for (var trip = 0u; trip < count; trip += 1u) {
    if (inside(place, trip)) {
      let step = place.begin + trip * LANES;
      let bits = take_again(place, trip);
      let value = affine(value_of(bits) * mean.scale * factor, place.group, step);
      y[address(place, step)] =
        stored_from(spoil(nan_where_nonfinite(bits_of(value), bits), spoilt));
    }
  }
  if (params.write_statistics != 0u && place.lane == 0u) {
    write_statistics(
      place.group, Stat(0.0), Stat(0.0), mean.square, mean.scale, mean.spoilt,
    );
  }
}
