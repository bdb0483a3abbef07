/** Draws the pictures of the documentation next to this file: `deno task draw`. */

import { DATA_FLOW } from "./data_flow.ts";
import { DELETION } from "./deletion.ts";
import { drawPicture } from "./svg.ts";

/** Each picture, drawn, by the name of its file. */
export const PICTURES: ReadonlyMap<string, string> = new Map([
  ["data_flow.svg", drawPicture(DATA_FLOW)],
  ["deletion.svg", drawPicture(DELETION)],
]);

if (import.meta.main) {
  for (const [name, svg] of PICTURES) Deno.writeTextFileSync(new URL(name, import.meta.url), svg);
}
