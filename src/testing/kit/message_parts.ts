/** Parts of a message, one of each type. */

import type { Part } from "../../../mod.ts";

/** One part of each type and more, for tests by table. */
export const PARTS: readonly Part[] = [
  { type: "reasoning", text: "Let me look.", signature: "c2ln", encrypted: "ZW5j" },
  { type: "text", text: "Here" },
  {
    type: "media",
    mediaType: "image/png",
    url: "https://example.com/a.png",
    filename: "a.png",
    alt: "A",
    tokens: 85,
  },
  { type: "text", text: "it is." },
  { type: "data", name: "weather", json: { celsius: -3.5, none: null } },
  { type: "opaque", format: "anthropic", json: null },
];
