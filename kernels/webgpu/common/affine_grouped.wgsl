// γ and β lie along channels that are partly kept, partly reduced (GroupNorm).
alias Gain = Stat;

fn affine(value: Chunk, group: u32, step: u32) -> Chunk {
  let index = (group % params.gain_period) * params.gain_step + step / params.gain_run;
  var result = value;
  if (HAS_WEIGHT) {
    result = result * weight[index];
  }
  if (HAS_BIAS) {
    result = minus(result, -bias[index]);
  }
  return result;
}
