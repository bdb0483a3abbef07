/** The protocol, 6.1 to 6.3, and what opening a store looks at before. */
import {
  type CreationRule,
  type CreationState,
  type Database,
  EMPTY,
  type FileName,
  type Opener,
  type Schema,
  started,
  type StepName,
} from "./creation_state.ts";
import type { Move } from "./explore.ts";

/** What a step sees. */
interface Here {
  readonly state: CreationState;
  readonly self: number;
  readonly opener: Opener;
  readonly inForce: (rule: CreationRule) => boolean;
}

type Moves = readonly Move<CreationState>[];

/** Everything that can happen next. */
export function creationMoves(state: CreationState, inForce: Here["inForce"]): Moves {
  const moves = state.openers.flatMap((opener, self): Moves => {
    if (opener.step === "finished") return [];
    const here: Here = { state, self, opener, inForce };
    return [...STEPS[opener.step](here), ...crash(here)];
  });
  return [...moves, ...surfacing(state, "ledger"), ...surfacing(state, "main")];
}

const STEPS: Readonly<Record<Exclude<StepName, "finished">, (here: Here) => Moves>> = {
  "look at main": (here) => step(here, { mainBefore: here.state.main?.schema ?? null }, "look at the ledger"),
  "look at the ledger": (here) =>
    step(here, { ledgerSeen: here.state.ledger?.schema ?? null }, "look at main again"),
  "look at main again": validate,
  "6.1 make the ledger": (here) => makeFile(here, "ledger", "6.1 begin the ledger"),
  "6.1 begin the ledger": (here) => begin(here, "ledger", "6.1 commit the ledger"),
  "6.1 commit the ledger": (here) => commitSchema(here, "ledger", ledgerSchema(here)),
  "6.2 make main": (here) => makeFile(here, "main", "6.2 begin main"),
  "6.2 begin main": (here) => begin(here, "main", "6.2 commit main"),
  "6.2 commit main": (here) => commitSchema(here, "main", mainSchema(here)),
  "6.3 begin main": (here) => begin(here, "main", "6.3 begin the ledger"),
  "6.3 begin the ledger": beginSecond,
  "6.3 commit the ledger": commitEpoch,
};

/** Refused or on: each refusal goes by the pair of looks that cannot raise a false alarm. */
function validate(here: Here): Moves {
  const { opener, state, inForce } = here;
  const { mainBefore, ledgerSeen } = opener;
  const mainNow = state.main?.schema ?? null;
  const first = inForce("mainLookedAtFirst") ? mainBefore : mainNow;
  const last = inForce("mainLookedAtLast") ? mainNow : mainBefore;
  if (first && !ledgerSeen) return [move(here, "main without a ledger: INTEGRITY", alarm(here))];
  if (!last && ledgerSeen && ledgerSeen.epoch !== null) {
    return [move(here, "a ledger without main: refuse", alarm(here))];
  }
  const next = inForce("ledgerBeforeMain") ? "6.1 make the ledger" : "6.2 make main";
  return step(here, { mainBefore: null, ledgerSeen: null }, next);
}

function alarm(here: Here): CreationState {
  return { ...ended(here, here.state), broken: "noFalseAlarm" };
}

/** 6.1, 6.2: created exclusively, before SQLite opens it. */
function makeFile(here: Here, name: FileName, next: StepName): Moves {
  const { state, inForce } = here;
  const made = state[name] && inForce("keepsWhatIsThere") ? state : { ...state, [name]: EMPTY };
  const early = inForce("schemaInsideTransaction") ? null : made[name]?.schema ?? null;
  return [move(here, `make ${name}`, goTo(here, made, { early }, next))];
}

function begin(here: Here, name: FileName, next: StepName): Moves {
  if (here.state[name]?.lockedBy !== null) return [];
  return [
    move(here, `BEGIN ${name}`, goTo(here, changed(here.state, name, { lockedBy: here.self }), {}, next)),
  ];
}

/** 6.1: a lineage, and no epoch yet. */
function ledgerSchema(here: Here): Schema {
  const identity = identityOf(here);
  if (!here.inForce("ledgerBeforeMain")) return here.state.main?.schema ?? { lineage: identity, epoch: null };
  return { lineage: identity, epoch: here.inForce("epochComesLast") ? null : identity };
}

/** 6.2: the ledger's lineage, and a fresh epoch. */
function mainSchema(here: Here): Schema {
  const ledger = here.state.ledger?.schema;
  const identity = identityOf(here);
  return { lineage: ledger?.lineage ?? identity, epoch: ledger?.epoch ?? identity };
}

function identityOf(here: Here): number {
  return 1 + here.self * 8 + here.opener.opensLeft;
}

