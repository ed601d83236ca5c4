// What the build wrote into index.html: every file of the site, with its size and hash.

/**
 * A file that the browser loads by itself: a module of ours, a stylesheet, a script of BokehJS.
 * @typedef {{url: string, size: number, sha256: string, integrity: string}} Part
 *
 * A file that Python's worker fetches.
 * @typedef {{url: string, size: number, sha256: string, gzip: boolean}} Entry
 *
 * @typedef {object} Manifest
 * @property {string} runtime  the folder of Pyodide, the packages and BokehJS
 * @property {string} app  the folder of our own files
 * @property {number} quiet_seconds  when no byte comes for so long, a line counts as dead
 * @property {Part[]} scripts  BokehJS and Panel's models, in the order in which they must run
 * @property {Part[]} parts  our modules and stylesheets
 * @property {string[]} components  of the parts, the modules that draw Python's views
 * @property {Record<string, Entry>} files
 * @property {Record<string, string>} pictures  the first scene's document as Python builds it, by theme
 */

/** @type {Manifest} */
export const manifest = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("manifest")).textContent ?? "");

/** An address in the manifest as it is for everybody, the worker and blob: modules too. @param {string} url */
export const absolute = (url) => new URL(url, document.baseURI).href;

/** The name of the file at an address. @param {string} url */
export const nameOf = (url) => url.split("/").pop() ?? url;
