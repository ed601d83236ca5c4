// Joins the largest values and sums of a long group's parts. Steps are parts here.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<StatBits>;
@group(0) @binding(2) var<storage, read_write> statistics: array<StatBits>;

struct Partial {
  largest: Stat,
  peak: StatBits,
  sum: Stat,
}

fn merge(a: Partial, b: Partial) -> Partial {
  return Partial(max(a.largest, b.largest), max(a.peak, b.peak), a.sum + b.sum);
}

@compute @workgroup_size(WORKGROUP)
fn sum_exp_merge(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let place = place_of(workgroup, thread);
  var own = Partial(bitcast<Stat>(x[address(place, 0u)]), StatBits(0u), Stat(0.0));
  for (var part = place.begin; part < place.end; part += LANES) {
    let largest = x[address(place, part)];
    own.largest = max(own.largest, bitcast<Stat>(largest));
    own.peak = max(own.peak, largest & StatBits(MAGNITUDE));
  }
  let all = join(thread, own);
  own = Partial(all.largest, all.peak, Stat(0.0));
  for (var part = place.begin; part < place.end; part += LANES) {
    let largest = bitcast<Stat>(x[address(place, part)]);
    let sum = bitcast<Stat>(x[address(place, part) + params.groups]);
    own.sum += sum * exponential_of_difference(largest, all.largest);
  }
  let sum = join(thread, own).sum;
  if (place.live && place.lane == 0u) {
    write_sum_exp(place.group, all.largest, sum, all.peak);
  }
}
