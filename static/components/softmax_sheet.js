// The stylesheet of the Softmax scene's components.
import { sheetOf } from "./sheet.js";

export const softmaxSheet = await sheetOf("softmax");
