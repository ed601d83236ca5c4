// Times subjects against each other on one case: the same data already on the device, rounds
// interleaved so that drift hits all alike, every result checked, dispatches counted.
import { dataFor, expected, idealBytes, largestError, pieceOf } from "./cases.js";

/**
 * @typedef {import("./cases.js").Case} Case
 * @typedef {import("./cases.js").Data} Data
 * @typedef {{run(): void | Promise<void>, fence(): Promise<void>, read(): Promise<Float32Array>, dispose(): void | Promise<void>}} Prepared
 *   `run` starts one computation, `fence` waits for all started, `read` gives the newest result
 * @typedef {{name: string, version: string, prepare(what: Case, data: Data): Promise<Prepared | null>}} Subject
 *   `prepare` gives null where the subject has no such operation
 * @typedef {{milliseconds: number[], dispatches: number, submissions: number, error: number, failed?: string, estimated?: number}} Row
 *   `estimated`: milliseconds, of a subject that would take too long: from a piece of the tensor
 */

const WORTH_TIMING = 20; // milliseconds a sample should at least last
const TOO_SLOW = 1000; // milliseconds; a run longer than this is timed only once

const HUGE = 2 ** 24; // values from which a piece is tried first: some peers take a workgroup a value
const PIECES = 256;
// Milliseconds a run may be expected to take if it grows as the tensor does. Some grow with its
// square: onnxruntime's LayerNorm reads a single row anew for every 512 values of it.
const GIVE_UP = 5000;
const NEVER_TOO_LONG = ["normscope", "copy"];

const counts = { dispatches: 0, submissions: 0 };

/** Counts what every library sends to the device: all of them use the same JavaScript objects. @param {any} globals */
export function countDispatches(globals) {
  for (const [prototype, method, what] of [
    [globals.GPUComputePassEncoder.prototype, "dispatchWorkgroups", "dispatches"],
    [globals.GPUQueue.prototype, "submit", "submissions"],
  ]) {
    const original = prototype[method];
    prototype[method] = function (/** @type {any[]} */ ...given) {
      counts[/** @type {"dispatches" | "submissions"} */ (what)] += 1;
      return original.apply(this, given);
    };
  }
}

/** @param {Prepared} prepared @param {number} times */
async function timed(prepared, times) {
  const start = performance.now();
  for (let index = 0; index < times; index += 1) {
    const running = prepared.run();
    if (running) await running;
  }
  await prepared.fence();
  return (performance.now() - start) / times;
}

/**
 * One subject made ready: checked, counted, and how often it is to run a sample.
 * @param {Subject} subject @param {Case} what @param {Data} data @param {Float64Array} right
 */
async function ready(subject, what, data, right) {
  const prepared = await subject.prepare(what, data);
  if (!prepared) return null;
  await timed(prepared, 1); // compiles
  const before = { ...counts };
  const once = await timed(prepared, 1);
  /** @type {Row} */
  const row = {
    milliseconds: [],
    dispatches: counts.dispatches - before.dispatches,
    submissions: counts.submissions - before.submissions,
    error: subject.name === "copy" ? 0 : largestError(await prepared.read(), right),
  };
  return { prepared, row, once, times: Math.max(1, Math.min(64, Math.ceil(WORTH_TIMING / once))) };
}

/**
 * The row of a subject that would take too long on a huge tensor, else null.
 * @param {Subject} subject @param {Case} what @returns {Promise<Row | null>}
 */
async function tooLong(subject, what) {
  if (what.shape[0] * what.shape[1] < HUGE || NEVER_TOO_LONG.includes(subject.name)) return null;
  const piece = pieceOf(what, PIECES);
  const data = dataFor(piece);
  const made = await ready(subject, piece, data, expected(piece, data));
  if (!made) return null;
  await made.prepared.dispose();
  const estimated = made.once * PIECES;
  return estimated > GIVE_UP ? { ...made.row, estimated } : null;
}

/**
 * @param {Subject[]} subjects @param {Case} what @param {number} rounds
 * @returns {Promise<{rows: Record<string, Row>, idealBytes: number, copiedBytes: number}>}
 */
export async function measure(subjects, what, rounds) {
  const data = dataFor(what);
  const right = expected(what, data);
  /** @type {Record<string, Row>} */
  const rows = {};
  const running = [];
  for (const subject of subjects) {
    try {
      const skipped = await tooLong(subject, what);
      if (skipped) rows[subject.name] = skipped;
      const made = skipped ? null : await ready(subject, what, data, right);
      if (!made) continue;
      rows[subject.name] = made.row;
      running.push({ ...made, name: subject.name });
    } catch (error) {
      rows[subject.name] = { milliseconds: [], dispatches: 0, submissions: 0, error: NaN, failed: String(/** @type {any} */ (error)?.message ?? error).slice(0, 300) };
    }
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { prepared, row, times, once } of running) {
      if (once > TOO_SLOW) {
        if (round === 0) row.milliseconds.push(once);
        continue;
      }
      row.milliseconds.push(await timed(prepared, times));
    }
  }
  for (const { prepared, row, name } of running) {
    if (name !== "copy") row.error = Math.max(row.error, largestError(await prepared.read(), right));
    await prepared.dispose();
  }
  return { rows, idealBytes: idealBytes(what), copiedBytes: data.x.byteLength * 2 };
}
