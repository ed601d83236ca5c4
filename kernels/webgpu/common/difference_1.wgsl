fn exponential_of_difference(chunk: Chunk, largest: Stat) -> Chunk {
  return softened(chunk, largest);
}
