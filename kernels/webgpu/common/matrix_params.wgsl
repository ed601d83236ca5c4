// What the kernels on matrices need; laid out by the host as params.wgsl is. Element (i, j) of
// matrix b of an operand lies at
//   start + (b / inner) * outer + (b % inner) * inner_stride + i * row + j * column
// so that transposed matrices, heads inside a fused projection and plain stacks of matrices are all
// read in place.
struct Params {
  dispatch_width: u32, // workgroups along x; a dispatch longer than 65535 is folded into y
  matrices: u32,
  rows: u32, // of the result
  columns: u32,
  depth: u32, // the length of the sums
  inner: u32, // matrices b are numbered by two axes: b / inner and b % inner
  a_start: u32,
  a_outer: u32,
  a_inner: u32,
  a_row: u32,
  a_column: u32,
  b_start: u32,
  b_outer: u32,
  b_inner: u32,
  b_row: u32,
  b_column: u32,
  c_start: u32,
  c_outer: u32,
  c_inner: u32,
  c_row: u32,
  c_column: u32,
  factor: f32, // the result is multiplied by it
  soft_cap: f32, // 0: none
  causal: u32, // whether column j of row i is masked where j > i + diagonal
  diagonal: u32,
}
