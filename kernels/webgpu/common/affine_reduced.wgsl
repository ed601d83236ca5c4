// γ and β lie along the reduced axes, one for each step (LayerNorm, RMSNorm).
alias Gain = GainOfStep;

fn affine(value: Chunk, group: u32, step: u32) -> Chunk {
  var result = value;
  if (HAS_WEIGHT) {
    result = with_gain(result, weight[step]);
  }
  if (HAS_BIAS) {
    result = with_shift(result, bias[step]);
  }
  return result;
}
