// Bokeh 3.10 spends more than half of a plot's time on the page's styles: it asks them, and writes to them, between the
// strokes of its painting, and each question after a change lets the browser compute all styles anew.

/**
 * Let Bokeh paint without that. Our figures are styled by their models alone, with font sizes in pixels. What another
 * version of Bokeh does not have stays as it is there.
 */
export function paintLightly() {
  const load = /** @type {any} */ (globalThis).Bokeh.require;
  const prototypeOf = (/** @type {string} */ module, /** @type {string} */ name) => load?.(module)?.[name]?.prototype ?? {};

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
      if (this.el.textContent !== css) this.el.textContent = css;
    };
  }
}
