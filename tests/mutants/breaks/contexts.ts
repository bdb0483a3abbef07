/** Breaks of contexts in messages. */

import type { Mutant } from "../mutant.ts";

const MESSAGES = "tests/context/messages_form_test.ts";

/** What a model must be sent, and what must stay the same from one request to the next. */
export const CONTEXT_BREAKS: readonly Mutant[] = [
  {
    name: "the newest turn is shortened by nothing but the cap",
    file: "src/context/messages/plan_messages.ts",
    find: "if (whole.tokens + sparedTokens <= roomTokens) return { unit: whole, degraded: [] };",
    replace: "if (whole.tokens >= 0) return { unit: whole, degraded: [] };",
    test: MESSAGES,
    promise: "CTX-01 six parallel results",
    why: "a few long results would make the request impossible",
  },
  {
    name: "the newest turn stays shortened for one that is left out",
    file: "src/context/messages/plan_messages.ts",
    find: "if (sparedTokens > 0) return fitted",
    replace: "if (sparedTokens > 1e9) return fitted",
    test: MESSAGES,
    promise: "The newest turn is not shortened for one before it",
    why: "the model would see less, and nothing would be gained",
  },
  {
    name: "the newest turn is shortened for a long one before it",
    file: "src/context/messages/plan_messages.ts",
    find: "shown.tokens > plan.roomTokens / 4",
    replace: "shown.tokens > plan.roomTokens",
    test: MESSAGES,
    promise: "The newest turn is not shortened for one before it",
    why: "what the model works on would lose its room to what is over",
  },
  {
    name: "the window starts as early as fits",
    file: "src/context/messages/plan_messages.ts",
    find: 'return best.hash === "" ? largest : best.size;',
    replace: 'return best.hash === "never" ? best.size : largest;',
    test: MESSAGES,
    promise: "CTX-02 the beginning of a request stays",
    why: "every turn would move the start, and a provider's cache would keep nothing",
  },
  {
    name: "a unit may begin with a result",
    file: "src/context/messages/units.ts",
    find: "if (orphans < fewest) [size, fewest] = [tried, orphans];",
    replace: "if (tried < fewest) [size, fewest] = [tried, 0];",
    test: MESSAGES,
    promise: "CTX-03 a loop of tools goes on",
    why: "in a loop whose steps are turns, every result would be left out",
  },
  {
    name: "evidence may stand anywhere",
    file: "src/context/messages/assemble_messages.ts",
    find: 'const last = rest.findLastIndex(({ role }) => role === "user");',
    replace: "const last = rest.length - 1;",
    test: MESSAGES,
    promise: "CTX-03 a loop of tools goes on",
    why: "evidence would stand between a call and its result",
  },
  {
    name: "a limit above the context window is taken",
    file: "src/context/configuration.ts",
    find: "budget.maxInputTokens > budget.contextWindow) {",
    replace: "budget.maxInputTokens < 0) {",
    test: MESSAGES,
    promise: "CTX-04 more input tokens than the context window has",
    why: "a model would refuse what the budget promised",
  },
  {
    name: "messages that say nothing are sent",
    file: "src/context/messages/plan_messages.ts",
    find: "pairWindow([shown])).filter(saysSomething);",
    replace: "pairWindow([shown])).filter((message) => saysSomething(message) || true);",
    test: MESSAGES,
    promise: "Messages that say nothing are left out",
    why: "providers refuse an empty message, and one such turn would fail every later request",
  },
];
