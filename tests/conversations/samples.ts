/** What the tests of conversations talk about: that of the published suites. */

export * from "../../src/testing/kit/conversation_samples.ts";
