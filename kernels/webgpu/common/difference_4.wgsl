fn exponential_of_difference(chunk: Chunk, largest: Stat) -> Chunk {
  return softened(chunk, vec4<f32>(largest));
}

// WGSL's own, which is off by 3 + 2·|x| units in the last place at most.
fn exponential_of_tame(chunk: Chunk) -> Chunk {
  return exp(chunk);
}
