// The scenes' Bokeh documents on the page, kept equal to Python's.

/** Bokeh's own global, typed as loosely as we use it. */
const bokeh = () => /** @type {any} */ (globalThis).Bokeh;

/**
 * @typedef {object} Shown
 * @property {string} text  the document as it came
 * @property {any} document  Bokeh's own object
 * @property {any} views
 * @property {HTMLElement} frame
 */

export class Documents {
  /** @param {(message: object) => void} send */
  constructor(send) {
    this.send = send;
    /** @type {Map<string, Shown>} */
    this.shown = new Map();
    /** While a patch from Python is applied, changes are echoes. */
    this.patching = 0;
    /** Messages that Python has not answered yet; starting up counts as the first. */
    this.busy = 1;
    /** @type {{scene: string, event: any}[]} */
    this.waiting = [];
  }

  /**
   * Show a scene's document. The picture made at build time is the very one that Python builds for the default state:
   * then it stays, with what a person has done to it meanwhile. If it differs, what was done is told to Python by the
   * same names of models, and Python's document takes its place.
   * @param {string} scene
   * @param {any} json
   */
  async add(scene, json) {
    const text = JSON.stringify(json);
    const before = this.shown.get(scene);
    if (before?.text === text) return;
    if (before) this.replace(scene, before);
    const { frame, roots } = frameOf(scene, json.roots);
    document.getElementById("main")?.prepend(frame);
    const id = `normscope-${scene}`;
    const [views] = await bokeh().embed.embed_items({ [id]: json }, [{ docid: id, roots, root_ids: Object.keys(roots) }]);
    const made = [...views.roots.values()];
    await Promise.all(made.map((view) => view.ready));
    const bokehDocument = made[0].model.document;
    this.shown.set(scene, { text, document: bokehDocument, views, frame });
    bokehDocument.on_change((/** @type {any} */ event) => this.changed(scene, event), false);
  }

  /** Take a document off the page. @param {string} scene @param {Shown} before */
  replace(scene, before) {
    const events = this.take(scene);
    if (events.length > 0) this.post(scene, events);
    this.shown.delete(scene);
    before.views.clear();
    before.frame.remove();
  }

  /**
   * A person changed something. What one event changes goes as one patch; while Python works, later changes of the
   * same property replace earlier ones.
   * @param {string} scene
   * @param {any} event
   */
  changed(scene, event) {
    if (this.patching > 0) return;
    performance.mark("normscope:changed");
    const same = (/** @type {any} */ other) => event.attr !== undefined && other.event.model === event.model && other.event.attr === event.attr;
    this.waiting = this.waiting.filter((other) => !same(other));
    this.waiting = newestPoint(this.waiting, event);
    this.waiting.push({ scene, event });
    if (this.busy === 0) queueMicrotask(() => this.settle());
  }

  /** Send what gathered as one patch, unless Python is still at work: then its answer sends it. */
  settle() {
    if (this.busy > 0 || this.waiting.length === 0) return;
    const scene = this.waiting[0].scene;
    this.post(scene, this.take(scene));
  }

  /** @param {string} scene @param {any[]} events */
  post(scene, events) {
    this.send({ type: "patch", scene, patch: this.shown.get(scene)?.document.create_json_patch(events) });
  }

  /** The events of a scene that wait, which then no longer do. @param {string} scene */
  take(scene) {
    const events = this.waiting.filter((item) => item.scene === scene).map((item) => item.event);
    this.waiting = this.waiting.filter((item) => item.scene !== scene);
    return events;
  }

  /** Send what waits, so that a message after it finds it done. */
  flush() {
    for (const scene of new Set(this.waiting.map((item) => item.scene))) this.post(scene, this.take(scene));
  }

  /** A message went to Python; it will answer each with "idle". */
  sent() {
    this.busy += 1;
  }

  /** Python has answered: send what gathered meanwhile as one patch. */
  idle() {
    this.busy = Math.max(0, this.busy - 1);
    this.settle();
  }

  /**
   * Apply what Python changed.
   * @param {string} scene
   * @param {any} patch
   * @param {Map<string, ArrayBuffer>} arrays
   */
  patch(scene, patch, arrays) {
    this.patching += 1;
    try {
      this.shown.get(scene)?.document.apply_json_patch(patch, arrays);
    } finally {
      this.patching -= 1;
    }
    performance.mark("normscope:patched");
    requestAnimationFrame(() => performance.mark("normscope:shown"));
  }
}

/** What a screen reader calls the places of a scene. @type {Record<string, string>} */
const PLACES = { controls: "Controls", stage: "Stage", results: "Results" };

/**
 * The frame of a scene: a place for each root of its document.
 * @param {string} scene
 * @param {{id: string, attributes: {name: string}}[]} documentRoots
 */
function frameOf(scene, documentRoots) {
  const frame = document.createElement("div");
  frame.className = "scene";
  frame.id = `scene-${scene}`;
  /** @type {Record<string, string>} */
  const roots = {};
  for (const root of documentRoots) {
    const place = document.createElement(root.attributes.name === "stage" ? "section" : "aside");
    place.className = "place";
    place.dataset.place = root.attributes.name;
    place.setAttribute("aria-label", PLACES[root.attributes.name] ?? root.attributes.name);
    place.tabIndex = -1;
    place.id = `${scene}-${root.attributes.name}`;
    roots[root.id] = place.id;
    frame.append(place);
  }
  return { frame, roots };
}

/** Of messages that only say where the pointer is, the newest counts. */
function newestPoint(/** @type {{scene: string, event: any}[]} */ waiting, /** @type {any} */ event) {
  const isPoint = (/** @type {any} */ e) => e?.msg_data?.values?.data?.type === "point" || e?.msg_data?.data?.type === "point";
  return isPoint(event) ? waiting.filter((other) => !isPoint(other.event)) : waiting;
}
