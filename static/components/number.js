// How numbers are written in cells: the same rules as app/numbers.py, with room for fewer digits.

/**
 * A number in at most `digits` decimals, with a real minus sign.
 * @param {number} value
 * @param {number} digits
 * @returns {string}
 */
export function short(value, digits = 4) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const large = digits <= 2 ? 1e4 : 1e6;
  const small = digits <= 2 ? 0.005 : 1e-4;
  if (size >= large || size < small) {
    const [mantissa, exponent] = value.toExponential(Math.max(1, digits - 1)).split("e");
    const trimmed = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
    return `${trimmed}e${Number(exponent)}`.replaceAll("-", "−");
  }
  return value.toFixed(digits).replace(/\.?0+$/, "").replace("-", "−");
}

/**
 * A number with exactly `digits` decimals where it fits, for columns of outputs.
 * @param {number} value
 * @param {number} digits
 */
export function fixed(value, digits = 2) {
  const size = Math.abs(value);
  if (!Number.isFinite(value) || size >= 1e4) return short(value, digits);
  return value.toFixed(digits).replace(/^-(0\.0*)$/, "$1").replace("-", "−");
}

/**
 * The number as one would type it, every digit kept.
 * @param {number} value
 */
export function typed(value) {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return String(value);
}
