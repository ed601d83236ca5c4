// Softmax over any axes.
import { stepOf } from "./kernels.js";
import { planFor, worthSplitting } from "./plan.js";
import { heat, laidOut, sumExp } from "./reductions.js";

/**
 * e^((x − max)/T) / Σ; for long groups from sums that are taken by parts.
 * @param {import("./reductions.js").Context} context @param {import("./memory.js").Tensor} x
 * @param {number[]} axes @param {number} [temperature]
 */
export function softmax(context, x, axes, temperature = 1) {
  const { session, tuning } = context;
  const { geometry, plan } = laidOut(context, x.shape, axes, { split: false });
  const key = `softmax|${x.type}|${x.shape}|${axes}|${temperature}`;
  const extra = { ...heat(temperature), type: x.type };
  const output = session.memory.tensor(x.shape, x.type);
  if (tuning.fusesSoftmax && !worthSplitting(geometry, tuning)) {
    session.dispatch(session.prepared(key, () => stepOf("softmax", geometry, plan, extra)), [x, output]);
    return output;
  }
  const sums = sumExp(context, x, axes, temperature);
  const prepared = session.prepared(key, () =>
    stepOf("softmax_apply", geometry, { ...planFor(geometry, tuning, { split: true }), hold: "stream" }, extra),
  );
  session.dispatch(prepared, [x, sums, output]);
  session.memory.release(sums);
  return output;
}
