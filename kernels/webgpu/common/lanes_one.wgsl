// A thread has a group, or a part of one, to itself. Written out, since adapters that run on the CPU
// pay for a division by 1 as for any other.
fn lane_of(thread: u32) -> u32 {
  return 0u;
}

fn slot_of(thread: u32) -> u32 {
  return thread;
}

fn trips_for(steps: u32) -> u32 {
  return steps;
}
