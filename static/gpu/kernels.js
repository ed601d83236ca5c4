// The table of kernels: what each is joined with, and how its numbers are laid out.

/**
 * @typedef {import("./geometry.js").Geometry} Geometry
 * @typedef {import("./plan.js").Plan} Plan
 * @typedef {import("./session.js").Step} Step
 * @typedef {{parts: string[], joins?: boolean, reads?: boolean}} Kernel
 *   `parts`: files under common/; `joins`: whether lanes join partial results; `reads`: whether
 *   values are read through the plan's way of holding them
 */

/** @type {Record<string, Kernel>} */
const KERNELS = {
  moments: { parts: ["scales", "shifted", "statistics"], joins: true, reads: true },
  moments_merge: { parts: ["scales", "statistics"], joins: true },
  mean_square: { parts: ["scales", "squares", "statistics"], joins: true, reads: true },
  normalize: { parts: ["scales", "shifted", "statistics"], joins: true, reads: true },
  rms_norm: { parts: ["scales", "squares", "statistics"], joins: true, reads: true },
  apply: { parts: ["scales", "known"], reads: true },
  apply_across: { parts: ["scales", "known"], reads: true },
  batch_norm_inference: { parts: ["scales"], reads: true },
  layer_norm_backward: { parts: ["scales", "shifted", "statistics"], joins: true, reads: true },
  rms_norm_backward: { parts: ["scales", "squares", "statistics"], joins: true, reads: true },
  gradient_sums: { parts: ["scales", "known"], joins: true, reads: true },
  add_parts: { parts: [], joins: true },
  backward_apply: { parts: ["scales", "known"], reads: true },
  parameter_gradients: { parts: ["scales", "known"], reads: true },
  maximum: { parts: ["largest"], joins: true, reads: true },
  sum_exp: { parts: ["scales", "exponential", "difference", "largest", "softened", "sum_exp_planes"], joins: true, reads: true },
  sum_exp_merge: { parts: ["scales", "exponential", "difference", "sum_exp_planes"], joins: true },
  softmax: { parts: ["scales", "exponential", "difference", "largest", "softened"], joins: true, reads: true },
  softmax_apply: { parts: ["scales", "exponential", "difference"], reads: true },
  softmax_backward: { parts: [], joins: true },
};

// Kernels on every value by itself.
/** @type {Record<string, string[]>} */
const FLAT_KERNELS = {
  widen: ["special", "half"],
  narrow: ["special", "half"],
  add: [],
  copy: [],
  gelu: ["real_4", "exponential", "gelu_curve"],
  gelu_backward: ["real_4", "exponential", "gelu_curve"],
};

// Kernels on matrices.
/** @type {Record<string, string[]>} */
const MATRIX_KERNELS = {
  matmul: [],
  attention_scores: ["real_4", "exponential", "tanh"],
};

// The parts that a shape, a type or a plan chooses.
const CHOICES = [
  ...["params", "special", "place", "width_1", "width_4", "width_16", "rows", "columns", "across"],
  ...["lanes_one", "lanes_many", "kept_straight", "kept_folded", "reduced_straight", "reduced_folded"],
  ...["stream", "registers", "join_alone", "join_tree", "mean_single", "mean_held", "mean_streamed", "near_mean_rows", "near_mean_columns", "exponentials_held", "exponentials_streamed"],
  ...["float32", "float16_4", "float16_16", "half", "real_1", "real_4", "difference_1", "difference_4", "difference_16"],
  ...["affine_none", "affine_reduced", "affine_kept", "affine_grouped"],
  ...["flat_params", "flat", "matrix_params", "matrix_tile"],
];

/** Every file that the kernels are made of, relative to kernels/webgpu/. */
export function files() {
  const names = [KERNELS, FLAT_KERNELS, MATRIX_KERNELS].flatMap((table) => Object.keys(table));
  const parts = [Object.values(KERNELS).map((kernel) => kernel.parts), Object.values(FLAT_KERNELS), Object.values(MATRIX_KERNELS)].flat(2);
  return [...names.map((name) => `${name}.wgsl`), ...[...new Set([...CHOICES, ...parts])].map((name) => `common/${name}.wgsl`)];
}

/**
 * @typedef {{affine?: string, constants?: Record<string, number | boolean>, params?: Record<string, number>, type?: import("./memory.js").Type}} Extra
 *   what a kernel needs beside geometry and plan; `type` is that of the large tensors
 */

/**
 * One dispatch of a kernel.
 * @param {string} name @param {Geometry} geometry @param {Plan} plan @param {Extra} [extra]
 * @returns {Step}
 */
