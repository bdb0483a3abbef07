import assert from "node:assert/strict";
import { journalModeFor } from "../../src/engines/sqlite/database/settings.ts";

/** Versions, and whether a commit that races a WAL reset is safe in them. */
const VERSIONS: readonly (readonly [string, boolean])[] = [
  ["3.7.0", false],
  ["3.40.1", false],
  ["3.44.5", false],
  ["3.44.6", true],
  ["3.44.10", true],
  ["3.45.0", false],
  ["3.49.2", false],
  ["3.50.0", false],
  ["3.50.6", false],
  ["3.50.7", true],
  ["3.50.10", true],
  ["3.51.0", false],
  ["3.51.2", false],
  ["3.51.3", true],
  ["3.51.10", true],
  ["3.52.0", true],
  ["3.53.2", true],
  ["3.100.0", true],
  ["4.0.0", true],
  ["", false],
  ["unknown", false],
];

Deno.test("DRV-18 a library whose WAL is not safe gets a rollback journal, by its version", () => {
  for (const [version, safe] of VERSIONS) {
    assert.equal(journalModeFor(version), safe ? "wal" : "delete", version);
  }
});
