// How Bokeh 3.10 paints our figures. Left alone it spends more than half of a plot's time on the page's styles, which it
// asks and changes between the strokes of its painting, prepares every curve for being selected, muted and thinned out,
// and lets what is ready wait for the frame in which it is then too late to be shown.

/** Plots that are to be painted. @type {Set<any>} */
const waiting = new Set();
/** Styles that change with what is being painted; written when all of it is. @type {Map<any, string>} */
const styles = new Map();
let painting = false;
/** Whether something was painted since the last frame. */
let painted = false;
/** The next painting. @type {{promise: Promise<void>, done: () => void} | null} */
let next = null;
const channel = new MessageChannel();

/**
 * Let Bokeh paint lightly. Our figures are styled by their models alone, with font sizes in pixels, and nothing in them
 * can be selected. What another version of Bokeh does not have stays as it is there.
 */
export function paintLightly() {
  askNoStyles();
  prepareOnlyWhatIsDrawn();
  paintWhenReady();
}

/** What a module of Bokeh's gives its objects. @param {string} module @param {string} name */
function prototypeOf(module, name) {
  return /** @type {any} */ (globalThis).Bokeh.require?.(module)?.[name]?.prototype ?? {};
}

/** Each question after a change would let the browser compute all styles anew; and so would a font, set on a canvas. */
function askNoStyles() {
  // The properties of what is painted: Bokeh looks for each in CSS first.
  const visual = prototypeOf("core/visuals/visual", "VisualProperties");
  if (visual._get_css_value) visual._get_css_value = () => "";

  // The size of 1em, for every text.
  const plot = prototypeOf("models/plots/plot_canvas", "PlotView");
  if ("base_font_size" in plot) Object.defineProperty(plot, "base_font_size", { get: () => 13 }); // as in Bokeh's own sheet

  // The place of every part, which hardly ever changes.
  const sheet = prototypeOf("core/dom", "InlineStyleSheet");
  if (sheet._update) {
    sheet._update = function (/** @type {string} */ css) {
      if (painting) styles.set(this, css);
      else write(this, css);
    };
  }
}

/** @param {{el: HTMLStyleElement}} sheet @param {string} css */
function write(sheet, css) {
  if (sheet.el.textContent !== css) sheet.el.textContent = css;
}

/** A glyph is looked up by place, and left out where it is out of sight: no use where nothing is hit and all is seen. */
function prepareOnlyWhatIsDrawn() {
  const glyph = prototypeOf("models/glyphs/glyph", "GlyphView");
  const renderer = prototypeOf("models/renderers/glyph_renderer", "GlyphRendererView");
  if (!glyph.set_data || !renderer.set_visuals || !renderer.map_data || !glyph.mask_data || !glyph.index_data) return;

  // The dots out of sight.
  const all = /** @type {any} */ (globalThis).Bokeh.require("core/types").Indices;
  glyph.mask_data = function () {
    return all.all_set(this.data_size);
  };

  // What lies where is found out when something asks.
  const find = glyph.index_data;
  glyph.index_data = function () {
    this._index = null;
  };
  Object.defineProperty(glyph, "index", {
    get() {
      if (!this._index) find.call(this);
      return this._index;
    },
  });

  // Four more views of each glyph share its data, for what is selected, what is not, muted, or too much to draw.
  const setData = glyph.set_data;
  glyph.set_data = async function (/** @type {any[]} */ ...values) {
    if (!this.base) await setData.apply(this, values);
  };
  renderer.set_visuals = async function () {
    this.glyph.set_visuals(this.model.data_source, this.all_indices);
    this.glyph.after_visuals();
    await this.glyph.after_lazy_visuals();
  };
  renderer.map_data = function () {
    this.glyph.map_data();
  };

  // An element without content lies where the glyph is: one that moves with it costs a layout of the page.
  renderer.update_position = function () {
    if (!this.position.css) this.position.replace(":host { display: none; }");
  };
}

/** All plots that changed are painted in the task after the change, or with the next frame if that comes first. */
function paintWhenReady() {
  const plot = prototypeOf("models/plots/plot_canvas", "PlotView");
  if (!plot.schedule_paint || !plot.repaint) return;
  channel.port1.onmessage = () => paint();
  plot.schedule_paint = function () {
    if (this.is_paused) return;
    waiting.add(this);
    next ??= ask();
    this._await_ready(next.promise);
  };
}

/** A painting: with the next frame at the latest, and at once if this frame has none yet. */
function ask() {
  let done = () => {};
  const promise = new Promise((/** @type {(value: void) => void} */ resolve) => (done = resolve));
  requestAnimationFrame(() => {
    painted = false;
    paint();
  });
  if (!painted) channel.port2.postMessage(null);
  return { promise, done };
}

/** Paint what waits to be painted, all in one go. */
export function paint() {
  if (waiting.size === 0) return;
  const plots = [...waiting];
  const done = next?.done;
  waiting.clear();
  next = null;
  painting = painted = true;
  requestAnimationFrame(() => (painted = false));
  try {
    for (const plot of plots) if (!plot.is_destroyed) plot.repaint();
  } finally {
    painting = false;
    for (const [sheet, css] of styles) write(sheet, css);
    styles.clear();
    done?.();
  }
}