export function stepOf(name, geometry, plan, { affine, constants = {}, params = {}, type = "f32" } = {}) {
  const { width } = geometry;
  const kernel = KERNELS[name];
  const alone = plan.hold === "stream" && plan.lanes === 1;
  const parts = ["params", "special", `width_${width}`, geometry.walk, "place", ...kernel.parts];
  parts.push(geometry.keptFolded ? "kept_folded" : "kept_straight", geometry.reducedFolded ? "reduced_folded" : "reduced_straight");
  parts.push(plan.lanes === 1 ? "lanes_one" : "lanes_many");
  if (kernel.reads) parts.push(...(type === "f32" ? ["float32"] : ["half", `float16_${width}`]), plan.hold);
  if (kernel.joins) parts.push(plan.lanes === 1 ? "join_alone" : "join_tree");
  if (affine) parts.push(affine);
  if (kernel.parts.includes("shifted")) parts.push(...meanOf(geometry, alone));
  if (kernel.parts.includes("softened")) parts.push(alone ? "exponentials_streamed" : "exponentials_held");
  if (kernel.parts.includes("exponential")) parts.push(`difference_${width}`, width === 1 ? "real_1" : "real_4");
  /** @type {Record<string, number>} */
  const tile = kernel.reads && plan.hold === "registers" ? { TILE: plan.tile } : {};
  return {
    recipe: {
      kernel: name,
      parts,
      constants: { WORKGROUP: plan.workgroup, LANES: plan.lanes, SLOTS: plan.slots, ...tile, ...constants },
    },
    params: { ...placement(geometry, plan), ...params },
    workgroups: Math.ceil((geometry.groups * plan.parts) / plan.slots),
  };
}

/** The parts that take a group's mean. @param {Geometry} geometry @param {boolean} alone whether a thread reads a whole group anew for each pass */
function meanOf({ values, walk }, alone) {
  if (values === 1) return ["mean_single"];
  return alone ? ["mean_streamed", `near_mean_${walk}`] : ["mean_held"];
}

const WORKGROUP = 64;
const PER_THREAD = 4; // values
const TILE = 4; // rows and columns of a thread's part of a product

/**
 * One dispatch of a kernel on every value by itself.
 * @param {string} name @param {number} values @param {Record<string, number>} [params]
 * @returns {Step}
 */
export function flatStepOf(name, values, params = {}) {
  const threads = Math.ceil(values / PER_THREAD);
  return {
    recipe: { kernel: name, parts: ["flat_params", "flat", ...FLAT_KERNELS[name]], constants: { WORKGROUP } },
    params: { size: threads, values, ...params },
    workgroups: Math.ceil(threads / WORKGROUP),
  };
}

/**
 * One dispatch of a kernel on matrices.
 * @param {string} name @param {Record<string, number>} params the fields of matrix_params.wgsl
 * @returns {Step}
 */
export function matrixStepOf(name, params) {
  const tiles = params.matrices * Math.ceil(params.rows / TILE) * Math.ceil(params.columns / TILE);
  return {
    recipe: { kernel: name, parts: ["matrix_params", "matrix_tile", ...MATRIX_KERNELS[name]], constants: { WORKGROUP } },
    params,
    workgroups: Math.ceil(tiles / WORKGROUP),
  };
}

/** @param {Geometry} geometry @param {Plan} plan @returns {Record<string, number>} */
function placement(geometry, plan) {
  const valuesPerStep = geometry.walk === "rows" ? geometry.width : 1;
  const pivotScale = 2 ** -(Math.ceil(Math.log2(plan.partSize * valuesPerStep)) + 1);
  return {
    groups: geometry.groups,
    size: geometry.size,
    kept_inner: geometry.keptInner,
    kept_outer_stride: geometry.keptOuterStride,
    kept_stride: geometry.keptStride,
    reduced_inner: geometry.reducedInner,
    reduced_outer_stride: geometry.reducedOuterStride,
    reduced_stride: geometry.reducedStride,
    parts: plan.parts,
    part_size: plan.partSize,
    values_per_step: valuesPerStep,
    pivot_scale: pivotScale,
    pivot_unscale: 1 / pivotScale,
  };
}

/**
 * ε as the kernels want it: whether it is above 0 at all, and in the units of squares of tiny
 * values (see scales.wgsl), where it is below 2^100.
 * @param {number} eps
 */
export function epsParams(eps) {
  const tiny = eps * 2 ** 144;
  const inRange = tiny < 2 ** 100;
  return {
    eps: Math.fround(eps),
    eps_tiny: eps > 0 && inRange ? Math.max(tiny, 2 ** -126) : 0,
    eps_positive: eps > 0 ? 1 : 0,
  };
}

/** Where the parts of long groups meet: steps are parts, the statistics lie plane by plane. @param {Geometry} geometry @param {Plan} plan @param {number} planes */
export function mergeGeometry(geometry, plan, planes) {
  const { totalGroups } = geometry;
  const width = totalGroups % 4 === 0 ? 4 : 1;
  const groups = totalGroups / width;
  /** @type {Geometry} */
  const merged = {
    walk: "columns",
    width,
    keptFolded: false,
    reducedFolded: false,
    groups,
    size: plan.parts,
    keptInner: groups,
    keptOuterStride: 0,
    keptStride: 1,
    reducedInner: plan.parts,
    reducedOuterStride: 0,
    reducedStride: planes * groups,
    values: plan.parts,
    totalGroups,
  };
  return merged;
}