/** 6.1, 6.2: no schema, then this one; and on. */
function commitSchema(here: Here, name: FileName, schema: Schema): Moves {
  const { state, opener, inForce } = here;
  const there = inForce("schemaInsideTransaction") ? state[name]?.schema : opener.early;
  const order: readonly StepName[] = inForce("ledgerBeforeMain")
    ? ["6.1 commit the ledger", "6.2 make main", "6.2 commit main", "6.3 begin main"]
    : ["6.2 commit main", "6.1 make the ledger", "6.1 commit the ledger", "6.3 begin main"];
  const next = order[order.indexOf(opener.step) + 1] ?? "finished";
  if (there) return [move(here, `${name} has a schema`, goTo(here, rolledBack(state, here.self), {}, next))];
  return commit(here, name, schema, (committed) => goTo(here, committed, {}, next));
}

/** 6.3: BUSY rolls main back. */
function beginSecond(here: Here): Moves {
  if (here.state.ledger?.lockedBy === null) return begin(here, "ledger", "6.3 commit the ledger");
  return [move(here, "BUSY: roll back", goTo(here, rolledBack(here.state, here.self), {}, "6.3 begin main"))];
}

/** 6.3: epoch null, then main's; the store is open. */
function commitEpoch(here: Here): Moves {
  const { ledger, main } = here.state;
  if (!ledger?.schema || !main?.schema) return [move(here, "a schema is missing", alarm(here))];
  if (ledger.schema.epoch !== null) return [move(here, "the epoch is there: open", opened(here, here.state))];
  const named = { ...ledger.schema, epoch: main.schema.epoch };
  return commit(here, "ledger", named, (committed) => opened(here, committed));
}

function opened(here: Here, state: CreationState): CreationState {
  const schema = state.ledger?.schema ?? null;
  const same = !state.opened ||
    (schema?.lineage === state.opened.lineage && schema.epoch === state.opened.epoch);
  return {
    ...ended(here, state),
    opened: state.opened ?? schema,
    broken: same ? state.broken : "oneIdentity",
  };
}

/** COMMIT: done, or killed in it, or an error; in the last two it may surface. */
function commit(
  here: Here,
  name: FileName,
  schema: Schema,
  done: (state: CreationState) => CreationState,
): Moves {
  const { state } = here;
  const label = `COMMIT ${name}`;
  const moves: Move<CreationState>[] = [
    move(here, label, done(changed(state, name, { schema, lingering: null, lockedBy: null }))),
  ];
  const lingering = ended(here, changed(state, name, { lingering: schema }));
  if (state.crashesLeft > 0) {
    const killed = { ...lingering, crashesLeft: state.crashesLeft - 1 };
    moves.push({ ...move(here, `${label}: killed in it`, killed), kind: "crash" });
  }
  if (state.failuresLeft > 0) {
    const failed = { ...lingering, failuresLeft: state.failuresLeft - 1 };
    moves.push({ ...move(here, `${label}: an error`, failed), kind: "failure" });
  }
  return moves;
}

function crash(here: Here): Moves {
  const { state } = here;
  if (state.crashesLeft === 0) return [];
  const died = { ...ended(here, state), crashesLeft: state.crashesLeft - 1 };
  return [{ ...move(here, "crashes", died), kind: "crash" }];
}

function surfacing(state: CreationState, name: FileName): Moves {
  const database = state[name];
  if (!database?.lingering || database.lockedBy !== null) return [];
  const surfaced = changed(state, name, { schema: database.lingering, lingering: null });
  return [{ by: name, kind: "surfacing", label: "a commit surfaces", state: surfaced }];
}

/** This open is over, well or not; the next one is due. */
function ended(here: Here, state: CreationState): CreationState {
  const openers = state.openers.slice();
  openers[here.self] = started({ opensLeft: here.opener.opensLeft - 1 });
  return rolledBack({ ...state, openers }, here.self);
}

function rolledBack(state: CreationState, self: number): CreationState {
  const unlocked = (database: Database | null): Database | null =>
    database?.lockedBy === self ? { ...database, lockedBy: null } : database;
  return { ...state, ledger: unlocked(state.ledger), main: unlocked(state.main) };
}

function changed(state: CreationState, name: FileName, change: Partial<Database>): CreationState {
  return { ...state, [name]: { ...(state[name] ?? EMPTY), ...change } };
}

function goTo(here: Here, state: CreationState, change: Partial<Opener>, next: StepName): CreationState {
  const openers = state.openers.slice();
  openers[here.self] = { ...here.opener, ...change, step: next };
  return { ...state, openers };
}

function step(here: Here, change: Partial<Opener>, next: StepName): Moves {
  return [move(here, here.opener.step, goTo(here, here.state, change, next))];
}

function move(here: Here, label: string, state: CreationState): Move<CreationState> {
  return { by: `process ${here.self}`, kind: "step", label, state };
}
