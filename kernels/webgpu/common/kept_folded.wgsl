// Two runs of kept axes with a reduced one between them.
fn base_of(group: u32) -> u32 {
  let outer = group / params.kept_inner;
  return outer * params.kept_outer_stride + (group - outer * params.kept_inner) * params.kept_stride;
}
