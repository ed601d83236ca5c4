// Pipelines compiled ahead, so that the first interaction does not wait for a compiler.
import { OPERATIONS } from "./operations.js";

/** @typedef {import("./session.js").Step} Step */

// Shapes that lead to the pipelines the page uses first: rows and columns, of lengths that are a
// multiple of 16, of 4 and of neither.
const SHAPES = [[4, 64], [4, 4], [4, 6], [64, 64], [6, 6]];
/** @type {[string, object][]} */
const FIRST = [
  ["normalize", { axes: [1], center: true, eps: 1e-5, statistics: true }],
  ["normalize", { axes: [1], center: false, eps: 1e-5, statistics: true }],
  ["normalize", { axes: [0], center: true, eps: 1e-5, statistics: true }],
  ["softmax", { axes: [1], temperature: 1 }],
  ["moments", { axes: [1] }],
  ["moments", { axes: [0] }],
];

/**
 * A session that only notes which steps an operation would take.
 * @param {(step: Step) => void} note @returns {any}
 */
function rehearsal(note) {
  return {
    memory: { tensor: (/** @type {number[]} */ shape) => ({ shape }), release() {} },
    prepared: (/** @type {string} */ _, /** @type {() => Step} */ make) => note(make()),
    dispatch() {},
  };
}

/**
 * @param {import("./reductions.js").Context} context
 * @returns {Promise<void>} when all are compiled; rejects with the first that does not
 */
export async function warmUp({ session, tuning }) {
  /** @type {Step[]} */
  const steps = [];
  const context = { session: rehearsal((step) => steps.push(step)), tuning };
  for (const [name, options] of FIRST) {
    for (const shape of SHAPES) OPERATIONS[name](context, { x: { shape } }, options);
  }
  await Promise.all(steps.map(({ recipe }) => session.shaders.ahead(recipe)));
}
