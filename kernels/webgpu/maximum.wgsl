// The largest value of each group, or of each part of a long one (the same kernel joins these).
// NaN if the group holds one.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<Stored>;
@group(0) @binding(2) var<storage, read_write> result: array<StatBits>;

@compute @workgroup_size(WORKGROUP)
fn maximum(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let place = place_of(workgroup, thread);
  let all = join(thread, largest_of(place));
  if (place.live && place.lane == 0u) {
    let is_nan = all.peak > StatBits(INFINITE);
    result[place.slot] =
      select(bitcast<StatBits>(all.largest), StatBits(NOT_A_NUMBER), is_nan);
  }
}
