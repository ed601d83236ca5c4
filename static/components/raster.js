// A tensor with too many cells for elements of their own, painted on a canvas; the current cell is an element
// that moves over it, so that keys, typing and screen readers work as they do on small tensors.
import { make } from "./sheet.js";
import { plan, sliceTitle, strength } from "./shape.js";
import { meets } from "./groups.js";
import { short } from "./number.js";

export const MOST_ELEMENTS = 400; // beyond, cells are painted
export const MOST_OUTLINED = 65_536; // beyond, a group is no longer outlined: its lines would be thinner than a pixel
const GAP = 6;
const LEVELS = 62; // what strength() gives at most
const BROKEN = 2 * LEVELS + 1; // the level of NaN and infinities

/**
 * @param {number[]} shape
 * @param {string[]} names
 * @param {{width: number, height: number}} room  in CSS pixels
 */
export function buildRaster(shape, names, room) {
  const p = plan(shape, names);
  const across = Math.max(1, Math.min(p.slices, Math.round(Math.sqrt((p.slices * p.rows * room.width) / (p.columns * room.height))) || 1));
  const down = Math.ceil(p.slices / across);
  const cellWidth = Math.max(0.2, Math.min(40, (room.width - GAP * (across - 1)) / (across * p.columns)));
  const cellHeight = Math.max(0.2, Math.min(26, (room.height - GAP * (down - 1)) / (down * p.rows)));
  const width = across * p.columns * cellWidth + GAP * (across - 1);
  const height = down * p.rows * cellHeight + GAP * (down - 1);
  const ratio = Math.min(2, globalThis.devicePixelRatio || 1);
  const canvas = canvasOf(width, height, ratio); // the cells, as pixels
  const over = canvasOf(width, height, ratio); // what is drawn over them: numbers and outlines
  const cursor = make("div", "cell cursor");
  cursor.setAttribute("role", "gridcell");
  cursor.tabIndex = 0;
  const row = make("div", "", cursor);
  row.setAttribute("role", "row");
  const box = make("div", "raster", canvas, over, row);
  const context = /** @type {CanvasRenderingContext2D} */ (over.getContext("2d"));
  context.scale(ratio, ratio);
  const image = new ImageData(canvas.width, canvas.height);
  const pixels = new Uint32Array(image.data.buffer);
  let current = 0;

  /** The corner of a cell. @param {number} index */
  const corner = (index) => {
    const slice = Math.floor(index / (p.rows * p.columns));
    const inside = index % (p.rows * p.columns);
    const r = Math.floor(inside / p.columns);
    return [
      (slice % across) * (p.columns * cellWidth + GAP) + (inside % p.columns) * cellWidth,
      Math.floor(slice / across) * (p.rows * cellHeight + GAP) + r * cellHeight,
    ];
  };

  return {
    plan: p,
    box,
    size: p.size,
    /** The element of a cell: the one cursor, moved there. @param {number} index */
    elementAt(index) {
      current = index;
      const [x, y] = corner(index);
      const w = Math.max(cellWidth, 14);
      const h = Math.max(cellHeight, 12);
      cursor.style.cssText = `left:${x + cellWidth / 2 - w / 2}px;top:${y + cellHeight / 2 - h / 2}px;width:${w}px;height:${h}px`;
      cursor.setAttribute("aria-colindex", String((index % p.columns) + 1));
      row.setAttribute("aria-rowindex", String(Math.floor(index / p.columns) + 1));
      return cursor;
    },
    /** The cell under an event: by the pointer, or the cursor's own. @param {Event} event */
    indexOf(event) {
      if (!(event instanceof MouseEvent) || event.type === "focusin") return event.target instanceof Element && event.target.closest(".cursor") ? current : -1;
      if (event.target instanceof Element && event.target.closest("input")) return current;
      const bounds = canvas.getBoundingClientRect();
      const x = event.clientX - bounds.left;
      const y = event.clientY - bounds.top;
      const sliceX = Math.floor(x / (p.columns * cellWidth + GAP));
      const sliceY = Math.floor(y / (p.rows * cellHeight + GAP));
      const c = Math.floor((x - sliceX * (p.columns * cellWidth + GAP)) / cellWidth);
      const r = Math.floor((y - sliceY * (p.rows * cellHeight + GAP)) / cellHeight);
      const slice = sliceY * across + sliceX;
      if (c < 0 || c >= p.columns || r < 0 || r >= p.rows || sliceX >= across || slice >= p.slices || slice < 0) return -1;
      return (slice * p.rows + r) * p.columns + c;
    },
    /**
     * Paint every cell, and the outlines of its groups.
     * @param {ArrayLike<number>} values
     * @param {number} scale
     * @param {Uint8Array | null} marks
     * @param {string[]} colours  of each bit of a mark
     * @param {(index: number) => string} [text]
     */
    paint(values, scale, marks, colours, text) {
      const palette = paletteOf(box);
      context.clearRect(0, 0, width, height);
      if (cellWidth < 1 || cellHeight < 1) heatMap(values, scale, palette);
      else cells(levelsOf(values, p.size, scale), palette);
      /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")).putImageData(image, 0, 0);
      if (text && cellWidth >= 30) numbers(text, palette);
      if (marks && p.size <= MOST_OUTLINED) outline(marks, colours, palette);
    },
  };

  /** Each cell in its colour, written as pixels: thousands of rectangles on a canvas take many times as long. */
  function cells(/** @type {Uint8Array} */ levels, /** @type {Palette} */ palette) {
    const inset = Math.min(cellWidth, cellHeight) > 5 ? 1 : 0;
    const edge = (/** @type {number} */ at, /** @type {number} */ most) => Math.min(most, Math.round(at * ratio));
    for (let first = 0; first < p.size; first += p.columns) {
      const [x, y] = corner(first);
      const top = edge(y, image.height);
      const bottom = Math.max(top + 1, edge(y + cellHeight - inset, image.height));
      const start = top * image.width;
      for (let c = 0; c < p.columns; c++) {
        const left = edge(x + c * cellWidth, image.width);
        const right = Math.max(left + 1, edge(x + (c + 1) * cellWidth - inset, image.width));
        pixels.fill(palette.pixels[levels[first + c]], start + left, start + right);
      }
      const end = start + edge(x + p.columns * cellWidth, image.width);
      const from = start + edge(x, image.width);
      for (let line = 1; line < bottom - top; line++) pixels.copyWithin(from + line * image.width, from, end);
    }
  }

  function numbers(/** @type {(index: number) => string} */ text, /** @type {Palette} */ palette) {
    context.font = `500 9px ${palette.mono}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = palette.ink;
    for (let i = 0; i < p.size; i++) {
      const [x, y] = corner(i);
      context.fillText(text(i), x + cellWidth / 2, y + cellHeight / 2 + 0.5, cellWidth - 2);
    }
  }

  /** More cells than pixels: each pixel shows the largest of the values that fall on it, so that an outlier stays in sight. */
  function heatMap(/** @type {ArrayLike<number>} */ values, /** @type {number} */ scale, /** @type {Palette} */ palette) {
    const w = image.width;
    const h = image.height;
    const largest = new Float64Array(w * h);
    const seen = new Uint8Array(w * h); // 1: a number, 2: NaN or infinity
    for (let i = 0; i < p.size; i++) {
      const [x, y] = corner(i);
      const value = values[i];
      const right = Math.min(w, Math.max(Math.floor(x * ratio) + 1, Math.round((x + cellWidth) * ratio)));
      const bottom = Math.min(h, Math.max(Math.floor(y * ratio) + 1, Math.round((y + cellHeight) * ratio)));
      for (let py = Math.floor(y * ratio); py < bottom; py++) {
        for (let at = py * w + Math.floor(x * ratio); at < py * w + right; at++) {
          if (!Number.isFinite(value)) seen[at] = 2;
          else if (seen[at] === 0 || Math.abs(value) > Math.abs(largest[at])) {
            largest[at] = value;
            seen[at] ||= 1;
          }
        }
      }
    }
    const levels = levelsOf(largest, largest.length, scale);
    for (let at = 0; at < levels.length; at++) pixels[at] = seen[at] === 1 ? palette.pixels[levels[at]] : seen[at] ? palette.pixels[BROKEN] : 0;
  }

  /** Outline each group as a whole: a line wherever a cell of the group borders one that is not. */
  function outline(/** @type {Uint8Array} */ marks, /** @type {string[]} */ colours, /** @type {Palette} */ palette) {
    const lineWidth = Math.max(1, Math.min(2, cellWidth / 4));
    for (let bit = colours.length - 1; bit >= 0; bit--) {
      context.beginPath();
      for (let i = 0; i < p.size; i++) {
        if (!(marks[i] & (1 << bit))) continue;
        const [x, y] = corner(i);
        const c = i % p.columns;
        const r = Math.floor(i / p.columns) % p.rows;
        const same = (/** @type {number} */ j, /** @type {boolean} */ inside) => inside && (marks[j] & (1 << bit)) !== 0;
        if (!same(i - 1, c > 0)) line(x, y, x, y + cellHeight);
        if (!same(i + 1, c < p.columns - 1)) line(x + cellWidth, y, x + cellWidth, y + cellHeight);
        if (!same(i - p.columns, r > 0)) line(x, y, x + cellWidth, y);
        if (!same(i + p.columns, r < p.rows - 1)) line(x, y + cellHeight, x + cellWidth, y + cellHeight);
      }
      context.strokeStyle = palette.colours[colours[bit]] ?? palette.ink;
      context.lineWidth = lineWidth;
      context.stroke();
    }
    context.strokeStyle = palette.colours.both;
    context.lineWidth = lineWidth + 1;
    for (let i = 0; i < p.size; i++) {
      if (!meets(marks[i]) || (i > 0 && marks[i - 1] === marks[i] && i % p.columns > 0)) continue;
      const [x, y] = corner(i);
      let end = i;
      while (end + 1 < p.size && (end + 1) % p.columns > 0 && marks[end + 1] === marks[i]) end += 1;
      context.strokeRect(x, y, corner(end)[0] - x + cellWidth, cellHeight);
    }
  }

  function line(/** @type {number} */ x0, /** @type {number} */ y0, /** @type {number} */ x1, /** @type {number} */ y1) {
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
  }
}

/** Which of the palette's colours each value has. @param {ArrayLike<number>} values @param {number} size @param {number} scale */
function levelsOf(values, size, scale) {
  const levels = new Uint8Array(size);
  for (let i = 0; i < size; i++) levels[i] = Number.isFinite(values[i]) ? strength(values[i], scale) + LEVELS : BROKEN;
  return levels;
}

/** A canvas of a size in CSS pixels. @param {number} width @param {number} height @param {number} ratio */
function canvasOf(width, height, ratio) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  return canvas;
}

/**
 * The page's colours as a canvas can use them: `pixels` of each level, and of what is broken.
 * @typedef {{pixels: Uint32Array, ink: string, mono: string, colours: Record<string, string>}} Palette
 */

/** @type {{theme: string, palette: Palette | null}} */
let cached = { theme: "", palette: null };

/** The palette of the present theme. @param {Element} element @returns {Palette} */
function paletteOf(element) {
  const theme = document.documentElement.dataset.theme ?? "";
  if (cached.theme === theme && cached.palette) return cached.palette;
  const probe = document.createElement("span");
  element.append(probe);
  const resolve = (/** @type {string} */ colour) => {
    probe.style.color = colour;
    return getComputedStyle(probe).color;
  };
  const levels = [];
  for (let k = -LEVELS; k <= LEVELS; k++) {
    levels.push(resolve(`color-mix(in oklab, var(${k < 0 ? "--neg" : "--pos"}) ${Math.abs(k)}%, var(--cell))`));
  }
  const colours = Object.fromEntries(["bn", "ln", "rms", "gn", "both"].map((name) => [name, resolve(`var(--${name})`)]));
  const pixels = asPixels([...levels, resolve("var(--wrong)")]);
  const palette = { pixels, ink: resolve("var(--ink)"), mono: getComputedStyle(probe).getPropertyValue("--mono"), colours };
  probe.remove();
  cached = { theme, palette };
  return palette;
}

/** Colours in any of CSS's notations as the pixels they give. @param {string[]} colours */
function asPixels(colours) {
  const canvas = canvasOf(colours.length, 1, 1);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { willReadFrequently: true }));
  colours.forEach((colour, at) => {
    context.fillStyle = colour;
    context.fillRect(at, 0, 1, 1);
  });
  return new Uint32Array(context.getImageData(0, 0, colours.length, 1).data.buffer);
}

/** What a screen reader hears of a cell: its place and its value. */
export function cellLabel(/** @type {import("./shape.js").Plan} */ p, /** @type {number} */ index, /** @type {number} */ value) {
  const slice = Math.floor(index / (p.rows * p.columns));
  const r = Math.floor(index / p.columns) % p.rows;
  const parts = [sliceTitle(p, slice), p.rowName ? `${p.rowName}${r}` : "", `${p.columnName}${index % p.columns}`];
  return `${parts.filter(Boolean).join(" ")}: ${short(value, 4)}`;
}
