/** Fault matrices: every statement of an operation fails in every way, generated from a recorded trace. */

import { RESULT } from "../../src/engines/sqlite/drivers/result_codes.ts";
import { type CallVerb, type DriverCall, type Fault, STATEMENT_VERBS } from "../kit/faulty_driver.ts";

/** One way in which a call can fail. */
export interface Way {
  readonly effect: "before" | "after";
  readonly lasting: boolean;
  readonly code: number;
  readonly transaction?: "kept" | "rolled back";
}

/** One call and one way. */
export interface MatrixCase {
  /** The call's place in the trace. */
  readonly place: number;
  readonly call: DriverCall;
  readonly way: Way;
}

/** The codes, and after FULL both of what SQLite may do with the transaction. */
const CODES: readonly Pick<Way, "code" | "transaction">[] = [
  { code: RESULT.BUSY },
  { code: RESULT.FULL },
  { code: RESULT.FULL, transaction: "kept" },
  { code: RESULT.IOERR },
];

/** Every way: before and after, once and lasting, each code. */
export const WAYS: readonly Way[] = CODES.flatMap((each) =>
  (["before", "after"] as const).flatMap((effect) =>
    [false, true].map((lasting) => ({ ...each, effect, lasting }))
  )
);

/** Whether everything is run, and not a sample. */
export const RUNS_ALL: boolean = Deno.env.get("HOLDFAST_LONG") === "1";

/** Where a sample begins: another seed, other ways for each call. */
export const SEED: number = Number(Deno.env.get("HOLDFAST_SEED") ?? 1);

/** The verbs of calls that are struck. */
const VERBS: readonly CallVerb[] = ["prepare", ...STATEMENT_VERBS];

/** The calls of a trace that are to be struck. */
export function struckCalls(trace: readonly DriverCall[]): readonly DriverCall[] {
  return trace.filter(({ verb }) => VERBS.includes(verb));
}

/** Every call of a trace in every way, or in a sample of so many ways: never a call that is not struck at all. */
export function casesOf(
  trace: readonly DriverCall[],
  operation: string,
  waysInSample: number,
): readonly MatrixCase[] {
  return trace.flatMap((call, place) => {
    const ways = WAYS.filter((way) => isPossible(call, way));
    const chosen = RUNS_ALL ? ways : sampleOf(ways, waysInSample, `${operation} ${place}`);
    return chosen.map((way) => ({ place, call, way }));
  });
}

/** Cases of one operation in a sample, unless it has more statements that no operation before it had. */
const CASES_IN_SAMPLE = 8;

/** Draws samples of which each statement has a part, whichever operation it belongs to. */
export class Samples {
  readonly #struck = new Set<string>();

  /**
   * Every call of a trace in every way; or, as a sample, each statement that was not struck before, and some others, each
   * at one of its places and in one way.
   */
  casesOf(trace: readonly DriverCall[], operation: string): readonly MatrixCase[] {
    if (RUNS_ALL) return casesOf(trace, operation, Infinity);
    const places = placesByStatement(trace);
    const draw = drawing(operation);
    // Statements on a work file are many and alike, and undone by discarding the file: one in four.
    const isTaken = (statement: string): boolean => !statement.startsWith("copy") || draw(4) === 0;
    const fresh = [...places.keys()].filter((statement) =>
      !this.#struck.has(statement) && isTaken(statement)
    );
    const known = [...places.keys()].filter((statement) => this.#struck.has(statement));
    for (const statement of fresh) this.#struck.add(statement);
    while (fresh.length < CASES_IN_SAMPLE && known.length > 0) {
      fresh.push(...known.splice(draw(known.length), 1));
    }
    return fresh.map((statement) => {
      const found = places.get(statement)!;
      const place = found[draw(found.length)]!;
      const call = trace[place]!;
      const ways = WAYS.filter((way) => isPossible(call, way));
      return { place, call, way: ways[draw(ways.length)]! };
    });
  }
}

function placesByStatement(trace: readonly DriverCall[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [place, { database, sql }] of trace.entries()) {
    const statement = `${database} ${sql}`;
    places.set(statement, [...places.get(statement) ?? [], place]);
  }
  return places;
}

/**
 * A COMMIT that SQLite calls BUSY has never taken effect: its transaction stays open. Preparing has no effect that
 * could stay behind. No other process can hold a lock on a work file.
 */
function isPossible({ database, verb, sql }: DriverCall, { code, effect, transaction }: Way): boolean {
  if (database === "copy" && code === RESULT.BUSY) return false;
  if (verb === "prepare") return effect === "before" && transaction === undefined;
  return !(sql === "COMMIT" && code === RESULT.BUSY && effect === "after");
}

function sampleOf(ways: readonly Way[], count: number, text: string): readonly Way[] {
  const draw = drawing(text);
  const left = [...ways];
  return Array.from({ length: Math.min(count, ways.length) }, () => left.splice(draw(left.length), 1)[0]!);
}

/** Draws whole numbers below a bound: the same for one seed and text. (xorshift32) */
function drawing(text: string): (below: number) => number {
  let state = SEED + 1;
  for (const character of text) state = Math.imul(state ^ character.charCodeAt(0), 0x01000193) >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/** The fault of a case. If it lasts, the whole database fails until the fault is removed. */
export function faultOf({ place, call, way }: MatrixCase, trace: readonly DriverCall[]): Fault {
  const { database } = call;
  const skip = trace.slice(0, place).filter((each) => each.database === database).length;
  return { ...way, database, skip, verbs: VERBS };
}

/** How long calls wait for locks: only where a lock is held for good is it not worth the time. */
export function busyTimeoutFor({ code, lasting }: Way): number {
  return code === RESULT.BUSY && lasting ? 25 : 5_000;
}

/** The description of a case in failures. */
export function describe({ place, call, way }: MatrixCase): string {
  const code = Object.entries(RESULT).find(([, value]) => value === way.code)?.[0] ?? way.code;
  const sql = call.sql?.replace(/\s+/g, " ").slice(0, 60);
  const kept = way.transaction === undefined ? "" : ` (transaction ${way.transaction})`;
  return `seed ${SEED}: ${code}${kept} ${way.effect} call ${place}, ${
    way.lasting ? "lasting" : "once"
  }: ${call.database} ${sql}`;
}
