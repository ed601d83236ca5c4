// Joins the statistics of a long group's parts (Chan, Golub, LeVeque 1979): the mean of the parts'
// means, and the variance as the parts' own plus that of their means, each weighted by its share.
// Steps are parts here. The means are compared as in the parts: shifted first, kept as two numbers.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<StatBits>;
@group(0) @binding(2) var<storage, read_write> statistics: array<StatBits>;

struct Partial {
  sum: Stat,
  square: Stat,
  scale: Stat,
  spoilt: StatBits,
}

fn merge(a: Partial, b: Partial) -> Partial {
  return Partial(a.sum + b.sum, a.square + b.square, min(a.scale, b.scale), max(a.spoilt, b.spoilt));
}

fn plane(place: Place, part: u32, number: u32) -> StatBits {
  return x[address(place, part) + number * params.groups];
}

fn number(place: Place, part: u32, which: u32) -> Stat {
  return bitcast<Stat>(plane(place, part, which));
}

fn share(part: u32) -> f32 {
  return select(params.share_of_part, params.share_of_last, part + 1u == params.size);
}

@compute @workgroup_size(WORKGROUP)
fn moments_merge(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let place = place_of(workgroup, thread);
  // The smallest scale is that of the part with the largest values.
  var own = Partial(Stat(0.0), Stat(0.0), Stat(SCALE_OF_TINY), StatBits(FINITE));
  for (var part = place.begin; part < place.end; part += LANES) {
    own.scale = min(own.scale, number(place, part, 3u));
    own.spoilt = max(own.spoilt, worst(plane(place, part, 2u) & StatBits(MAGNITUDE)));
  }
  let all = join(thread, own);
  let scale = all.scale;
  let pivot = number(place, 0u, 0u) * (scale / number(place, 0u, 3u));

  own = Partial(Stat(0.0), Stat(0.0), scale, StatBits(FINITE));
  for (var part = place.begin; part < place.end; part += LANES) {
    let factor = scale / number(place, part, 3u);
    let shift = (number(place, part, 0u) * factor - pivot) + number(place, part, 1u) * factor;
    own.sum += shift * share(part);
  }
  let shift = join(thread, own).sum;
  let high = bitcast<Stat>(bitcast<StatBits>(pivot + shift) & StatBits(0xfffffffeu));
  let low = (pivot - high) + shift;

  own = Partial(Stat(0.0), Stat(0.0), scale, StatBits(FINITE));
  for (var part = place.begin; part < place.end; part += LANES) {
    let factor = scale / number(place, part, 3u);
    let deviation =
      ((number(place, part, 0u) * factor - high) - low) + number(place, part, 1u) * factor;
    own.sum += deviation * share(part);
    own.square +=
      (number(place, part, 2u) * factor * factor + deviation * deviation) * share(part);
  }
  let last = join(thread, own);
  if (place.live && place.lane == 0u) {
    let square = max(last.square - last.sum * last.sum, Stat(0.0));
    write_statistics(place.group, high, low + last.sum, square, scale, all.spoilt);
  }
}
