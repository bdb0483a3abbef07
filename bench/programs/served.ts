/** The shared work and output of two programs that read and write the same turns in different stores. */

/** The output of a program. */
export interface Served {
  /** The highest resident memory, in bytes. */
  readonly peakBytes: number;
  /** The characters of the turns that it read. */
  readonly characters: number;
}

/** The number of turns that are read from each scope. */
export const LAST = 10;

export const CREATE_TURNS = `CREATE TABLE turns (id INTEGER PRIMARY KEY, tenant TEXT NOT NULL,
  session TEXT NOT NULL, messages TEXT NOT NULL) STRICT;
  CREATE INDEX turns_by_scope ON turns (tenant, session, id)`;

export const INSERT_TURN = `INSERT INTO turns (tenant, session, messages) VALUES (?, ?, ?)`;

/** Returns a scope of its own tenant. */
export function scopeOf(index: number): { tenantId: string; sessionId: string } {
  return { tenantId: `tenant-${index}`, sessionId: "ticket-4711" };
}

/** Returns the text of a turn: some 200 characters. */
export function textOf(scope: number, turn: number): string {
  return `Round ${turn} of scope ${scope}: ${"the pallets in bay seven were counted twice. ".repeat(4)}`;
}

/** Yields the scopes that are read and written, far from each other. */
export function* chosenScopes(scopes: number, served: number): Generator<number> {
  for (let call = 0; call < served; call++) yield (call * 7_919) % scopes;
}

/** Prints the output of the program. */
export function printServed(characters: number): void {
  const served: Served = { peakBytes: peakBytes(), characters };
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(served)));
}

/** Returns the peak resident memory of this process on Linux; elsewhere, the current one. */
function peakBytes(): number {
  if (Deno.build.os !== "linux") return Deno.memoryUsage().rss;
  return Number(/VmHWM:\s*(\d+) kB/.exec(Deno.readTextFileSync("/proc/self/status"))![1]) * 1_024;
}
