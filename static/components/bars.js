// Shares of a whole as bars with their numbers beside them, a line each, in groups; and what they come to.
import { adopt, make, once, refill } from "./sheet.js";
import { softmaxSheet } from "./softmax_sheet.js";

/** @typedef {{name: string, share: number, text: string, note: string, wrong: boolean}} Bar */

/** @typedef {{title: string, note: string, bars: Bar[], total: string[]}} Group */

/** @param {{model: any, el: HTMLElement}} context */
export function render({ model, el }) {
  adopt(el, softmaxSheet);
  const box = make("div", "all");

  function draw() {
    const note = make("p", "quiet", model.note);
    refill(box, ...(model.note ? [note] : []), ...model.groups.map(article));
  }

  const later = once(draw);
  for (const name of ["note", "groups"]) model.on(name, later);
  draw();
  el.append(box);
  return box;
}

function article(/** @type {Group} */ group) {
  const list = make("ul", "share-list", ...group.bars.map(line));
  const parts = [list];
  if (group.title) {
    list.setAttribute("aria-label", group.title);
    parts.unshift(make("h3", "", group.title, make("span", "", group.note)));
  }
  if (group.total.length) parts.push(make("p", "total", ...group.total.map((text, n) => make(n % 2 ? "b" : "span", "", text))));
  return make("article", "shares", ...parts);
}

function line(/** @type {Bar} */ bar) {
  const fill = make("i");
  fill.style.width = `${Math.max(0, Math.min(1, Number.isFinite(bar.share) ? bar.share : 0)) * 100}%`;
  const track = make("span", "track", fill);
  track.setAttribute("aria-hidden", "true");
  const item = make("li", "", make("span", "name", bar.name), track, make("b", "", bar.text), make("small", "", bar.note));
  item.toggleAttribute("data-wrong", bar.wrong);
  item.toggleAttribute("data-none", bar.share === 0);
  return item;
}
