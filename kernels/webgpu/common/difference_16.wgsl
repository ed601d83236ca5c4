fn exponential_of_difference(chunk: Chunk, largest: Stat) -> Chunk {
  let at_most = vec4<f32>(largest);
  return Chunk(
    softened(chunk[0], at_most), softened(chunk[1], at_most),
    softened(chunk[2], at_most), softened(chunk[3], at_most),
  );
}

fn exponential_of_tame(chunk: Chunk) -> Chunk {
  return Chunk(
    exponential_of_small(chunk[0]), exponential_of_small(chunk[1]),
    exponential_of_small(chunk[2]), exponential_of_small(chunk[3]),
  );
}
