// Written into index.html by the build, so that it runs before the first paint and before any file that may be missing:
// the theme, and what the page says when a file is broken: which one, what is wrong with it, what to do.
(() => {
  let theme = null;
  try {
    theme = localStorage.getItem("normscope-theme");
  } catch {
    // storage may be blocked
  }
  const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";

  /** @typedef {import("./manifest.js").Part} Part */
  /** @type {import("./manifest.js").Manifest} */
  const manifest = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("manifest")).textContent ?? "");
  const own = [...manifest.parts, ...manifest.scripts]; // what the browser loads by itself
  /** Fetched anew before a retry, since a browser may have kept them broken. @type {{url: string}[]} */
  let suspects = own;

  /** Kinds of trouble in words: what is wrong, and what to do. @type {Record<string, (file: string, detail: string) => [string, string]>} */
  const words = {
    missing: (file, status) => [`The file ${file} is missing: the server answers ${status}.`, "If you publish this site: copy the whole dist folder as it is, also the files that end in .gz."],
    type: (file, type) => [`The file ${file} comes as “${type}”, which the browser refuses.`, "The server must send .js files as text/javascript and .css files as text/css. It may have sent a page in its place."],
    damaged: (file, detail) => [`The file ${file} is damaged: ${detail}.`, "Retry fetches it anew. If that does not help, the site needs to be published again."],
    unreachable: (file, reason) => [`The file ${file} could not be fetched.`, `Is the network up? (${reason})`],
    silent: (file, seconds) => [`The file ${file} stopped arriving.`, `Nothing came for ${seconds} seconds: the line seems to be down.`],
    slow: (step, seconds) => [`Nothing has happened for ${seconds} seconds.`, `The last step was “${step}”. The device may be short of memory: closing other pages can help.`],
  };

  /** It cannot go on: say so, with a Retry. The first word counts. */
  globalThis.normscopeFailed = (what, advice = "") => {
    const box = document.getElementById("failure");
    if (!box) {
      document.addEventListener("DOMContentLoaded", () => normscopeFailed(what, advice));
      return;
    }
    if (!box.hidden) return;
    normscopeWatch("");
    const part = (/** @type {string} */ name) => /** @type {HTMLElement} */ (box.querySelector(name));
    part("[data-what]").textContent = what;
    part("[data-detail]").textContent = advice;
    part("[data-detail]").hidden = !advice;
    box.hidden = false;
    /** @type {HTMLElement} */ (document.getElementById("progress")).hidden = true;
    const retry = /** @type {HTMLButtonElement} */ (part("button"));
    retry.onclick = async () => {
      retry.disabled = true;
      await Promise.allSettled(suspects.map(({ url }) => fetch(url, { cache: "reload" })));
      location.reload();
    };
    retry.focus();
  };

  globalThis.normscopeWords = ({ kind, file, detail }) => words[kind](file, detail);

  globalThis.normscopeTrouble = (trouble) => {
    if (trouble.url) suspects = [{ url: trouble.url }];
    normscopeFailed(...normscopeWords(trouble));
  };

  /** What is wrong with a file that the browser loads by itself. @param {Part} part @returns {Promise<Trouble | null>} */
  async function look({ url, size, sha256 }) {
    const file = url.split("/").pop() ?? url;
    const trouble = (/** @type {string} */ kind, /** @type {string} */ detail) => ({ kind, file, detail, url });
    try {
      const answer = await fetch(url);
      if (!answer.ok) return trouble("missing", String(answer.status));
      const bytes = await answer.arrayBuffer();
      const type = (answer.headers.get("Content-Type") ?? "nothing").split(";")[0];
      if (!(file.endsWith(".css") ? /^text\/css$/ : /^(text|application)\/javascript$/).test(type)) return trouble("type", type);
      if (bytes.byteLength !== size) return trouble("damaged", `${bytes.byteLength} bytes instead of ${size}`);
      if (!globalThis.crypto?.subtle) return null; // hashes need a secure context
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
      const hex = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      return hex === sha256 ? null : trouble("damaged", "its content is not what was built");
    } catch (error) {
      return trouble("unreachable", String(error instanceof Error ? error.message : error));
    }
  }

  globalThis.normscopeCheck = async () => (await Promise.all(own.map(look))).find(Boolean) ?? null;

  globalThis.normscopeExplain = async (what, advice) => {
    normscopeWatch("");
    const trouble = await normscopeCheck();
    if (trouble) normscopeTrouble(trouble);
    else normscopeFailed(what, advice);
  };

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  globalThis.normscopeWatch = (waiting, kind = "silent", patience = 1) => {
    clearTimeout(timer);
    const seconds = manifest.quiet_seconds * patience;
    if (waiting) timer = setTimeout(() => normscopeTrouble({ kind, file: waiting, detail: String(seconds) }), seconds * 1000);
  };
  normscopeWatch("main.js");
  addEventListener("error", (event) => {
    // A script of ours that cannot be read, or a fault before the page is up.
    if (!globalThis.normscope && event instanceof ErrorEvent) normscopeExplain("The page could not start in this browser.", event.message);
  });
})();
