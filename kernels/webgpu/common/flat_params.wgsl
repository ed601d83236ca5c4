// What the kernels on single values need; laid out by the host as params.wgsl is.
struct Params {
  dispatch_width: u32, // workgroups along x; a dispatch longer than 65535 is folded into y
  size: u32, // threads that have work
  values: u32,
  x_factor: f32,
  z_factor: f32,
}
