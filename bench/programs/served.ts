/** What two programs serve, each from a store of its own, and how they tell what it took. */

/** What a program prints. */
export interface Served {
  /** The most bytes of resident memory that it took. */
  readonly peakBytes: number;
  /** Characters of the turns that it read. */
  readonly characters: number;
}

/** Turns that each scope is asked for. */
export const LAST = 10;

export const CREATE_TURNS = `CREATE TABLE turns (id INTEGER PRIMARY KEY, tenant TEXT NOT NULL,
  session TEXT NOT NULL, messages TEXT NOT NULL) STRICT;
  CREATE INDEX turns_by_scope ON turns (tenant, session, id)`;

export const INSERT_TURN = `INSERT INTO turns (tenant, session, messages) VALUES (?, ?, ?)`;

/** A scope of its own tenant. */
export function scopeOf(index: number): { tenantId: string; sessionId: string } {
  return { tenantId: `tenant-${index}`, sessionId: "spring" };
}

/** What is said: some 200 characters. */
export function textOf(scope: number, turn: number): string {
  return `Round ${turn} of scope ${scope}: ${"the pallets in bay seven were counted twice. ".repeat(4)}`;
}

/** The scopes that are served, far from each other. */
export function* chosenScopes(scopes: number, served: number): Generator<number> {
  for (let call = 0; call < served; call++) yield (call * 7_919) % scopes;
}

/** Prints what was served. */
export function tell(characters: number): void {
  const served: Served = { peakBytes: peakBytes(), characters };
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(served)));
}

/** The most that Linux saw this process take; elsewhere what it takes now. */
function peakBytes(): number {
  if (Deno.build.os !== "linux") return Deno.memoryUsage().rss;
  return Number(/VmHWM:\s*(\d+) kB/.exec(Deno.readTextFileSync("/proc/self/status"))![1]) * 1_024;
}
