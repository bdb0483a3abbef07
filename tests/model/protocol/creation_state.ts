/** What two files and the processes that create them hold; the rules and promises of creation. */

/** The rules of creation, each a switch. */
export const CREATION_RULES = {
  keepsWhatIsThere: "6.1, 6.2: a file is created exclusively; one that is there already is fine",
  schemaInsideTransaction: "6.1, 6.2: whether there is a schema is asked inside the write transaction",
  ledgerBeforeMain: "6.1, 6.2: the ledger has its schema before main has one",
  epochComesLast: "6.1, 6.3: the ledger's epoch is null until main has its schema",
  mainLookedAtFirst:
    "added to open: 'main without a ledger' takes a look at main before the one at the ledger",
  mainLookedAtLast: "added to open: 'a ledger without main' takes a look at main after the one at the ledger",
} as const;
export type CreationRule = keyof typeof CREATION_RULES;

/** What creation promises. */
export const CREATION_PROMISES = {
  oneIdentity: "a store that was opened keeps its lineage and its epoch",
  filesAgree: "once the ledger names an epoch, main has it, and the same lineage",
  noFalseAlarm: "any prefix of creation is finished by the next open, never refused",
} as const;
export type CreationPromise = keyof typeof CREATION_PROMISES;

/** Numbers stand for random identities: whoever needs one uses a number of its own. */
export interface Schema {
  readonly lineage: number;
  readonly epoch: number | null;
}

/** A database file; an empty one has no schema. */
export interface Database {
  readonly schema: Schema | null;
  readonly lingering: Schema | null;
  readonly lockedBy: number | null;
}

export type FileName = "ledger" | "main";

const STEP_NAMES = [
  "look at main",
  "look at the ledger",
  "look at main again",
  "6.1 make the ledger",
  "6.1 begin the ledger",
  "6.1 commit the ledger",
  "6.2 make main",
  "6.2 begin main",
  "6.2 commit main",
  "6.3 begin main",
  "6.3 begin the ledger",
  "6.3 commit the ledger",
  "finished",
] as const;
export type StepName = typeof STEP_NAMES[number];

export interface Opener {
  readonly opensLeft: number;
  readonly step: StepName;
  readonly mainBefore: Schema | null;
  readonly ledgerSeen: Schema | null;
  /** Only where a rule is left out: the schema that was there before BEGIN. */
  readonly early: Schema | null;
}

export interface CreationState {
  readonly ledger: Database | null;
  readonly main: Database | null;
  readonly openers: readonly Opener[];
  /** The observer's: what the first open that succeeded got. */
  readonly opened: Schema | null;
  readonly broken: CreationPromise | null;
  readonly crashesLeft: number;
  readonly failuresLeft: number;
}

/** A file that was just made. */
export const EMPTY: Database = { schema: null, lingering: null, lockedBy: null };

/** A process at the start of its next open, or at its end. */
export function started(opener: { readonly opensLeft: number }): Opener {
  const step = opener.opensLeft === 0 ? "finished" : "look at main";
  return { opensLeft: opener.opensLeft, step, mainBefore: null, ledgerSeen: null, early: null };
}
