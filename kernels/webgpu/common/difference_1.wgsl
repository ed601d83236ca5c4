fn exponential_of_difference(chunk: Chunk, largest: Stat) -> Chunk {
  return softened(chunk, largest);
}

fn exponential_of_tame(chunk: Chunk) -> Chunk {
  return exponential_of_small(chunk);
}
