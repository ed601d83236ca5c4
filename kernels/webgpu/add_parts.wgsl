// Adds what the parts of long groups gave. Steps are parts here, groups all numbers of all planes.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<Stat>;
@group(0) @binding(2) var<storage, read_write> y: array<Stat>;

struct Partial {
  sum: Stat,
}

fn merge(a: Partial, b: Partial) -> Partial {
  return Partial(a.sum + b.sum);
}

@compute @workgroup_size(WORKGROUP)
fn add_parts(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let place = place_of(workgroup, thread);
  var own = Partial(Stat());
  for (var part = place.begin; part < place.end; part += LANES) {
    own.sum += x[address(place, part)];
  }
  let all = join(thread, own);
  if (place.live && place.lane == 0u) {
    y[place.group] = all.sum;
  }
}
