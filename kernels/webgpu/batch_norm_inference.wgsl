// y = (x − μ)·γ/√(σ² + ε) + β with running statistics: μ as two numbers (high, low), then the
// factor and β, four planes of one value a channel. Each value is on its own: NaN and infinity stay
// where they are.
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<Stored>;
@group(0) @binding(2) var<storage, read> channels: array<Stat>;
@group(0) @binding(3) var<storage, read_write> y: array<Stored>;

// ∞·factor + β by its bits: the sign is that of both, and ∞·0 is NaN.
fn of_nonfinite(original: Bits, factor: Stat) -> Bits {
  let factor_bits = Bits(bitcast<StatBits>(factor));
  let sign = (original ^ factor_bits) & Bits(0x80000000u);
  let is_nan = ((original & Bits(MAGNITUDE)) > Bits(INFINITE))
    | ((factor_bits & Bits(MAGNITUDE)) == Bits(0u));
  return select(sign | Bits(INFINITE), Bits(NOT_A_NUMBER), is_nan);
}

@compute @workgroup_size(WORKGROUP)
fn batch_norm_inference(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let place = place_of(workgroup, thread);
  if (!place.live) {
    return;
  }
  let channel = place.group % params.gain_period;
  let high = channels[channel];
  let low = channels[channel + params.gain_period];
  let factor = channels[channel + 2u * params.gain_period];
  let bias = channels[channel + 3u * params.gain_period];
  let count = trips(place);
  for (var trip = 0u; trip < count; trip += 1u) {
    let bits = take(place, trip);
    let value = bits_of((value_of(bits) - high - low) * factor + bias);
    let nonfinite = (bits & Bits(MAGNITUDE)) >= Bits(INFINITE);
    y[address(place, place.begin + trip * LANES)] =
      stored_from(select(value, of_nonfinite(bits, factor), nonfinite));
  }
}
