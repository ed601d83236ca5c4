// The chip in the header: what computed last, and behind it all that is known about the two backends.
import { notice } from "./messages.js";

/**
 * @typedef {{size: number, numpy: number, webgpu: number}} Timing
 * @typedef {{key: string, text: string, detail: string}} Notice
 * @typedef {{
 *   available: boolean, mode: string, reason: {key: string, text: string} | null,
 *   adapter: import("../gpu/adapter.js").Facts | null,
 *   last: {kernel: string, backend: string, milliseconds: number, reason: string} | null,
 *   self_test: {passed: boolean, failure: string, largest_difference: number | string, timings: Record<string, Timing[]>} | null,
 *   notices: Notice[],
 * }} Status
 * @typedef {{status: Status, tested: boolean, takes_over: Record<string, number | null>, notice: Notice | null, run: {backend: string, compute_ms: number} | null}} Report
 */

const REST = 1200; // milliseconds without a message, before the device is asked for

/** What is no fault: it is told where it matters, when a scene opens that would use a GPU. */
const QUIET = ["no-webgpu", "no-adapter", "no-device", "lower-limits"];
const SCENES_WITH_GPU = ["placement", "precision"];
/** Said in the panel alone: it changes nothing for anybody. */
const PANEL_ONLY = ["software-adapter"];

/** @type {Record<string, string>} */
const NAMES = { numpy: "NumPy", webgpu: "WebGPU" };
/** @type {Record<string, [string, string]>} what a kind of call is, and what its size counts */
const KINDS = { normalize: ["LayerNorm", "values"], softmax: ["softmax", "values"], product: ["product of matrices", "multiplications"] };

/** @param {number} count */
const grouped = (count) => count.toLocaleString("en-US");

/** Three digits. @param {number} ms */
const milliseconds = (ms) => (ms < 10 ? ms.toPrecision(2) : ms < 1000 ? ms.toFixed(0) : grouped(Math.round(ms)));

export class Backend {
  /** @param {(message: object) => void} send @param {(mode: string) => Promise<unknown>} choose */
  constructor(send, choose) {
    this.send = send;
    this.choose = choose;
    this.heard = performance.now();
    /** @type {Report | null} */
    this.known = null;
    this.last = "";
    this.shown = "";
    /** Notices that wait for a scene in which they matter. @type {Notice[]} */
    this.waiting = [];
    this.chip = /** @type {HTMLButtonElement} */ (document.getElementById("chip"));
    this.panel = /** @type {HTMLElement} */ (document.getElementById("backend"));
    this.buttons = [.../** @type {NodeListOf<HTMLButtonElement>} */ (this.panel.querySelectorAll("[role=radio]"))];
    this.panel.addEventListener("toggle", (event) => this.toggled(/** @type {ToggleEvent} */ (event).newState === "open"));
    for (const button of this.buttons) button.addEventListener("click", () => this.force(button));
    this.panel.addEventListener("keydown", (event) => this.moved(event));
    this.draw();
  }

  /** A message went to Python: the page is not at rest. */
  busy() {
    this.heard = performance.now();
  }

  /** Ask for the device once nobody waits for anything. */
  atRest() {
    const left = this.heard + REST - performance.now();
    if (left > 0) setTimeout(() => this.atRest(), left + 10);
    else this.send({ type: "rest" });
  }

  /** A scene is on show. @param {string} scene */
  scene(scene) {
    this.shown = scene;
    this.tell();
  }

  /** Something was computed. @param {{backend?: string, compute_ms?: number}} run */
  ran(run) {
    if (!run.backend) return;
    this.last = `${run.backend} · ${(run.compute_ms ?? 0).toFixed(1)} ms`;
    this.chip.dataset.live = run.backend.toLowerCase();
    /** @type {HTMLElement} */ (this.chip.lastElementChild).textContent = this.last;
    this.drawLast();
  }

  /** @param {Report} report */
  report(report) {
    this.known = report;
    if (report.notice && !PANEL_ONLY.includes(report.notice.key)) this.waiting.push(report.notice);
    if (report.run) this.ran(report.run);
    this.tell();
    this.draw();
  }

  /** Say what waits, unless it is no fault and nothing here would use a GPU. */
  tell() {
    const matters = SCENES_WITH_GPU.includes(this.shown) || this.known?.status.mode === "webgpu";
    const due = this.waiting.filter(({ key }) => matters || !QUIET.includes(key));
    if (due.length === 0) return;
    this.waiting = this.waiting.filter((one) => !due.includes(one));
    notice(due.map(sentence).join(" "));
  }

  /** The panel was opened or closed. @param {boolean} open */
  toggled(open) {
    this.chip.setAttribute("aria-expanded", String(open));
    if (!open) return;
    const { bottom, right } = this.chip.getBoundingClientRect();
    this.panel.style.setProperty("--top", `${bottom + 8}px`);
    this.panel.style.setProperty("--right", `${Math.max(10, document.documentElement.clientWidth - right)}px`);
    this.send({ type: "graphics" });
    this.buttons.find((button) => button.tabIndex === 0)?.focus();
  }

