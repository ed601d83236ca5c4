// C = factor · A·B for any number of matrices, each operand in any order in memory.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn matmul(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = tile_of(workgroup, thread);
  if (!tile.live) {
    return;
  }
  let product = multiplied(tile) * params.factor;
  store_row(tile, tile.row, bitcast<vec4<u32>>(product[0]));
  store_row(tile, tile.row + 1u, bitcast<vec4<u32>>(product[1]));
  store_row(tile, tile.row + 2u, bitcast<vec4<u32>>(product[2]));
  store_row(tile, tile.row + 3u, bitcast<vec4<u32>>(product[3]));
}
