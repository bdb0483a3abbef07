/** Copies what a caller hands in to plain JSON, once, before any schema looks at it. */

/**
 * A JSON value. Numbers are finite and never -0; texts are well-formed Unicode.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type Json, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * const answer: Json = { count: 2, trees: ["pears", null] };
 * await conversation.create();
 * const snapshot = await conversation.snapshot();
 * await conversation.cachePut(snapshot, "which-trees", answer);
 * assert.deepEqual(await conversation.cacheGet(snapshot, "which-trees"), answer);
 * ```
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A place inside a value: names and positions from the root. */
export type JsonPath = readonly (string | number)[];

/** Nesting that is still read: far above any schema in use, far below the stack's end. */
export const JSON_DEPTH_MAX = 128;

/** Values in one tree: stops shared references from unfolding without end. */
const JSON_NODES_MAX = 1_000_000;

/** A value is not plain JSON. Internal: callers turn it into a `ContractError` for their field. */
export class PlainFailure extends Error {
  /** Where the offending value stands. */
  readonly path: JsonPath;
  /** The rule it breaks, as the end of a sentence: "must be …". */
  readonly rule: string;

  /** Makes the failure for one place. */
  constructor(path: JsonPath, rule: string) {
    super(rule);
    this.path = path;
    this.rule = rule;
  }
}

/** What {@linkcode copyPlain} may be told about special values. */
interface PlainOptions {
  /** Whether an object's field that is `undefined` counts as missing; otherwise it is refused. */
  readonly undefinedIsAbsent?: boolean;
  /** Turns a special object (a `Date`, say) into JSON; `undefined` leaves it to the rules. */
  readonly leaf?: (value: object) => Json | undefined;
}

/**
 * A deep copy in plain JSON: own enumerable keys, all of them text, data properties only, prototypes `Object`, `Array` or none,
 * dense arrays, finite numbers without -0, well-formed text. A schema library alone lets getters, inherited keys,
 * symbols, proxies and -0 through.
 *
 * @throws {PlainFailure} naming the place and the rule
 */
export function copyPlain(value: unknown, options: PlainOptions = {}): Json {
  const copier = new Copier(options);
  return copier.copy(value, 0);
}

class Copier {
  readonly #options: PlainOptions;
  readonly #path: (string | number)[] = [];
  #nodes = 0;

  constructor(options: PlainOptions) {
    this.#options = options;
  }

  copy(value: unknown, depth: number): Json {
    if (++this.#nodes > JSON_NODES_MAX) this.#fail(`must hold at most ${JSON_NODES_MAX} values`);
    switch (typeof value) {
      case "string":
        if (!value.isWellFormed()) this.#fail("must be well-formed Unicode");
        return value;
      case "number":
        if (!Number.isFinite(value)) this.#fail("must be a finite number");
        if (Object.is(value, -0)) this.#fail("must not be -0");
        return value;
      case "boolean":
        return value;
      case "object":
        if (value === null) return null;
        if (depth >= JSON_DEPTH_MAX) this.#fail(`must be nested at most ${JSON_DEPTH_MAX} deep`);
        return this.#copyObject(value, depth);
      default:
        return this.#fail("must be plain JSON");
    }
  }

  #copyObject(value: object, depth: number): Json {
    if (isProxy(value)) this.#fail("must be plain JSON");
    const leaf = this.#options.leaf?.(value);
    if (leaf !== undefined) return leaf;
    const prototype = Object.getPrototypeOf(value);
    if (Array.isArray(value)) {
      if (prototype !== Array.prototype) this.#fail("must be plain JSON");
      return this.#copyArray(value, depth);
    }
    if (prototype !== Object.prototype && prototype !== null) this.#fail("must be plain JSON");
    return this.#copyFields(value, depth);
  }

  #copyArray(value: readonly unknown[], depth: number): Json {
    const copy: Json[] = [];
    if (value.length > JSON_NODES_MAX) this.#fail(`must hold at most ${JSON_NODES_MAX} values`);
    if (Reflect.ownKeys(value).length !== value.length + 1) {
      this.#fail("must be a dense array without extra fields");
    }
    for (let index = 0; index < value.length; index++) {
      this.#path.push(index);
      copy.push(this.copy(this.#read(value, String(index)), depth + 1));
      this.#path.pop();
    }
    return copy;
  }

  #copyFields(value: object, depth: number): Json {
    const copy: Record<string, Json> = {};
    for (const key of Reflect.ownKeys(value)) {
      if (typeof key !== "string") {
        if (Object.prototype.propertyIsEnumerable.call(value, key)) this.#fail("must have text keys only");
        continue; // what no copy takes along, such as the way in which what this module gave is printed
      }
      if (!key.isWellFormed()) this.#fail("must have well-formed keys");
      this.#path.push(key);
      const field = this.#read(value, key);
      if (field !== undefined || this.#options.undefinedIsAbsent !== true) {
        setOwn(copy, key, this.copy(field, depth + 1));
      }
      this.#path.pop();
    }
    return copy;
  }

  #read(value: object, key: string): unknown {
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    if (descriptor === undefined || !("value" in descriptor) || descriptor.enumerable !== true) {
      this.#fail("must be a plain data field");
    }
    return descriptor.value;
  }

  #fail(rule: string): never {
    throw new PlainFailure([...this.#path], rule);
  }
}

/** Sets an own field whatever its name: plain assignment to `__proto__` would change the prototype instead. */
function setOwn(target: Record<string, Json>, key: string, value: Json): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

let isProxyOrNull: ((value: unknown) => boolean) | null = null;

/** Whether an object is a proxy, which could answer differently each time; loaded when the first object is copied. */
export function isProxy(value: object): boolean {
  isProxyOrNull ??= process.getBuiltinModule("node:util").types.isProxy;
  return isProxyOrNull(value);
}
