// The Share button: the link to this exact state, on the clipboard.
import { notice } from "./messages.js";

/** @param {() => string} link */
export function setUpShare(link) {
  document.getElementById("share")?.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(link());
      notice("The link to this exact state is on the clipboard.");
    } catch {
      notice(link()); // no permission: the person can copy it from here
    }
  });
}
