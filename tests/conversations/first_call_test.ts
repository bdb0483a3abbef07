import assert from "node:assert/strict";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { storedByFirstCall } from "./first_call.ts";

Deno.test("The first call of a process, whose code is still being loaded, stores what it was handed and is drained by close()", async () => {
  await using directory = await TemporaryDirectory.make();
  assert.equal(await storedByFirstCall(directory.file("agent.db")), "Which trees were grafted?");
});
