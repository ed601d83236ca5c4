// y = γ·(x − μ)/√(σ² + ε) + β with known statistics, for γ and β along the reduced axes: a thread
// keeps its few γ and β and walks down the groups, instead of reading them anew for each group.
// Roles are exchanged here: what `place` calls a step is a group of the normalization.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<Stored>;
@group(0) @binding(2) var<storage, read> weight: array<Chunk>;
@group(0) @binding(3) var<storage, read> bias: array<Chunk>;
@group(0) @binding(4) var<storage, read> statistics: array<StatBits>;
@group(0) @binding(5) var<storage, read_write> y: array<Stored>;

@compute @workgroup_size(WORKGROUP)
fn apply_across(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let place = place_of(workgroup, thread);
  if (!place.live) {
    return;
  }
  var gain: Chunk;
  var shift: Chunk;
  if (HAS_WEIGHT) {
    gain = weight[place.group];
  }
  if (HAS_BIAS) {
    shift = bias[place.group];
  }
  for (var group = place.begin; group < place.end; group += LANES) {
    let known = known_statistics(group, params.size);
    let bits = x_at(address(place, group));
    var value = less(less(value_of(bits) * known.scale, known.high), known.low) * known.factor;
    if (HAS_WEIGHT) {
      value = product(value, gain);
    }
    if (HAS_BIAS) {
      value += shift;
    }
    var result = bits_of(value);
    if (is_special(known)) {
      result = nan_where_nonfinite(result, bits);
      if (known.factor_bits == NOT_A_NUMBER) {
        result = all_nan();
      }
    }
    y[address(place, group)] = stored_from(result);
  }
}
