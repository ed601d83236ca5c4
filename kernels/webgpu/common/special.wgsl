// Bits of float32: what tells NaN and infinity apart where no comparison of floats may.
const INFINITE: u32 = 0x7f800000u;
const NOT_A_NUMBER: u32 = 0x7fc00000u;
const MAGNITUDE: u32 = 0x7fffffffu;
const FINITE: u32 = 0u; // as a mark of a group that holds neither
