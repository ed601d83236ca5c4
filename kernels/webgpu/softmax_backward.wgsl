// ∂L/∂scores = factor · p·(g − Σ g·p) from probabilities p and g = ∂L/∂p. g is taken relative to its
// value at the largest p, which changes nothing but the rounding: 1 − p would cancel otherwise.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> gradient: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;

struct Partial {
  largest: f32,
  gradient: f32, // at the largest
  sum: f32,
}

fn merge(a: Partial, b: Partial) -> Partial {
  let of_a = a.largest >= b.largest;
  return Partial(
    max(a.largest, b.largest), select(b.gradient, a.gradient, of_a), a.sum + b.sum,
  );
}

@compute @workgroup_size(WORKGROUP)
fn softmax_backward(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let place = place_of(workgroup, thread);
  var own = Partial(-1.0, 0.0, 0.0);
  for (var step = place.begin; step < place.end; step += LANES) {
    let at = address(place, step);
    if (x[at] > own.largest) {
      own = Partial(x[at], gradient[at], 0.0);
    }
  }
  let reference = join(thread, own).gradient;
  own.sum = 0.0;
  for (var step = place.begin; step < place.end; step += LANES) {
    let at = address(place, step);
    own.sum += x[at] * (gradient[at] - reference);
  }
  let sum = join(thread, own).sum;
  if (!place.live) {
    return;
  }
  for (var step = place.begin; step < place.end; step += LANES) {
    let at = address(place, step);
    y[at] = x[at] * ((gradient[at] - reference) - sum) * params.factor;
  }
}
