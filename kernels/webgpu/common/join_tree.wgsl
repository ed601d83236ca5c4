// The lanes of a group join their partial results pairwise in shared memory, always in the same
// order, so that a result is the same each time. A tree also survives reassociation by a compiler,
// which compensated summation does not.
var<workgroup> shared_partials: array<Partial, WORKGROUP>;

fn join(thread: u32, own: Partial) -> Partial {
  workgroupBarrier(); // a join before this one may still be read from
  shared_partials[thread] = own;
  workgroupBarrier();
  let lane = lane_of(thread);
  for (var distance = LANES / 2u; distance > 0u; distance /= 2u) {
    if (lane < distance) {
      shared_partials[thread] = merge(
        shared_partials[thread],
        shared_partials[thread + distance * LANE_STEP],
      );
    }
    workgroupBarrier();
  }
  return shared_partials[thread - lane * LANE_STEP];
}
