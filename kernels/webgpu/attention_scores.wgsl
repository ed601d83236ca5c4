// c·tanh(q·kᵀ·factor/c), or q·kᵀ·factor without a cap c; then −∞ where a key lies in a query's
// future. The cap comes before the mask: after it, a masked key would get e^(−c) (onnx#7865).
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<u32>;

fn store_scores(tile: Tile, row: u32, values: vec4<f32>) {
  var scores = values * params.factor;
  if (params.soft_cap > 0.0) {
    scores = params.soft_cap * hyperbolic_tangent(scores / params.soft_cap);
  }
  let keys = vec4(tile.column) + vec4(0u, 1u, 2u, 3u);
  let future = (keys > vec4(row + params.diagonal)) & vec4(params.causal != 0u);
  store_row(tile, row, select(bitcast<vec4<u32>>(scores), vec4(0xff800000u), future));
}

@compute @workgroup_size(WORKGROUP)
fn attention_scores(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = tile_of(workgroup, thread);
  if (!tile.live) {
    return;
  }
  let product = multiplied(tile);
  store_scores(tile, tile.row, product[0]);
  store_scores(tile, tile.row + 1u, product[1]);
  store_scores(tile, tile.row + 2u, product[2]);
  store_scores(tile, tile.row + 3u, product[3]);
}
