// One run of kept axes: groups start at equal distances.
fn base_of(group: u32) -> u32 {
  return group * params.kept_stride;
}
