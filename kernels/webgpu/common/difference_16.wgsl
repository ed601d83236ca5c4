fn exponential_of_difference(chunk: Chunk, largest: Stat) -> Chunk {
  let at_most = vec4<f32>(largest);
  return Chunk(
    softened(chunk[0], at_most), softened(chunk[1], at_most),
    softened(chunk[2], at_most), softened(chunk[3], at_most),
  );
}
