// How work is spread over threads: the numbers that depend on the adapter and on the shape.

/**
 * @typedef {import("./geometry.js").Geometry} Geometry
 * @typedef {{hold: "registers" | "stream", workgroup: number, lanes: number, slots: number,
 *   tile: number, parts: number, partSize: number}} Plan
 *   `lanes` threads share a group, `slots` groups share a workgroup; `tile`: chunks a thread keeps;
 *   a group is cut into `parts` of `partSize` steps, each with its own threads
 * @typedef {{lanes: number, workgroup: number, slots: number, tile: number, threads: number,
 *   smallestPart: number, widest: number, across: boolean, fusesSoftmax: boolean}} Tuning
 *   `lanes`: the most threads for one group; `slots`: neighbouring column chunks in a workgroup;
 *   `tile`: the most chunks a thread keeps in registers, 0 to read again instead; `threads`: how
 *   many keep the adapter busy; `smallestPart`: steps below which cutting a group does not pay; `widest`: values a
 *   step; `across`: whether γ and β are better kept while walking down the groups; `fusesSoftmax`:
 *   whether one dispatch for sum and quotient beats one for each
 */

/**
 * A software adapter runs a workgroup's threads four at a time on one core and switches between
 * them at each barrier, which costs more than the arithmetic; its caches make a second read cheap.
 * So there one thread takes a whole group. A GPU wants neighbouring threads to read neighbouring
 * memory, many of them, and each value only once.
 * @type {Record<"software" | "hardware", Tuning>}
 */
export const TUNINGS = {
  software: { lanes: 1, workgroup: 16, slots: 16, tile: 0, threads: 64, smallestPart: 64, widest: 16, across: true, fusesSoftmax: false },
  hardware: { lanes: 256, workgroup: 64, slots: 16, tile: 16, threads: 32768, smallestPart: 1024, widest: 4, across: false, fusesSoftmax: true },
};

// Threads and tiles come in powers of four: each combination is a pipeline of its own to compile.
/** @param {number} value */
function powerOfFourFrom(value) {
  return 4 ** Math.ceil(Math.log2(Math.max(value, 1)) / 2);
}

/**
 * @param {Geometry} geometry
 * @param {Tuning} tuning
 * @param {{split: boolean}} options `split`: whether a group may be cut into parts
 * @returns {Plan}
 */
export function planFor(geometry, tuning, { split }) {
  const spread = SPREADS[geometry.walk](geometry, tuning);
  const parts = split ? partsFor(geometry, tuning, spread.lanes) : 1;
  const partSize = Math.ceil(geometry.size / parts);
  const tile = powerOfFourFrom(Math.ceil(partSize / spread.lanes));
  const hold = tile <= tuning.tile ? "registers" : "stream";
  return { ...spread, hold, tile: hold === "registers" ? tile : 0, parts: Math.ceil(geometry.size / partSize), partSize };
}

/** @param {Geometry} geometry @param {Tuning} tuning */
function spreadRows({ size, groups }, tuning) {
  const lanes = Math.min(tuning.lanes, powerOfFourFrom(size / 4));
  const workgroup = Math.max(workgroupFor(groups, tuning), lanes);
  return { lanes, workgroup, slots: workgroup / lanes };
}

// Where there are plenty of groups, larger workgroups cost less each.
const PLENTY = 16384;

/** @param {number} groups @param {Tuning} tuning */
function workgroupFor(groups, tuning) {
  return groups >= PLENTY ? Math.max(tuning.workgroup, 256) : tuning.workgroup;
}

/** @param {Geometry} geometry @param {Tuning} tuning */
function spreadColumns({ size, groups }, tuning) {
  const most = tuning.lanes === 1 ? workgroupFor(groups, tuning) : tuning.slots;
  const slots = Math.min(most, powerOfFourFrom(groups));
  const lanes = Math.min(Math.max(tuning.lanes / slots, 1), powerOfFourFrom(size / 4));
  return { lanes, workgroup: slots * lanes, slots };
}

/** A thread walks alone, its neighbours beside it. @param {Geometry} geometry @param {Tuning} tuning */
function spreadAcross({ groups }, tuning) {
  const slots = Math.min(workgroupFor(groups, tuning), powerOfFourFrom(groups));
  return { lanes: 1, workgroup: slots, slots };
}

const SPREADS = { rows: spreadRows, columns: spreadColumns, across: spreadAcross };

// Groups below which a walk is not cut further.
const SHORTEST_WALK = 32;

/** How many parts keep the adapter busy. @param {Geometry} geometry @param {Tuning} tuning @param {number} lanes */
function partsFor({ groups, size, walk }, tuning, lanes) {
  const wanted = Math.ceil(tuning.threads / (groups * lanes));
  const smallest = walk === "across" ? SHORTEST_WALK : Math.max(tuning.smallestPart, lanes);
  const most = Math.max(1, Math.floor(size / smallest));
  return Math.min(wanted, most);
}

/**
 * Whether a fused kernel does better when its groups are cut: they are so few and long that most of
 * the adapter would idle. The values are then read twice.
 * @param {Geometry} geometry @param {Tuning} tuning
 */
export function worthSplitting(geometry, tuning) {
  return planFor(geometry, tuning, { split: true }).parts > 1 && geometry.size > tuning.lanes * tuning.tile;
}
