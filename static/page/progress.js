// The bar at start-up: half of it moves with bytes, half with work, and it names the step.

/** @type {Record<string, string>} */
const STEPS = {
  download: "Fetching Python and NumPy",
  python: "Starting Python",
  unpack: "Unpacking",
  numpy: "Loading NumPy",
  bokeh: "Loading Bokeh",
  panel: "Loading Panel",
  scene: "Setting up the scene",
};
const BYTES_SHARE = 45;
const WORK_PATIENCE = 4; // a slow device may work on one step for minutes, where a line is never silent so long

export class Progress {
  /**
   * @param {number} total  bytes to come
   * @param {string[]} awaited  names of files that the browser loads by itself, so that nobody sees their bytes arrive
   */
  constructor(total, awaited) {
    this.total = total;
    this.awaited = new Set(awaited);
    this.loaded = 0;
    this.worked = 0;
    this.part = 0;
    this.shown = 0;
    this.box = /** @type {HTMLElement} */ (document.getElementById("progress"));
    this.step = /** @type {HTMLElement} */ (this.box.querySelector("[data-step]"));
    this.amount = /** @type {HTMLElement} */ (this.box.querySelector("[data-amount]"));
    this.bar = /** @type {HTMLElement} */ (this.box.querySelector(".bar i"));
    this.alive();
  }

  /** @param {number} count */
  bytes(count) {
    this.loaded = Math.min(this.total, this.loaded + count);
    this.alive();
    this.draw();
  }

  /** A file that the browser loads by itself has arrived. @param {string} file @param {number} [size] */
  arrived(file, size = 0) {
    this.awaited.delete(file);
    this.bytes(size);
  }

  /** Something came: whatever is awaited next has its full time again. */
  alive() {
    const [file] = this.awaited;
    if (this.box.hidden) normscopeWatch("");
    else if (file) normscopeWatch(file);
    else normscopeWatch(this.step.textContent ?? "", "slow", WORK_PATIENCE);
  }

  /**
   * A step begins: the one before is done, this one is `part` of the work, of 100.
   * @param {string} step
   * @param {number} part
   */
  stage(step, part) {
    this.worked += this.part;
    this.part = part;
    this.step.textContent = STEPS[step];
    this.arrived("worker.js");
  }

  draw() {
    const megabytes = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(1);
    const whole = (this.loaded / this.total) * BYTES_SHARE + (this.worked + this.part / 3) * ((100 - BYTES_SHARE) / 100);
    this.shown = Math.max(this.shown, Math.min(99, whole));
    this.bar.style.width = `${this.shown}%`;
    this.box.setAttribute("aria-valuenow", String(Math.round(this.shown)));
    this.box.setAttribute("aria-valuetext", this.step.textContent ?? "");
    this.amount.textContent = `${megabytes(this.loaded)} of ${megabytes(this.total)} MB`;
  }

  done() {
    this.box.hidden = true;
    this.alive();
  }
}
