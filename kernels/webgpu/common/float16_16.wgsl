// Sixteen float16 values a step.
struct Stored {
  a: vec4<u32>,
  b: vec4<u32>,
}

fn x_at(index: u32) -> Bits {
  let stored = x[index];
  return Bits(
    unpacked(stored.a.xy), unpacked(stored.a.zw), unpacked(stored.b.xy), unpacked(stored.b.zw),
  );
}

fn stored_from(bits: Bits) -> Stored {
  return Stored(
    vec4(packed(bits.a), packed(bits.b)),
    vec4(packed(bits.c), packed(bits.d)),
  );
}
