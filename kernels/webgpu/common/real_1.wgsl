// What exponentials are taken of: single numbers.
alias Real = f32;
alias RealBits = u32;
alias RealIntegers = i32;
