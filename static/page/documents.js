// The scenes' Bokeh documents on the page, kept equal to Python's.

/** Bokeh's own global, typed as loosely as we use it. */
const bokeh = () => /** @type {any} */ (globalThis).Bokeh;

export class Documents {
  /** @param {(message: object) => void} send */
  constructor(send) {
    this.send = send;
    /** @type {Map<string, any>} */
    this.documents = new Map();
    /** While a patch from Python is applied, changes are echoes. */
    this.patching = 0;
    /** Messages that Python has not answered yet. */
    this.busy = 0;
    /** @type {{scene: string, event: any}[]} */
    this.waiting = [];
  }

  /**
   * Show a scene's document: one root for each place of the frame.
   * @param {string} scene
   * @param {any} json
   */
  async add(scene, json) {
    const frame = document.createElement("div");
    frame.className = "scene";
    frame.id = `scene-${scene}`;
    frame.hidden = true;
    /** @type {Record<string, string>} */
    const roots = {};
    for (const root of json.roots) {
      const place = document.createElement(root.attributes.name === "stage" ? "section" : "aside");
      place.className = "place";
      place.dataset.place = root.attributes.name;
      place.id = `${scene}-${root.attributes.name}`;
      roots[root.id] = place.id;
      frame.append(place);
    }
    document.getElementById("main")?.prepend(frame);
    const id = `normscope-${scene}`;
    frame.hidden = false;
    const [views] = await bokeh().embed.embed_items({ [id]: json }, [{ docid: id, roots, root_ids: Object.keys(roots) }]);
    const bokehDocument = [...views.roots.values()][0].model.document;
    this.documents.set(scene, bokehDocument);
    bokehDocument.on_change((/** @type {any} */ event) => this.changed(scene, event), false);
  }

  /**
   * A person changed something. While Python works, later changes of the same property replace earlier ones.
   * @param {string} scene
   * @param {any} event
   */
  changed(scene, event) {
    if (this.patching > 0) return;
    performance.mark("normscope:changed");
    if (this.busy > 0) {
      const same = (/** @type {any} */ other) => event.attr !== undefined && other.event.model === event.model && other.event.attr === event.attr;
      this.waiting = this.waiting.filter((other) => !same(other));
      this.waiting = newestPoint(this.waiting, event);
      this.waiting.push({ scene, event });
      return;
    }
    this.post(scene, [event]);
  }

  /** @param {string} scene @param {any[]} events */
  post(scene, events) {
    this.busy += 1;
    this.send({ type: "patch", scene, patch: this.documents.get(scene).create_json_patch(events) });
  }

  /** Python has answered: send what gathered meanwhile as one patch. */
  idle() {
    this.busy = Math.max(0, this.busy - 1);
    if (this.busy > 0 || this.waiting.length === 0) return;
    const scene = this.waiting[0].scene;
    const events = this.waiting.filter((item) => item.scene === scene).map((item) => item.event);
    this.waiting = this.waiting.filter((item) => item.scene !== scene);
    this.post(scene, events);
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
      this.documents.get(scene).apply_json_patch(patch, arrays);
    } finally {
      this.patching -= 1;
    }
    performance.mark("normscope:patched");
    requestAnimationFrame(() => performance.mark("normscope:shown"));
  }
}

/** Of messages that only say where the pointer is, the newest counts. */
function newestPoint(/** @type {{scene: string, event: any}[]} */ waiting, /** @type {any} */ event) {
  const isPoint = (/** @type {any} */ e) => e?.msg_data?.values?.data?.type === "point" || e?.msg_data?.data?.type === "point";
  return isPoint(event) ? waiting.filter((other) => !isPoint(other.event)) : waiting;
}
