/** What opening is told: judged before any effect. */

import {
  hasMethod,
  readFields,
  requireBoolean,
  requireCallback,
  requireInteger,
} from "./contracts/arguments.ts";
import type { MemoryEvent, MemoryOptions } from "./contracts/options/memory_options.ts";
import { collectKinds, type RecordKind } from "./contracts/record_kind.ts";
import type { ScopeLimits } from "./conversations/put_turn.ts";
import type { SqliteDriver } from "./engines/sqlite/drivers/driver.ts";
import { nodeSqlite } from "./engines/sqlite/drivers/node_sqlite.ts";
import { ContractError } from "./errors.ts";
import {
  BUSY_TIMEOUT_MS_DEFAULT,
  BUSY_TIMEOUT_MS_MAX,
  KINDS_MAX,
  SCOPE_BYTES_DEFAULT,
  SCOPE_BYTES_MAX,
  SCOPE_TURNS_DEFAULT,
  SCOPE_TURNS_MAX,
} from "./limits.ts";

/** Options of opening, judged, with their defaults. */
export interface GivenOptions {
  readonly clock: (() => number) | undefined;
  readonly deletionPath: unknown;
  readonly backupBeforeUpgrade: unknown;
  readonly kinds: ReadonlyMap<string, RecordKind>;
  readonly limits: ScopeLimits;
  readonly driver: SqliteDriver;
  readonly readOnly: boolean;
  readonly busyTimeoutMs: number;
  readonly acceptClock: boolean;
  readonly onEvent: ((event: MemoryEvent) => void) | undefined;
}

/** What opening takes, a restore included. */
export const OPENING_NAMES = [
  "clock",
  "deletionPath",
  "kinds",
  "limits",
  "driver",
  "readOnly",
  "busyTimeoutMs",
  "acceptClock",
  "onEvent",
] as const;

/** Judges the options of opening. */
export function readOptions(options: MemoryOptions): GivenOptions {
  const given = readFields("options", options, [...OPENING_NAMES, "backupBeforeUpgrade"]);
  const { clock, driver = nodeSqlite, readOnly = false, acceptClock = false, onEvent, busyTimeoutMs } = given;
  if (!hasMethod(driver, "open") || typeof (driver as SqliteDriver).name !== "string") {
    throw new ContractError("driver", "Expected driver to be a SQLite driver");
  }
  return {
    clock: requireCallback("clock", clock) as (() => number) | undefined,
    deletionPath: given.deletionPath,
    backupBeforeUpgrade: given.backupBeforeUpgrade,
    kinds: collectKinds(given.kinds ?? [], KINDS_MAX),
    limits: readLimits(given.limits ?? {}),
    driver: driver as SqliteDriver,
    readOnly: requireBoolean("readOnly", readOnly),
    busyTimeoutMs: busyTimeoutMs === undefined
      ? BUSY_TIMEOUT_MS_DEFAULT
      : requireInteger("busyTimeoutMs", busyTimeoutMs, 0, BUSY_TIMEOUT_MS_MAX),
    acceptClock: requireBoolean("acceptClock", acceptClock),
    onEvent: requireCallback("onEvent", onEvent) as ((event: MemoryEvent) => void) | undefined,
  };
}

function readLimits(value: unknown): ScopeLimits {
  const { turnsPerScope = SCOPE_TURNS_DEFAULT, bytesPerScope = SCOPE_BYTES_DEFAULT } = readFields(
    "limits",
    value,
    [
      "turnsPerScope",
      "bytesPerScope",
    ],
  );
  return {
    turns: requireInteger("limits.turnsPerScope", turnsPerScope, 1, SCOPE_TURNS_MAX),
    bytes: requireInteger("limits.bytesPerScope", bytesPerScope, 1, SCOPE_BYTES_MAX),
  };
}
