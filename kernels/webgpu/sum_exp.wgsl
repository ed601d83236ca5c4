// The largest value of each group and Σ e^((x − max)/T), or those of each part of a long one
// (sum_exp_merge.wgsl joins these): two planes, one value a group in each.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<Stored>;
@group(0) @binding(2) var<storage, read_write> statistics: array<StatBits>;

@compute @workgroup_size(WORKGROUP)
fn sum_exp(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let place = place_of(workgroup, thread);
  let all = exponentials_of(place, thread);
  if (place.live && place.lane == 0u) {
    // From the reference that was subtracted to the largest value: 1 where they are the same.
    let inverse = select(1.0, params.inverse_temperature, HEATED);
    let beyond = (all.largest - all.reference) * inverse;
    let sum = all.sum * first_of(exponential_of_tame(minus(Chunk(), beyond)));
    let index = place.part * 2u * params.groups + place.group;
    write_sum_exp(index, all.largest, sum, all.peak);
  }
}
