// One uniform struct for every kernel, so that a new shape never means a new pipeline. The host
// reads this declaration to lay the numbers out: each field is 4 bytes, in this order.
//
// A tensor is seen as groups of values that share a statistic. The k-th group's j-th value lies at
//   (k / kept_inner) * kept_outer_stride + (k % kept_inner) * kept_stride
//   + (j / reduced_inner) * reduced_outer_stride + (j % reduced_inner) * reduced_stride
// which covers any axes of any tensor of rank 4 in place, without transposing it. Counts and
// strides are in chunks: 1 or 4 values, as width_1.wgsl and width_4.wgsl say.
struct Params {
  dispatch_width: u32, // workgroups along x; a dispatch longer than 65535 is folded into y
  groups: u32,
  size: u32, // steps along the reduced axes
  kept_inner: u32,
  kept_outer_stride: u32,
  kept_stride: u32,
  reduced_inner: u32,
  reduced_outer_stride: u32,
  reduced_stride: u32,
  parts: u32, // a long group is cut into this many parts ...
  part_size: u32, // ... of this many steps, the last one shorter
  values_per_step: f32, // of one group: 4 where a step is four values of it, else 1
  share_of_part: f32, // of a group's values; used where the parts of a group are merged
  share_of_last: f32,
  pivot_scale: f32, // a power of two below 1 / part size, so that no sum of deviations overflows
  pivot_unscale: f32, // its inverse
  eps: f32,
  eps_tiny: f32, // eps in the units of squares scaled up, see scales.wgsl; 0 if out of range
  eps_positive: u32, // whether eps > 0 before it was rounded to f32
  gain_period: u32, // weight and bias: the k-th group's j-th value takes number
  gain_step: u32, //   (k % gain_period) * gain_step + j / gain_run
  gain_run: u32,
  write_statistics: u32,
  statistics_groups: u32, // the stride from one plane of statistics to the next, in chunks
  temperature: f32,
  inverse_temperature: f32,
  factor: f32,
}