  /** @param {HTMLButtonElement} button */
  force(button) {
    this.choose(button.value).catch((error) => notice(String(error.message ?? error)));
  }

  /** The arrow keys move through the switch. @param {KeyboardEvent} event */
  moved(event) {
    const way = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const at = this.buttons.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    if (!way || at < 0) return;
    event.preventDefault();
    const next = this.buttons[(at + way + this.buttons.length) % this.buttons.length];
    next.focus();
    this.force(next);
  }

  draw() {
    const mode = this.known?.status.mode ?? "auto";
    for (const button of this.buttons) {
      button.setAttribute("aria-checked", String(button.value === mode));
      button.tabIndex = button.value === mode ? 0 : -1;
    }
    this.drawLast();
    part(this.panel, "[data-why]").textContent = this.known ? why(this.known) : "WebGPU is tested once the page is at rest.";
    const timings = this.known?.status.self_test?.timings ?? {};
    const rows = Object.entries(timings).flatMap(([kind, times]) => times.map((timing) => timingRow(kind, timing)));
    part(this.panel, "table").hidden = rows.length === 0;
    part(this.panel, "tbody").replaceChildren(...rows);
    part(this.panel, "dl").replaceChildren(...(this.known ? facts(this.known.status) : []));
    const notices = this.known?.status.notices ?? [];
    part(this.panel, "ul").replaceChildren(...notices.map((one) => made("li", sentence(one))));
  }

  drawLast() {
    const gpu = this.known?.status.last;
    const kernel = gpu && `The last kernel with a compute shader, ${gpu.kernel}, was answered by ${NAMES[gpu.backend]} in ${milliseconds(gpu.milliseconds)} ms${gpu.reason ? `, since ${lower(gpu.reason)}` : ""}.`;
    part(this.panel, "[data-last]").textContent = [this.last && `Last: ${this.last.replace(" · ", ", ")}.`, kernel].filter(Boolean).join(" ");
  }
}

/** @param {HTMLElement} panel @param {string} selector */
const part = (panel, selector) => /** @type {HTMLElement} */ (panel.querySelector(selector));

/** @param {string} tag @param {...(string | Node)} children */
function made(tag, ...children) {
  const element = document.createElement(tag);
  element.append(...children);
  return element;
}

/** A notice as a sentence. @param {Notice} one */
const sentence = ({ text, detail }) => (detail ? `${text} (${detail})` : text);

/** A reason after a comma. @param {string} text */
const lower = (text) => text.replace(/\.$/, "").replace(/^(This|The|A) /, (word) => word.toLowerCase());

/** Who computes, and why. @param {Report} report */
function why({ status, takes_over, tested }) {
  if (status.reason) return status.reason.text;
  if (status.self_test && !status.self_test.passed) return `WebGPU is not used: it failed the self-test (${status.self_test.failure}).`;
  if (status.mode === "numpy") return "NumPy computes everything, because the switch says so.";
  if (!tested) return "WebGPU is there and is being tested.";
  if (status.mode === "webgpu") return "WebGPU computes what has a compute shader, in float32: the normalizers of Axes, the stacks of Placement, the benchmark of Precision. The rest is NumPy’s, in float64.";
  const over = Object.entries(takes_over).map(([kind, size]) => {
    const [name, unit] = KINDS[kind];
    return size === null ? `${name}: NumPy at every size` : `${name}: WebGPU from ${grouped(size)} ${unit}`;
  });
  return `The faster one computes, as measured here. ${over.join("; ")}.`;
}

/** @param {string} kind @param {Timing} timing */
function timingRow(kind, timing) {
  const [name, unit] = KINDS[kind];
  const power = Math.log2(timing.size);
  const head = made("th", `${name}, 2`, made("sup", String(power)));
  head.title = `${grouped(timing.size)} ${unit}`;
  head.setAttribute("scope", "row");
  const cells = [timing.numpy, timing.webgpu].map((ms) => made("td", milliseconds(ms)));
  cells[timing.webgpu < timing.numpy ? 1 : 0].className = "faster";
  return made("tr", head, ...cells);
}

/** What is known about the adapter, and the self-test's largest difference. @param {Status} status */
function facts({ adapter, self_test: test }) {
  /** @type {[string, string][]} */
  const pairs = [];
  if (test) pairs.push(["largest difference", typeof test.largest_difference === "number" ? test.largest_difference.toExponential(1) : "NaN or infinity where NumPy has a number"]);
  if (adapter) {
    const name = [adapter.vendor, adapter.architecture, adapter.description].filter((text, at, all) => text && all.indexOf(text) === at).join(" ");
    pairs.push(["adapter", `${name || "not named by the browser"}${adapter.software ? ", software" : ""}`]);
    pairs.push(["largest tensor", `${grouped(Math.floor(adapter.limits.maxStorageBufferBindingSize / 4))} float32`]);
    pairs.push(["timestamps", adapter.features.includes("timestamp-query") ? "yes" : "no"]);
  }
  return pairs.flatMap(([term, value]) => [made("dt", term), made("dd", value)]);
}
