// Where everything of the block's drawing stands: a half for each sublayer, in the order the numbers pass it.
// The two halves lie side by side where there is room, and one under the other where there is not.

/**
 * @typedef {object} Half
 * @property {number} width
 * @property {string[]} wires  paths
 * @property {[number, number, string][]} arrows  heads: x, y, way
 * @property {[number, number][]} dots  where a wire splits
 * @property {[number, number][]} sums
 * @property {[number, number, number, string][]} boxes  sublayers: x, middle, width, word
 * @property {[number, number, string][]} spots  places of norms: x, middle, place
 * @property {[number, number, string, string?][]} values  texts with a wire's RMS: x, baseline, wire, anchor
 * @property {[number, number, string, string?][]} words
 * @property {[number, number][]} alphas  where α stands
 */

export const SHAPE = { height: 118, norm: 34 };
const STREAM = 30;
const BRANCH = 84;
const WIDTH = 276;
const SPLIT = 16;
const PLUS = 202;
const SUM = 226;

/**
 * A sublayer on its branch: norm before, sublayer, norm after, and up to the sum.
 * @param {"attention" | "ffn"} name @param {string} word @param {number} from  where the branch leaves the stream, its y
 * @returns {Half}
 */
function branch(name, word, from) {
  return {
    width: WIDTH,
    wires: [`M0 ${STREAM}H${PLUS - 8}`, `M${SPLIT} ${from}V${BRANCH}H${PLUS}V${STREAM + 8}`, `M${PLUS + 8} ${STREAM}H${WIDTH}`],
    arrows: [
      [PLUS - 8, STREAM, "right"],
      [PLUS, STREAM + 8, "up"],
    ],
    dots: [],
    sums: [[PLUS, STREAM]],
    boxes: [[90, BRANCH, 38, word]],
    spots: [
      [28, BRANCH, `${name}_input`],
      [156, BRANCH, `${name}_branch`],
    ],
    values: [
      [76, 113, `${name}_input`],
      [142, 113, name],
      [PLUS + 6, 62, `${name}_branch`, "start"],
    ],
    words: [],
    alphas: [[PLUS - 12, STREAM - 8]],
  };
}

/** The end of the stack behind a half: the stream's value, the final norm, the head. @param {Half} half */
function withEnd(half) {
  half.width = WIDTH + 92;
  half.wires.push(`M${WIDTH} ${STREAM}H${WIDTH + 58}`);
  half.arrows.push([WIDTH + 62, STREAM, "right"]);
  half.spots.push([WIDTH + 18, STREAM, "final"]);
  half.values.push([WIDTH + 2, STREAM - 19, "output"]);
  half.words.push([WIDTH + 66, STREAM + 4, "head", "start"]);
  return half;
}

/** @returns {Half[]} */
function sequential() {
  const first = branch("attention", "attn", STREAM);
  const second = branch("ffn", "FFN", STREAM);
  for (const [half, sum] of /** @type {[Half, string][]} */ ([[first, "attention_sum"], [second, "ffn_sum"]])) {
    half.dots.push([SPLIT, STREAM]);
    half.spots.push([SUM, STREAM, sum]);
    half.values.push([PLUS + 8, STREAM - 19, sum, "middle"]);
  }
  first.values.push([90, STREAM - 9, "input"]);
  second.values.push([90, STREAM - 9, "middle"]);
  first.words.push([4, STREAM - 9, "x", "start"]);
  return [first, withEnd(second)];
}

/** Both branches read the same x, which a wire above the stream brings to the second. @returns {Half[]} */
function parallel() {
  const first = branch("attention", "attn", STREAM);
  const second = branch("ffn", "FFN", 6);
  first.dots.push([SPLIT, STREAM]);
  first.wires.push(`M${SPLIT} ${STREAM}V6H${WIDTH}`);
  second.wires.push(`M0 6H${SPLIT}`);
  first.values.push([90, STREAM - 9, "input"]);
  first.words.push([WIDTH - 4, 20, "the same x", "end"]);
  first.words.push([4, STREAM - 9, "x", "start"]);
  second.alphas = [];
  second.spots.push([SUM, STREAM, "ffn_sum"]);
  second.values.push([PLUS + 8, STREAM - 19, "ffn_sum", "middle"]);
  return [first, withEnd(second)];
}

/** @type {Record<string, Half[]>} */
export const HALVES = { sequential: sequential(), parallel: parallel() };
