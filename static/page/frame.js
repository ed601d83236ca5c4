// Waiting until the page has drawn.

const HIDDEN_MS = 100; // a page in the background draws no frames, and nobody waits for one there

/** Resolves with the next frame. */
export const nextFrame = () =>
  new Promise((resolve) => {
    requestAnimationFrame(resolve);
    setTimeout(resolve, HIDDEN_MS);
  });
