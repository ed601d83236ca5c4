// ∂L/∂x = (g − x̂·Σ(g·x̂)/m)/√(E[x²] + ε) with g = γ·∂L/∂y, in one dispatch; the statistics are
// written too, for the gradient of γ.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<Stored>;
@group(0) @binding(2) var<storage, read> gradient: array<Chunk>;
@group(0) @binding(3) var<storage, read> weight: array<Gain>;
@group(0) @binding(4) var<storage, read> bias: array<Gain>;
@group(0) @binding(5) var<storage, read_write> y: array<Stored>;
@group(0) @binding(6) var<storage, read_write> statistics: array<StatBits>;

@compute @workgroup_size(WORKGROUP)
fn rms_norm_backward(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let place = place_of(workgroup, thread);
  let mean = mean_square_of(place, thread);
  let factor = inverse_root(mean.square, mean.scale);
  // The same peak in all lanes: the merge then adds without rescaling.
  var own = Partial(Stat(), StatBits());
  let count = trips(place);
  for (var trip = 0u; trip < count; trip += 1u) {
    if (inside(place, trip)) {
      let step = place.begin + trip * LANES;
      let normalized = value_of(take_again(place, trip)) * mean.scale * factor;
      let weighted = affine(gradient[address(place, step)], place.group, step);
      own.square += total(product(weighted, normalized));
    }
  }
  let mean_product = join(thread, own).square / place.count;
  if (!place.live) {
    return;
  }
  let is_finite = mean.spoilt == StatBits(FINITE);
  let spoilt = select(StatBits(NOT_A_NUMBER), undefined(mean.square), is_finite);
  for (var trip = 0u; trip < count; trip += 1u) {
    if (inside(place, trip)) {
      let step = place.begin + trip * LANES;
      let normalized = value_of(take_again(place, trip)) * mean.scale * factor;
      let weighted = affine(gradient[address(place, step)], place.group, step);
      let value = (weighted - normalized * mean_product) * factor * mean.scale;
      y[address(place, step)] = stored_from(spoil(bits_of(value), spoilt));
    }
  }
  if (place.lane == 0u) {
    write_statistics(place.group, Stat(), Stat(), mean.square, mean.scale, mean.spoilt);
  }
}
