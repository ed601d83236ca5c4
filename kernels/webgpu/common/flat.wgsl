// Kernels on every value by itself: four a thread, whatever the shape. Tensors are padded to whole
// fours; what the padding holds does not matter.
fn index_of(workgroup: vec3<u32>, thread: u32) -> u32 {
  return (workgroup.y * params.dispatch_width + workgroup.x) * WORKGROUP + thread;
}
