// What exponentials are taken of: four numbers at once.
alias Real = vec4<f32>;
alias RealBits = vec4<u32>;
alias RealIntegers = vec4<i32>;
