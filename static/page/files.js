// Files dropped on the page or chosen in a dialog: read here, given to Python, never sent anywhere.
import { notice } from "./messages.js";

const LARGEST = 64 * 2 ** 20;

/** @param {(message: object, attachment: ArrayBuffer) => void} send */
export function setUpFiles(send) {
  /** @param {File} file */
  const take = async (file) => {
    if (file.size > LARGEST) {
      notice(`${file.name} is larger than 64 MB, which is more than fits here.`);
      return;
    }
    try {
      send({ type: "file", name: file.name }, await file.arrayBuffer());
    } catch (error) {
      notice(`${file.name} could not be read: ${/** @type {Error} */ (error).message}`);
    }
  };
  addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
  addEventListener("drop", (event) => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    take(file);
  });
  document.addEventListener("normscope-file", (event) => take(/** @type {CustomEvent<File>} */ (event).detail));
}
