// ∂L/∂x = (g − Σg/m − x̂·Σ(g·x̂)/m)/√(σ² + ε) with g = γ·∂L/∂y, in one dispatch; the statistics are
// written too, for the gradients of γ and β.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<Stored>;
@group(0) @binding(2) var<storage, read> gradient: array<Chunk>;
@group(0) @binding(3) var<storage, read> weight: array<Gain>;
@group(0) @binding(4) var<storage, read> bias: array<Gain>;
@group(0) @binding(5) var<storage, read_write> y: array<Stored>;
@group(0) @binding(6) var<storage, read_write> statistics: array<StatBits>;

@compute @workgroup_size(WORKGROUP)
fn layer_norm_backward(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let place = place_of(workgroup, thread);
  let mean = mean_of(place, thread);
  let factor = inverse_root(mean.square, mean.scale);
  var own = Partial(Stat(), Stat(), StatBits());
  let count = trips(place);
  for (var trip = 0u; trip < count; trip += 1u) {
    if (inside(place, trip)) {
      let step = place.begin + trip * LANES;
      let normalized = deviation_of(value_of(take_again(place, trip)), mean) * factor;
      let weighted = affine(gradient[address(place, step)], place.group, step);
      own.sum += total(weighted);
      own.square += total(product(weighted, normalized));
    }
  }
  let sums = join(thread, own);
  if (!place.live) {
    return;
  }
  let spoilt = mean.spoilt | undefined(mean.square);
  let mean_gradient = sums.sum / place.count;
  let mean_product = sums.square / place.count;
  for (var trip = 0u; trip < count; trip += 1u) {
    if (inside(place, trip)) {
      let step = place.begin + trip * LANES;
      let normalized = deviation_of(value_of(take_again(place, trip)), mean) * factor;
      let weighted = affine(gradient[address(place, step)], place.group, step);
      let value = minus(weighted - normalized * mean_product, mean_gradient) * factor * mean.scale;
      y[address(place, step)] = stored_from(spoil(bits_of(value), spoilt));
    }
  }
  if (place.lane == 0u) {
    write_statistics(place.group, mean.high, mean.low, mean.square, mean.scale, mean.spoilt);
  }
}
