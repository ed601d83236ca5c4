// float16 to float32, two values a thread: for tensors whose rows do not start at a whole word.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn widen(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let index = (workgroup.y * params.dispatch_width + workgroup.x) * WORKGROUP + thread;
  if (2u * index >= params.size) {
    return;
  }
  let bits = unpacked(vec2(x[index], 0u));
  y[2u * index] = bits.x;
  if (2u * index + 1u < params.size) {
    y[2u * index + 1u] = bits.y;
  }
}
