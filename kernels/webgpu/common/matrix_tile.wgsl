// Four rows by four columns of a matrix product in registers: sixteen products for eight loads.
// Without shared memory, since the matrices of a small stack fit into the caches, and barriers cost
// adapters that run on the CPU more than loads.
struct Tile {
  matrix: u32,
  row: u32,
  column: u32,
  live: bool,
}

fn tile_of(workgroup: vec3<u32>, thread: u32) -> Tile {
  let number = (workgroup.y * params.dispatch_width + workgroup.x) * WORKGROUP + thread;
  let across = (params.columns + 3u) / 4u;
  let down = (params.rows + 3u) / 4u;
  let in_matrix = number % (across * down);
  var tile: Tile;
  tile.matrix = number / (across * down);
  tile.row = 4u * (in_matrix / across);
  tile.column = 4u * (in_matrix % across);
  tile.live = tile.matrix < params.matrices;
  return tile;
}

fn origin(matrix: u32, outer: u32, inner: u32) -> u32 {
  return (matrix / params.inner) * outer + (matrix % params.inner) * inner;
}

// Rows and columns beyond the matrix repeat the last one; they are not stored.
fn rows_from(tile: Tile) -> vec4<u32> {
  return min(vec4(tile.row) + vec4(0u, 1u, 2u, 3u), vec4(params.rows - 1u));
}

fn columns_from(tile: Tile) -> vec4<u32> {
  return min(vec4(tile.column) + vec4(0u, 1u, 2u, 3u), vec4(params.columns - 1u));
}

// Row i of the result holds four columns. Sums are taken block by block: the error grows with √n of
// the block.
const BLOCK: u32 = 64u;

fn multiplied(tile: Tile) -> mat4x4<f32> {
  let a_rows = params.a_start + origin(tile.matrix, params.a_outer, params.a_inner)
    + rows_from(tile) * params.a_row;
  let b_columns = params.b_start + origin(tile.matrix, params.b_outer, params.b_inner)
    + columns_from(tile) * params.b_column;
  var outer = mat4x4<f32>();
  for (var block = 0u; block < params.depth; block += BLOCK) {
    var sum = mat4x4<f32>();
    let block_end = min(block + BLOCK, params.depth);
    for (var k = block; k < block_end; k += 1u) {
      let a_at = a_rows + k * params.a_column;
      let b_at = b_columns + k * params.b_row;
      let right = vec4(b[b_at.x], b[b_at.y], b[b_at.z], b[b_at.w]);
      sum[0] += a[a_at.x] * right;
      sum[1] += a[a_at.y] * right;
      sum[2] += a[a_at.z] * right;
      sum[3] += a[a_at.w] * right;
    }
    outer += sum;
  }
  return outer;
}

fn store_row(tile: Tile, row: u32, bits: vec4<u32>) {
  if (row >= params.rows) {
    return;
  }
  let start = params.c_start + origin(tile.matrix, params.c_outer, params.c_inner)
    + row * params.c_row;
  for (var j = 0u; j < 4u; j += 1u) {
    if (tile.column + j < params.columns) {
      c[start + (tile.column + j) * params.c_column] = bits[j];
    }
  }
}
