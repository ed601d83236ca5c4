// How Bokeh 3.10 writes the numbers along our axes: formatted and measured twice for each painting, and once more for
// the room they take. They hardly ever change; what they say and how wide they are is kept.

const MOST_KEPT = 2000;

/** @param {string} module @param {string} name */
const partOf = (module, name) => /** @type {any} */ (globalThis).Bokeh.require?.(module)?.[name];

/** Let Bokeh keep what it knows of labels. What another version of Bokeh does not have stays as it is there. */
export function keepLabels() {
  keepWidths();
  keepFormats();
  writePlainly();
}

/** The width of a text in a font; all are measured anew once a font is loaded. */
function keepWidths() {
  const graphics = /** @type {any} */ (globalThis).Bokeh.require?.("core/graphics");
  const measure = graphics?.text_width;
  if (!measure) return;
  /** @type {Map<string, number>} */
  const known = new Map();
  document.fonts.addEventListener("loadingdone", () => known.clear());
  graphics.text_width = (/** @type {string} */ text, /** @type {string} */ font) => {
    const key = `${font}\n${text}`;
    let width = known.get(key);
    if (width === undefined) {
      if (known.size >= MOST_KEPT) known.clear();
      known.set(key, (width = /** @type {number} */ (measure(text, font))));
    }
    return width;
  };
}

/** The texts of the ticks an axis had last, until its formatter changes. */
function keepFormats() {
  const formatter = partOf("models/formatters/tick_formatter", "TickFormatter")?.prototype;
  const TextBox = partOf("core/graphics", "TextBox");
  if (!formatter?.format_graphics || !TextBox) return;
  /** @type {WeakMap<any, {ticks: string, texts: string[]}>} */
  const last = new WeakMap();
  formatter.format_graphics = function (/** @type {number[]} */ values, /** @type {any} */ options) {
    const ticks = values.join();
    let kept = last.get(this);
    if (kept === undefined) this.change.connect(() => last.delete(this));
    if (kept?.ticks !== ticks) last.set(this, (kept = { ticks, texts: this.doFormat(values, options) }));
    return kept.texts.map((text) => new TextBox({ text }));
  };
}

/** No text of ours has an outline; and a font that is set again for each text is looked up each time. */
function writePlainly() {
  const box = partOf("core/graphics", "TextBox")?.prototype;
  const paint = box?.paint;
  if (!paint) return;
  box.paint = function (/** @type {any} */ context) {
    context.strokeText = nothing;
    if (context.font !== this.font) context.font = this.font;
    paint.call(this, context);
  };
}

function nothing() {}
