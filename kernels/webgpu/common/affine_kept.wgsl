// γ and β lie along the kept axes, one for each group (BatchNorm, InstanceNorm).
alias Gain = Stat;

fn affine(value: Chunk, group: u32, step: u32) -> Chunk {
  let index = group % params.gain_period;
  var result = value;
  if (HAS_WEIGHT) {
    result = result * weight[index];
  }
  if (HAS_BIAS) {
    result = minus(result, -bias[index]);
  }
  return result;
}
