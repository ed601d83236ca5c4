// The state in the address: written as it changes, read when a person opens a link or goes back.

const PAUSE_MS = 250; // a drag writes the address a few times a second; browsers limit how often one may

export class History {
  /** @param {(fragment: string) => void} open */
  constructor(open) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.written = this.fragment;
    addEventListener("popstate", () => this.opened(open));
    addEventListener("hashchange", () => this.opened(open));
  }

  get fragment() {
    return location.hash.slice(1);
  }

  /** @param {(fragment: string) => void} open */
  opened(open) {
    if (this.fragment === this.written) return;
    clearTimeout(this.timer);
    this.written = this.fragment;
    open(this.fragment);
  }

  /**
   * Write the state's fragment: a deliberate step is an entry that Back takes back, a drag is not.
   * @param {string} fragment
   * @param {boolean} deliberate
   */
  write(fragment, deliberate) {
    clearTimeout(this.timer);
    if (deliberate) this.put(fragment, true);
    else this.timer = setTimeout(() => this.put(fragment, false), PAUSE_MS);
  }

  /** @param {string} fragment @param {boolean} push */
  put(fragment, push) {
    if (fragment === this.fragment) return;
    this.written = fragment;
    const url = `${location.pathname}${location.search}#${fragment}`;
    try {
      if (push) history.pushState(null, "", url);
      else history.replaceState(null, "", url);
    } catch {
      // Safari allows 100 changes in 30 s and then throws: the next change writes it all again.
    }
  }
}
