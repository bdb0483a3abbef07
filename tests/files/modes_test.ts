import assert from "node:assert/strict";
import { runForJson } from "./child.ts";
import { HAS_MODES, Scratch } from "./scratch.ts";

for (const umask of ["022", "000", "077"]) {
  Deno.test({
    name: `PRM-01 PRM-02 under umask ${umask} every file is 0600 and every directory 0700 at every moment`,
    ignore: !HAS_MODES,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      assert.deepEqual(await runForJson("report_modes.ts", [scratch.path, umask]), {
        new: ["0700"],
        newer: ["0700"],
        "agent.db": ["0600"],
        "agent.db.opening": ["0600"],
        "agent.db.deletions.opening": ["0600"],
        "agent.db-shm": ["0600"],
        "agent.db-wal": ["0600"],
        "agent.db.deletions": ["0600"],
        "agent.db.deletions-shm": ["0600"],
        "agent.db.deletions-wal": ["0600"],
      });
    },
  });
}

Deno.test({
  name: "PRM-02 rollback journals are 0600 at every moment, under umask 000",
  ignore: !HAS_MODES,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    assert.deepEqual(await runForJson("report_modes.ts", [scratch.path, "000", "3.49.0"]), {
      new: ["0700"],
      newer: ["0700"],
      "agent.db": ["0600"],
      "agent.db.opening": ["0600"],
      "agent.db.deletions.opening": ["0600"],
      "agent.db-journal": ["0600"],
      "agent.db.deletions": ["0600"],
      "agent.db.deletions-journal": ["0600"],
    });
  },
});
