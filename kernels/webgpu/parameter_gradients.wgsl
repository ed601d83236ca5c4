// ∂L/∂γ = Σ ∂L/∂y·x̂ and ∂L/∂β = Σ ∂L/∂y over the groups, for γ and β along the reduced axes, with
// known statistics. A thread owns a few γ and walks down the groups: roles are exchanged, what
// `place` calls a step is a group of the normalization. Two planes for each part of the walk.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<Stored>;
@group(0) @binding(2) var<storage, read> gradient: array<Chunk>;
@group(0) @binding(3) var<storage, read> statistics: array<StatBits>;
@group(0) @binding(4) var<storage, read_write> sums: array<Chunk>;

const BLOCK: u32 = 64u;

@compute @workgroup_size(WORKGROUP)
fn parameter_gradients(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let place = place_of(workgroup, thread);
  if (!place.live) {
    return;
  }
  var of_weight = Chunk();
  var of_bias = Chunk();
  for (var block = place.begin; block < place.end; block += BLOCK) {
    var products = Chunk();
    var sum = Chunk();
    let block_end = min(block + BLOCK, place.end);
    for (var group = block; group < block_end; group += 1u) {
      let known = known_statistics(group, params.size);
      let value = value_of(x_at(address(place, group))) * known.scale;
      let normalized = less(less(value, known.high), known.low) * known.factor;
      let here = gradient[address(place, group)];
      products += product(here, normalized);
      sum += here;
    }
    of_weight += products;
    of_bias += sum;
  }
  let index = place.part * 2u * params.groups + place.group;
  sums[index] = of_weight;
  sums[index + params.groups] = of_bias;
}
