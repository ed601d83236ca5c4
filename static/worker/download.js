// One file of the build: fetched with progress, checked by size and hash, unpacked on the way.

/** A file that cannot be used; the page has the words for it. */
export class Broken extends Error {
  /** @param {Trouble} trouble */
  constructor(trouble) {
    super(`${trouble.file}: ${trouble.kind} (${trouble.detail})`);
    this.trouble = trouble;
  }
}

/**
 * @typedef {{stream: () => ReadableStream<Uint8Array>, bytes: () => Promise<Uint8Array>, damaged: Promise<never>}} Download
 */

/**
 * Start fetching a file. `stream()` or `bytes()` gives its (unpacked) content once; `damaged` rejects when it is unusable.
 * @param {import("../manifest.js").Entry} entry
 * @param {number} quietSeconds  when no byte comes for so long, the line is dead
 * @param {(bytes: number) => void} progress
 * @returns {Download}
 */
export function download(entry, quietSeconds, progress) {
  const file = entry.url.split("/").pop() ?? entry.url;
  /** @type {(error: unknown) => void} */
  let reject = () => {};
  const damaged = /** @type {Promise<never>} */ (new Promise((_, no) => (reject = no)));
  damaged.catch(() => {});
  const stop = (/** @type {string} */ kind, /** @type {unknown} */ detail) => {
    const error = new Broken({ kind, file, detail: String(detail), url: entry.url });
    reject(error);
    return error;
  };
  const silent = () => stop("silent", quietSeconds);
  const answer = inTime(fetch(entry.url), quietSeconds, silent).then(
    (response) => {
      if (!response.ok) throw stop("missing", response.status);
      return response;
    },
    (error) => {
      throw error instanceof Broken ? error : stop("unreachable", error.message);
    },
  );

  /** @returns {ReadableStream<Uint8Array>} */
  const stream = () => {
    /** @type {Uint8Array[]} */
    const chunks = [];
    let size = 0;
    const checked = new TransformStream({
      transform(chunk, controller) {
        chunks.push(chunk);
        size += chunk.byteLength;
        progress(chunk.byteLength);
        heard = performance.now();
        controller.enqueue(chunk);
      },
      async flush() {
        const wrong = size === entry.size ? await wrongHash(chunks, size, entry.sha256) : `${size} bytes instead of ${entry.size}`;
        if (wrong) throw stop("damaged", wrong);
      },
    });
    const source = answer.then((response) => {
      const body = response.body ?? new Response(new Uint8Array()).body;
      return watched(/** @type {ReadableStream<Uint8Array>} */ (body), quietSeconds, silent).pipeThrough(checked);
    });
    const plain = fromPromise(source);
    const unpacked = entry.gzip ? plain.pipeThrough(/** @type {any} */ (new DecompressionStream("gzip"))) : plain;
    return guarded(unpacked, (error) => (error instanceof Broken ? error : stop("damaged", `it could not be unpacked (${error})`)));
  };
  const bytes = async () => new Uint8Array(await new Response(stream()).arrayBuffer());
  return { stream, bytes, damaged };
}

/** When a byte of any file came last. A browser has few lines: a file may wait long for its turn while others arrive. */
let heard = 0;

/**
 * A promise that is given up when the line is silent for too long.
 * @template T
 * @param {Promise<T>} promise
 * @param {number} seconds
 * @param {() => Error} silent
 * @returns {Promise<T>}
 */
async function inTime(promise, seconds, silent) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const silence = /** @type {Promise<never>} */ (
    new Promise((_, no) => {
      const look = () => {
        const left = heard + seconds * 1000 - performance.now();
        if (left <= 0) no(silent());
        else timer = setTimeout(look, left);
      };
      timer = setTimeout(look, seconds * 1000);
    })
  );
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** What is wrong with the content, or "". The hash needs a secure context; size and unpacking are checked anyway. */
async function wrongHash(/** @type {Uint8Array[]} */ chunks, /** @type {number} */ size, /** @type {string} */ expected) {
  if (!globalThis.crypto?.subtle) return "";
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", whole));
  const hex = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex === expected ? "" : "its content is not what was built";
}

/** A stream that is given up when nothing arrives. */
function watched(/** @type {ReadableStream<Uint8Array>} */ body, /** @type {number} */ quietSeconds, /** @type {() => Error} */ silent) {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await inTime(reader.read(), quietSeconds, silent);
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** The stream of a promise. @param {Promise<ReadableStream<Uint8Array>>} promise */
function fromPromise(promise) {
  const { readable, writable } = new TransformStream();
  promise.then((stream) => stream.pipeTo(writable)).catch((error) => writable.abort(error).catch(() => {}));
  return /** @type {ReadableStream<Uint8Array>} */ (readable);
}

/** A stream whose failure is told in our words. @param {ReadableStream<Uint8Array>} stream @param {(error: unknown) => Error} told */
function guarded(stream, told) {
  const reader = stream.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        controller.error(told(error));
      }
    },
  });
}
