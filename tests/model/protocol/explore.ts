/** Exhaustive search, breadth first, so that the first violation found has a shortest trace. Knows nothing of the protocol. */

/** Steps lead on; failures, crashes and surfacing commits only happen, and nothing may depend on them. */
export type MoveKind = "step" | "failure" | "crash" | "surfacing";

/** One thing that can happen next: who does it, what it is, and the state it leads to. */
export interface Move<State> {
  readonly by: string;
  readonly kind: MoveKind;
  readonly label: string;
  readonly state: State;
}

/** What can be searched. */
export interface Model<State> {
  readonly start: State;
  readonly moves: (state: State) => readonly Move<State>[];
  /** Equal keys, equal futures. */
  readonly key: (state: State) => string;
  readonly brokenPromise: (state: State) => string | null;
  readonly isFinished: (state: State) => boolean;
}

export interface SearchResult {
  readonly states: number;
  /** For every promise that was broken, a shortest trace to it. */
  readonly broken: ReadonlyMap<string, readonly string[]>;
}

/** A search that meets more states throws: a Map holds at most 2^24 of them. */
export const STATES_MAX = 2 ** 24 - 1;

/** Visits every reachable state; from one that breaks a promise it does not go on. */
export function explore<State>(model: Model<State>): SearchResult {
  const found = new Discovery(model);
  const broken = new Map<string, readonly string[]>();
  for (let number = 0; number < found.states; number++) {
    const state = found.take(number);
    const promise = model.brokenPromise(state) ?? visit(model, found, number, state);
    if (promise && !broken.has(promise)) broken.set(promise, found.traceTo(number));
  }
  return { states: found.states, broken };
}

/** Reaches what can happen next; gives the promise that is broken where nothing can. */
function visit<State>(
  model: Model<State>,
  found: Discovery<State>,
  number: number,
  state: State,
): string | null {
  const moves = model.moves(state);
  for (const move of moves) found.reach(move, number);
  return model.isFinished(state) || moves.some((move) => move.kind === "step") ? null : "noDeadlock";
}

export interface EndingResult {
  readonly states: number;
  /** A shortest trace to a state from which steps alone, without further crashes and failures, never finish. */
  readonly trap: readonly string[] | null;
}

/** Asks of every reachable state whether some run of mere steps finishes from there. */
export function exploreEndings<State>(model: Model<State>): EndingResult {
  const found = new Discovery(model);
  const leadsTo: number[][] = [];
  const finished: number[] = [];
  for (let number = 0; number < found.states; number++) {
    const state = found.take(number);
    if (model.isFinished(state)) finished.push(number);
    for (const move of model.moves(state)) {
      const next = found.reach(move, number);
      if (move.kind === "step") (leadsTo[next] ??= []).push(number);
    }
  }
  const trap = firstMissing(reachBack(finished, leadsTo), found.states);
  return { states: found.states, trap: trap === null ? null : found.traceTo(trap) };
}

function reachBack(from: readonly number[], leadsTo: readonly (readonly number[])[]): ReadonlySet<number> {
  const reached = new Set(from);
  for (const number of reached) {
    for (const before of leadsTo[number] ?? []) reached.add(before);
  }
  return reached;
}

function firstMissing(reached: ReadonlySet<number>, states: number): number | null {
  for (let number = 0; number < states; number++) if (!reached.has(number)) return number;
  return null;
}

/** States in the order they were found, each with the move that found it. */
class Discovery<State> {
  readonly #numbers = new Map<string, number>();
  readonly #waiting: (State | null)[] = [];
  readonly #parents: number[] = [];
  readonly #labels: string[] = [];
  readonly #model: Model<State>;

  constructor(model: Model<State>) {
    this.#model = model;
    this.reach({ by: "", kind: "step", label: "", state: model.start }, 0);
  }

  get states(): number {
    return this.#parents.length;
  }

  /** The number of the state that a move leads to. */
  reach(move: Move<State>, from: number): number {
    const key = this.#model.key(move.state);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.states;
    if (number > STATES_MAX) throw new Error(`more than ${STATES_MAX} states: take a smaller pair`);
    this.#numbers.set(key, number);
    this.#waiting.push(move.state);
    this.#parents.push(from);
    this.#labels.push(`${move.by}: ${move.label}`);
    return number;
  }

  /** A state whose turn has come; it is kept no longer. */
  take(number: number): State {
    const state = this.#waiting[number];
    if (!state) throw new Error("a state is visited once");
    this.#waiting[number] = null;
    return state;
  }

  /** What happened, from the start to a state. */
  traceTo(number: number): readonly string[] {
    const trace: string[] = [];
    for (let at = number; at !== 0; at = this.#parents[at] ?? 0) trace.push(this.#labels[at] ?? "");
    return trace.reverse();
  }
}
