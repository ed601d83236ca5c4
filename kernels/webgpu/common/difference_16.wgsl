fn exponential_of_difference(chunk: Chunk, largest: Stat) -> Chunk {
  let at_most = vec4<f32>(largest);
  return Chunk(
    softened(chunk[0], at_most), softened(chunk[1], at_most),
    softened(chunk[2], at_most), softened(chunk[3], at_most),
  );
}

// WGSL's own, which is off by 3 + 2·|x| units in the last place at most.
fn exponential_of_tame(chunk: Chunk) -> Chunk {
  return Chunk(exp(chunk[0]), exp(chunk[1]), exp(chunk[2]), exp(chunk[3]));
}
