// The first scene as Python will build it, made when the site was built: shown until Python is up.
import { absolute, manifest } from "../manifest.js";

const DEFAULT_LINKS = ["", "axes"];

/**
 * The scene's key and document, or null where the link asks for something else or the picture cannot be had:
 * then Python draws it. Nothing on the page depends on this file.
 * @param {string} fragment
 * @param {string} theme
 * @returns {Promise<{scene: string, document: any} | null>}
 */
export async function picture(fragment, theme) {
  const url = manifest.pictures[theme];
  if (!url || !DEFAULT_LINKS.includes(fragment)) return null;
  try {
    const answer = await fetch(absolute(url));
    if (!answer.ok) return null;
    const text = await answer.text();
    return JSON.parse(text.replaceAll("{{runtime}}", absolute(manifest.runtime)).replaceAll("{{app}}", absolute(manifest.app)));
  } catch {
    return null;
  }
}
