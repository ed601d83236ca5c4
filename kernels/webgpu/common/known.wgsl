// Statistics of a group that another dispatch has written: see statistics.wgsl.
struct Known {
  high: Stat,
  low: Stat,
  scale: Stat,
  factor: Stat, // for values multiplied by scale
  factor_bits: StatBits, // those of NaN where the group is spoilt, 0 beside an infinity
}

fn known_statistics(group: u32, groups: u32) -> Known {
  let factor_bits = statistics[group + 4u * groups];
  return Known(
    bitcast<Stat>(statistics[group]),
    bitcast<Stat>(statistics[group + groups]),
    bitcast<Stat>(statistics[group + 3u * groups]),
    bitcast<Stat>(factor_bits),
    factor_bits,
  );
}

fn is_special(known: Known) -> bool {
  let magnitude = known.factor_bits & StatBits(MAGNITUDE);
  return any((magnitude >= StatBits(INFINITE)) | (magnitude == StatBits(0u)));
}
