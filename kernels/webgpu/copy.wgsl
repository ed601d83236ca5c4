// y = x, bit by bit: what the memory of a device can do, against which kernels are held.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4<u32>>;

@compute @workgroup_size(WORKGROUP)
fn copy(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let index = index_of(workgroup, thread);
  if (index < params.size) {
    y[index] = x[index];
  }
}
