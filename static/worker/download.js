// One file of the build: fetched with progress, checked by size and hash, unpacked on the way.

/** A file that cannot be used, with what to do about it. */
export class Damaged extends Error {
  /** @param {string} message @param {string} advice */
  constructor(message, advice) {
    super(message);
    this.advice = advice;
  }
}

const QUIET_SECONDS = 45; // no byte for so long means that the line is dead

/**
 * @typedef {{stream: () => ReadableStream<Uint8Array>, bytes: () => Promise<Uint8Array>, damaged: Promise<never>}} Download
 */

/**
 * Start fetching a file. `stream()` or `bytes()` gives its (unpacked) content once; `damaged` rejects when it is unusable.
 * @param {{url: string, size: number, sha256: string, gzip: boolean}} entry
 * @param {(bytes: number) => void} progress
 * @returns {Download}
 */
export function download(entry, progress) {
  const name = new URL(entry.url).pathname.split("/").pop();
  /** @type {(error: unknown) => void} */
  let reject = () => {};
  const damaged = /** @type {Promise<never>} */ (new Promise((_, no) => (reject = no)));
  damaged.catch(() => {});
  const stop = (/** @type {string} */ message, /** @type {string} */ advice) => {
    const error = new Damaged(message, advice);
    reject(error);
    return error;
  };
  const answer = fetch(entry.url).then(
    (response) => {
      if (!response.ok) {
        throw stop(`The file ${name} is missing (the server answers ${response.status}).`, "If you publish this site: copy the whole dist folder, also the files that end in .gz.");
      }
      return response;
    },
    (error) => {
      throw stop(`The file ${name} could not be fetched.`, `Is the network up? (${error.message})`);
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
        controller.enqueue(chunk);
      },
      async flush() {
        const wrong = size !== entry.size ? `${size} bytes instead of ${entry.size}` : await wrongHash(chunks, size, entry.sha256);
        if (wrong) throw stop(`The file ${name} is damaged: ${wrong}.`, "Reload the page. If that does not help, the site needs to be published again.");
      },
    });
    const source = answer.then((response) => {
      const body = response.body ?? new Response(new Uint8Array()).body;
      return watched(/** @type {ReadableStream<Uint8Array>} */ (body), () => stop(`The file ${name} stopped arriving.`, `No byte came for ${QUIET_SECONDS} seconds: the line seems to be down.`)).pipeThrough(checked);
    });
    const plain = fromPromise(source);
    const unpacked = entry.gzip ? plain.pipeThrough(/** @type {any} */ (new DecompressionStream("gzip"))) : plain;
    return guarded(unpacked, (error) =>
      error instanceof Damaged
        ? error
        : stop(`The file ${name} is damaged.`, `It could not be unpacked (${error}). The server may have sent a page in its place.`),
    );
  };
  const bytes = async () => new Uint8Array(await new Response(stream()).arrayBuffer());
  return { stream, bytes, damaged };
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
  return hex === expected ? "" : "its hash is not the one it was built with";
}

/** A stream that is given up when nothing arrives. */
function watched(/** @type {ReadableStream<Uint8Array>} */ body, /** @type {() => Error} */ dead) {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      /** @type {ReturnType<typeof setTimeout> | undefined} */
      let timer;
      const silence = new Promise((_, no) => (timer = setTimeout(() => no(dead()), QUIET_SECONDS * 1000)));
      try {
        const { done, value } = /** @type {ReadableStreamReadResult<Uint8Array>} */ (await Promise.race([reader.read(), silence]));
        if (done) controller.close();
        else controller.enqueue(value);
      } finally {
        clearTimeout(timer);
      }
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
