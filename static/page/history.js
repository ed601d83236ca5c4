// The state in the address: written as it changes, read when a person opens a link or goes back.
// Back and Forward are undo and redo; the buttons and keys for these do the same within our own entries.

const PAUSE_MS = 250; // a drag writes the address a few times a second; browsers limit how often one may

export class History {
  /** @param {(fragment: string) => void} open */
  constructor(open) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.written = this.fragment;
    /** The state's own fragment, which the address follows a little later. */
    this.latest = this.fragment;
    /** The number of our entry in the browser's history, and the last one that exists. */
    this.at = history.state?.at ?? 0;
    this.last = history.state?.last ?? this.at;
    this.tag();
    addEventListener("popstate", () => this.opened(open));
    addEventListener("hashchange", () => this.opened(open));
  }

  get fragment() {
    return location.hash.slice(1);
  }

  /** @param {(fragment: string) => void} open */
  opened(open) {
    if (history.state === null) {
      // An entry that a link or a typed address made: it comes after ours.
      this.at += 1;
      this.last = this.at;
      this.tag();
    } else this.at = history.state.at;
    this.show();
    if (this.fragment === this.written) return;
    clearTimeout(this.timer);
    this.written = this.latest = this.fragment;
    open(this.fragment);
  }

  /**
   * Write the state's fragment: a deliberate step is an entry that Back takes back, a drag is not.
   * @param {string} fragment
   * @param {boolean} deliberate
   */
  write(fragment, deliberate) {
    clearTimeout(this.timer);
    this.latest = fragment;
    // After the frame that shows the change: an entry in the history costs some milliseconds.
    if (deliberate) setTimeout(() => this.put(fragment, true));
    else this.timer = setTimeout(() => this.put(fragment, false), PAUSE_MS);
  }

  /** The link to the present state. */
  get link() {
    return this.latest ? new URL(this.address(this.latest), location.href).href : location.href;
  }

  /** @param {string} fragment */
  address(fragment) {
    return `${location.pathname}${location.search}#${fragment}`;
  }

  /** @param {string} fragment @param {boolean} push */
  put(fragment, push) {
    if (fragment === this.fragment) return;
    this.written = fragment;
    const url = this.address(fragment);
    try {
      if (push) {
        this.at += 1;
        this.last = this.at;
        history.pushState({ at: this.at, last: this.last }, "", url);
      } else history.replaceState({ at: this.at, last: this.last }, "", url);
    } catch {
      // Safari allows 100 changes in 30 s and then throws: the next change writes it all again.
    }
    this.show();
  }

  /** Connect the undo and redo buttons, and Ctrl+Z, Ctrl+Shift+Z and Ctrl+Y where no text is being typed. */
  setUpUndo() {
    const undo = () => this.at > 0 && history.back();
    const redo = () => this.at < this.last && history.forward();
    document.getElementById("undo")?.addEventListener("click", undo);
    document.getElementById("redo")?.addEventListener("click", redo);
    addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      const typing = event.composedPath()[0];
      if (typing instanceof HTMLElement && typing.matches("input:not([type=range]), textarea")) return;
      const key = event.key.toLowerCase();
      if (key === "z" && !event.shiftKey) undo();
      else if (key === "y" || (key === "z" && event.shiftKey)) redo();
      else return;
      event.preventDefault();
    });
    this.show();
  }

  /** Note on the present entry of the browser's history which of ours it is. */
  tag() {
    try {
      history.replaceState({ at: this.at, last: this.last }, "");
    } catch {
      // Too many changes at a time, as below.
    }
  }

  /** Let the buttons say whether there is something to take back. */
  show() {
    const set = (/** @type {string} */ id, /** @type {boolean} */ on) => document.getElementById(id)?.toggleAttribute("disabled", !on);
    set("undo", this.at > 0);
    set("redo", this.at < this.last);
  }
}
