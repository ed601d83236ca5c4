// GELU(x) = ½·x·(1 + t), t = tanh(u), u = √(2/π)·(x + 0.044715·x³). 1 + t and 1 − t² are taken from
// e^(−2|u|) without a difference that cancels.
// Source: Hendrycks, Gimpel 2016, arXiv 1606.08415, section 2; the form of GPT-2.
const GELU_SCALE: f32 = 0.7978845608028654;
const GELU_CUBIC: f32 = 0.044715;

struct GeluCurve {
  one_plus_tanh: vec4<f32>,
  one_minus_square: vec4<f32>,
}

fn gelu_curve(x: vec4<f32>) -> GeluCurve {
  let u = GELU_SCALE * (x + GELU_CUBIC * x * x * x);
  let e = exponential(-2.0 * abs(u), vec4(0.0));
  let share = 1.0 / (1.0 + e);
  return GeluCurve(
    2.0 * select(share, e * share, u < vec4(0.0)),
    4.0 * e * share * share,
  );
}
