/** A history of padded reports with one line that answers a question, and the input to ask it. */

import type { AssembleContextInput } from "../../src/context/assemble_context.ts";
import { pin } from "../../src/contracts/pin.ts";
import { AT, conversation, SCOPE } from "../search/conversation.ts";
import { STUB4 } from "./golden.ts";

const PADDING = "routine telemetry was read and nothing of note was found. ".repeat(8);

/** Thirteen turns, the first of which has the answer. */
export const HISTORY = conversation([
  `${PADDING} The gate phrase is TOPAZ-4471. ${PADDING}`,
  ...Array.from({ length: 12 }, (_, index) => `Report ${index}: ${PADDING}`),
]);

/** The question, a pin, and a budget for a part of the history. */
export const BASE: AssembleContextInput = {
  scope: SCOPE,
  history: HISTORY,
  question: "What is the gate phrase?",
  pins: [pin({ scope: SCOPE, key: "env", value: "prod", origin: "test", effectiveAt: AT })],
  system: "Use the data.",
  budget: { maxInputTokens: 900 },
  at: AT,
  counting: { counter: STUB4 },
};
