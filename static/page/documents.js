// The scenes' Bokeh documents on the page, kept equal to Python's.
import { paint } from "./painting.js";
import { valuesOf } from "./wire.js";

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
    /** @type {{scene: string, event: any, subject: string}[]} */
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
    const subject = subjectOf(event);
    this.waiting = this.waiting.filter((other) => !subject || other.subject !== subject);
    this.waiting.push({ scene, event, subject });
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
    const changes = events.map((event) => {
      const told = toldBy(event);
      return told ? { model: told.model.id, data: told.data } : { patch: this.shown.get(scene)?.document.create_json_patch([event]) };
    });
    this.send({ type: "changes", scene, changes });
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

  /** A model of any scene, by its name. @param {string} id */
  modelOf(id) {
    for (const { document } of this.shown.values()) {
      const model = document.get_model_by_id(id);
      if (model) return model;
    }
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
   * Apply what Python changed: by patches of Bokeh's, then what came by the wire.
   * @param {{patches: {scene: string, patch: any}[], models: import("./wire.js").Model[]}} message
   * @param {Map<string, ArrayBuffer>} arrays
   */
  apply({ patches, models }, arrays) {
    this.patching += 1;
    try {
      for (const { scene, patch } of patches) this.shown.get(scene)?.document.apply_json_patch(patch, arrays);
      for (const one of models) {
        const model = this.modelOf(one.model);
        model?.setv(valuesOf(one, arrays.get("wire"), model), { sync: false, check_eq: false });
      }
    } finally {
      this.patching -= 1;
    }
    performance.mark("normscope:patched");
    requestAnimationFrame(() => {
      paint();
      performance.mark("normscope:shown");
    });
  }
}

/** What a view of ours tells, and the model that stands for it. @param {any} event */
function toldBy(event) {
  return event.msg_data?.event_name === "data_event" ? { model: event.msg_data.origin, data: event.msg_data.data } : null;
}

// Messages that only say where something is now: the newest counts.
const PLACES_TOLD = new Set(["point", "move", "drag", "amount", "block"]);

/** What an event says something new of, so that it takes the place of one before; "" if each counts. @param {any} event */
function subjectOf(event) {
  if (event.attr !== undefined) return `${event.model.id} ${event.attr}`;
  const told = toldBy(event);
  if (!told || !PLACES_TOLD.has(told.data.type)) return "";
  const { type, key = "", index = "" } = told.data;
  return `${told.model.id} ${type} ${key} ${type === "drag" ? index : ""}`;
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
