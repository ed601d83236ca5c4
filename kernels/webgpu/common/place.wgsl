// Which values a thread works on. LANES threads share a group (or one part of a long group), SLOTS
// groups share a workgroup.
struct Place {
  slot: u32, // the number of the group's part among all, clamped to the last one
  group: u32,
  part: u32,
  lane: u32,
  base: u32, // where the group's values start, in chunks
  begin: u32, // this lane's first step, then every LANES-th below `end`
  end: u32,
  count: f32, // values of the part
  live: bool, // false in threads beyond the last group: they compute, but must not store
}

fn place_of(workgroup: vec3<u32>, thread: u32) -> Place {
  var place: Place;
  let slots = params.groups * params.parts;
  let slot = (workgroup.y * params.dispatch_width + workgroup.x) * SLOTS + slot_of(thread);
  place.live = slot < slots;
  place.slot = min(slot, slots - 1u);
  place.group = place.slot;
  place.part = 0u;
  if (params.parts > 1u) {
    place.part = place.slot / params.groups;
    place.group = place.slot - place.part * params.groups;
  }
  place.lane = lane_of(thread);
  place.base = base_of(place.group);
  let start = place.part * params.part_size;
  place.end = min(start + params.part_size, params.size);
  place.begin = start + place.lane;
  place.count = f32(place.end - start) * params.values_per_step;
  return place;
}
