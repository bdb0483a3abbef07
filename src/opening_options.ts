/** The options of opening that do not depend on the engine, validated before any effect. */

import { readFields, requireBoolean, requireCallback, requireInteger } from "./contracts/arguments.ts";
import type { MemoryEvent } from "./contracts/options/memory_options.ts";
import { collectKinds, type RecordKind } from "./contracts/record_kind.ts";
import type { ScopeLimits } from "./conversations/put_turn.ts";
import {
  KINDS_MAX,
  SCOPE_BYTES_DEFAULT,
  SCOPE_BYTES_MAX,
  SCOPE_TURNS_DEFAULT,
  SCOPE_TURNS_MAX,
  TURN_MEDIA_BYTES_DEFAULT,
  TURN_MEDIA_BYTES_MAX,
} from "./limits.ts";

/** These options, validated, with their defaults. */
export interface GivenStoreOptions {
  readonly clock: (() => number) | undefined;
  readonly kinds: ReadonlyMap<string, RecordKind>;
  readonly limits: ScopeLimits;
  readonly readOnly: boolean;
  readonly acceptClock: boolean;
  readonly onEvent: ((event: MemoryEvent) => void) | undefined;
}

/** Their names. */
export const STORE_NAMES = ["clock", "kinds", "limits", "readOnly", "acceptClock", "onEvent"] as const;

/** Validates these options. */
export function readStoreOptions(
  given: Readonly<Partial<Record<(typeof STORE_NAMES)[number], unknown>>>,
): GivenStoreOptions {
  const { clock, kinds = [], limits = {}, readOnly = false, acceptClock = false, onEvent } = given;
  return {
    clock: requireCallback("clock", clock) as (() => number) | undefined,
    kinds: collectKinds(kinds, KINDS_MAX),
    limits: readLimits(limits),
    readOnly: requireBoolean("readOnly", readOnly),
    acceptClock: requireBoolean("acceptClock", acceptClock),
    onEvent: requireCallback("onEvent", onEvent) as ((event: MemoryEvent) => void) | undefined,
  };
}

function readLimits(value: unknown): ScopeLimits {
  const {
    turnsPerScope = SCOPE_TURNS_DEFAULT,
    bytesPerScope = SCOPE_BYTES_DEFAULT,
    mediaBytesPerTurn = TURN_MEDIA_BYTES_DEFAULT,
  } = readFields("limits", value, ["turnsPerScope", "bytesPerScope", "mediaBytesPerTurn"]);
  return {
    turns: requireInteger("limits.turnsPerScope", turnsPerScope, 1, SCOPE_TURNS_MAX),
    bytes: requireInteger("limits.bytesPerScope", bytesPerScope, 1, SCOPE_BYTES_MAX),
    mediaBytes: requireInteger("limits.mediaBytesPerTurn", mediaBytesPerTurn, 1, TURN_MEDIA_BYTES_MAX),
  };
}
