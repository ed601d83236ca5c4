// Mean and variance of each group, or of each part of a long one (moments_merge.wgsl joins these).
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<Stored>;
@group(0) @binding(2) var<storage, read_write> statistics: array<StatBits>;

@compute @workgroup_size(WORKGROUP)
fn moments(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let place = place_of(workgroup, thread);
  let mean = mean_of(place, thread);
  if (place.live && place.lane == 0u) {
    let index = place.part * 5u * params.groups + place.group;
    write_statistics(index, mean.high, mean.low, mean.square, mean.scale, mean.spoilt);
  }
}
