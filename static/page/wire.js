// What comes from `app/wire.py`: values as plain JSON, and arrays as bytes beside it.

/**
 * New values of a model's properties, or of a source's columns: plain ones, and arrays as [type, first byte, length], or
 * [type, first byte, length, rows] for a column of rows.
 * @typedef {{model: string, values?: Record<string, any>, columns?: Record<string, any>,
 *   arrays: Record<string, [keyof typeof TYPES, number, number, number?]>}} Model
 */

const TYPES = { float64: Float64Array, float32: Float32Array, int32: Int32Array, uint8: Uint8Array };

/** @param {Model} told @param {ArrayBuffer | undefined} bytes @param {any} model  Bokeh's own object, whose other columns stay */
export function valuesOf({ values, columns, arrays }, bytes = new ArrayBuffer(0), model) {
  const all = values ?? columns ?? {};
  for (const name in all) all[name] = whole(all[name]);
  for (const [name, [type, start, length, rows]] of Object.entries(arrays)) {
    const array = new TYPES[type](bytes, start, length);
    const width = length / (rows ?? 1);
    all[name] = rows === undefined ? array : Array.from({ length: rows }, (_, row) => array.subarray(row * width, (row + 1) * width));
  }
  if (values) return values;
  const before = model.data instanceof Map ? Object.fromEntries(model.data) : model.data;
  return { data: { ...before, ...columns } };
}

/** A value with NaN and infinities, which JSON lacks, put back as numbers. @param {any} value @returns {any} */
function whole(value) {
  if (typeof value !== "object" || value === null) return value;
  if ("$number" in value) return Number(value.$number);
  for (const key in value) value[key] = whole(value[key]);
  return value;
}
