// The stylesheet of the Models scene's components.
import { sheetOf } from "./sheet.js";

export const modelsSheet = await sheetOf("models");
