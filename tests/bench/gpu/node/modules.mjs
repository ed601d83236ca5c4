// Lets Node.js import modules over HTTP from the benchmark's own loopback server, as a browser does,
// so that page/ runs in both as it is.

/** @param {string} specifier @param {{parentURL?: string}} context @param {Function} next */
export async function resolve(specifier, context, next) {
  if (specifier.startsWith("http:")) return { url: specifier, shortCircuit: true };
  const { parentURL = "" } = context;
  if (parentURL.startsWith("http:") && /^[./]/.test(specifier)) {
    return { url: new URL(specifier, parentURL).href, shortCircuit: true };
  }
  return next(specifier, context);
}

/** @param {string} url @param {object} context @param {Function} next */
export async function load(url, context, next) {
  if (!url.startsWith("http:")) return next(url, context);
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return { format: "module", source: await answer.text(), shortCircuit: true };
}
