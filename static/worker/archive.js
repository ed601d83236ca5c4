// A tar archive written into Pyodide's file system.

const BLOCK = 512;
const decoder = new TextDecoder();

/**
 * Write every file of a (ustar) archive below a folder.
 * @param {Uint8Array} archive
 * @param {any} FS  Emscripten's file system
 * @param {string} root
 */
export function untar(archive, FS, root) {
  const made = new Set();
  let at = 0;
  while (at + BLOCK <= archive.length && archive[at] !== 0) {
    const field = (/** @type {number} */ offset, /** @type {number} */ length) => {
      const text = decoder.decode(archive.subarray(at + offset, at + offset + length));
      const end = text.indexOf("\0");
      return end < 0 ? text : text.slice(0, end);
    };
    const prefix = field(345, 155);
    const path = `${root}/${prefix ? `${prefix}/` : ""}${field(0, 100)}`;
    const size = parseInt(field(124, 12), 8);
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!made.has(folder)) {
      FS.mkdirTree(folder);
      made.add(folder);
    }
    at += BLOCK;
    FS.writeFile(path, archive.subarray(at, at + size), { canOwn: true });
    at += Math.ceil(size / BLOCK) * BLOCK;
  }
}
