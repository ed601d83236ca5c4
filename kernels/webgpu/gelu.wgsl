// y = ½·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))).
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn gelu(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let index = index_of(workgroup, thread);
  if (index < params.size) {
    let value = x[index];
    y[index] = 0.5 * value * gelu_curve(value).one_plus_tanh;
  }
}
