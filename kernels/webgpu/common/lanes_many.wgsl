// LANES threads share a group, SLOTS groups a workgroup.
const LANE_STEP: u32 = select(SLOTS, 1u, LANES_ARE_NEIGHBOURS);

fn lane_of(thread: u32) -> u32 {
  return (thread / LANE_STEP) % LANES;
}

fn slot_of(thread: u32) -> u32 {
  return select(thread % SLOTS, thread / LANES, LANES_ARE_NEIGHBOURS);
}

fn trips_for(steps: u32) -> u32 {
  return (steps + LANES - 1u) / LANES;
}
