// ∂L/∂x = g·(½(1 + t) + ½·x·(1 − t²)·√(2/π)·(1 + 3·0.044715·x²)), t the tanh of the forward pass.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> gradient: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> y: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn gelu_backward(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let index = index_of(workgroup, thread);
  if (index < params.size) {
    let value = x[index];
    let curve = gelu_curve(value);
    // (1 − t²)·x first, which is 0 for large x, whose square may be more than f32 holds.
    let bell = curve.one_minus_square * value;
    let slope = GELU_SCALE * (bell + 3.0 * GELU_CUBIC * bell * value * value);
    y[index] = gradient[index] * 0.5 * (curve.one_plus_tanh + slope);
  }
}
