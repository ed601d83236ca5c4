// float32 to float16, two values a thread.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn narrow(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let index = (workgroup.y * params.dispatch_width + workgroup.x) * WORKGROUP + thread;
  if (2u * index >= params.size) {
    return;
  }
  let second = select(0u, x[min(2u * index + 1u, params.size - 1u)], 2u * index + 1u < params.size);
  y[index] = packed(vec4(x[2u * index], second, 0u, 0u)).x;
}
