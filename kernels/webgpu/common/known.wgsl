// Statistics of a group that another dispatch has written.
struct Known {
  high: Stat,
  low: Stat,
  square: Stat,
  scale: Stat,
  factor: Stat,
  spoilt: StatBits, // FINITE, INFINITE (only where the mean square is meant) or NOT_A_NUMBER
}

fn known_statistics(group: u32, groups: u32) -> Known {
  var known: Known;
  known.high = bitcast<Stat>(statistics[group]);
  known.low = bitcast<Stat>(statistics[group + groups]);
  let square_bits = statistics[group + 2u * groups];
  known.square = bitcast<Stat>(square_bits);
  known.scale = bitcast<Stat>(statistics[group + 3u * groups]);
  known.spoilt = worst(square_bits) | undefined(known.square);
  let factor = inverse_root(known.square, known.scale);
  known.factor = select(factor, Stat(0.0), known.spoilt == StatBits(INFINITE));
  return known;
}
