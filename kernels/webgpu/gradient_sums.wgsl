// Σg and Σ(g·x̂) of each group, or of each part of a long one (add_parts.wgsl joins these), with
// known statistics: two planes.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<Stored>;
@group(0) @binding(2) var<storage, read> gradient: array<Chunk>;
@group(0) @binding(3) var<storage, read> weight: array<Gain>;
@group(0) @binding(4) var<storage, read> bias: array<Gain>;
@group(0) @binding(5) var<storage, read> statistics: array<StatBits>;
@group(0) @binding(6) var<storage, read_write> sums: array<Stat>;

struct Partial {
  sum: Stat,
  product: Stat,
}

fn merge(a: Partial, b: Partial) -> Partial {
  return Partial(a.sum + b.sum, a.product + b.product);
}

const BLOCK: u32 = 64u;

@compute @workgroup_size(WORKGROUP)
fn gradient_sums(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let place = place_of(workgroup, thread);
  let known = known_statistics(place.group, params.groups);
  var own = Partial(Stat(), Stat());
  let count = trips(place);
  for (var block = 0u; block < count; block += BLOCK) {
    var sum = Chunk();
    var of_products = Chunk();
    let block_end = min(block + BLOCK, count);
    for (var trip = block; trip < block_end; trip += 1u) {
      let step = place.begin + trip * LANES;
      let value = value_of(take(place, trip)) * known.scale;
      let normalized = minus(minus(value, known.high), known.low) * known.factor;
      let weighted = affine(gradient[address(place, step)], place.group, step);
      sum += weighted;
      of_products += product(weighted, normalized);
    }
    own.sum += total(sum);
    own.product += total(of_products);
  }
  let all = join(thread, own);
  if (place.live && place.lane == 0u) {
    let index = place.part * 2u * params.groups + place.group;
    sums[index] = all.sum;
    sums[index + params.groups] = all.product;
  }
}
