/** Copies a caller's value to plain JSON, once, before any schema validates it. */

/** A JSON value. Numbers are finite and never -0; texts are well-formed Unicode. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A path inside a value: field names and array positions, from the root. */
export type JsonPath = readonly (string | number)[];

/** Deepest nesting that is accepted: far above any schema in use, and far below a stack overflow. */
export const JSON_DEPTH_MAX = 128;

/** Most values in one tree, because references that are shared could expand without end. */
const JSON_NODES_MAX = 1_000_000;

/** Thrown if a value is not plain JSON. Internal: callers turn it into a `ContractError` for their field. */
export class PlainFailure extends Error {
  /** The path of the offending value. */
  readonly path: JsonPath;
  /** The rule that it breaks, as the end of a sentence: "must be …". */
  readonly rule: string;

  /** Creates the error for one path. */
  constructor(path: JsonPath, rule: string) {
    super(rule);
    this.path = path;
    this.rule = rule;
  }
}

/** How {@linkcode copyPlain} treats special values. */
interface PlainOptions {
  /** Whether a field that is `undefined` counts as absent; otherwise it is refused. */
  readonly undefinedIsAbsent?: boolean;
  /** Turns a special object, such as a `Date`, into JSON; `undefined` applies the usual rules to it. */
  readonly leaf?: (value: object) => Json | undefined;
}

/**
 * Copies a value deeply to plain JSON. Accepts own enumerable data properties with text keys; prototypes `Object`,
 * `Array` or none; dense arrays; finite numbers other than -0; and well-formed text. A schema library alone lets
 * getters, inherited keys, symbols, proxies and -0 through.
 *
 * @throws {PlainFailure} with the path and the rule
 */
export function copyPlain(value: unknown, options: PlainOptions = {}): Json {
  const copier = new Copier(options);
  return copier.copy(value, 0);
}

/** What to do about a value of a type that JSON does not have. */
const ADVICE = {
  undefined: "undefined: leave the field out, or use null",
  bigint: "a bigint: use a number or a text",
  symbol: "a symbol",
  function: "a function",
} as const;

/** The same for objects, by their prototype; nothing of the object itself is asked. */
const ADVICE_BY_PROTOTYPE: ReadonlyMap<object, string> = new Map<object, string>([
  [Date.prototype, "a Date: use its toISOString()"],
  [Map.prototype, "a Map: use Object.fromEntries() or a list of its entries"],
  [Set.prototype, "a Set: use a list"],
]);

function ruleFor(prototype: object): string {
  return `must be plain JSON, not ${ADVICE_BY_PROTOTYPE.get(prototype) ?? "an object of a class"}`;
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
        return this.#fail(`must be plain JSON, not ${ADVICE[typeof value as keyof typeof ADVICE]}`);
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
    if (prototype !== Object.prototype && prototype !== null) this.#fail(ruleFor(prototype));
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
        continue; // no copy keeps these: the method that prints this module's own values, for example
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

/** Sets an own field of any name. Plain assignment to `__proto__` would change the prototype instead. */
function setOwn(target: Record<string, Json>, key: string, value: Json): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

let isProxyOrNull: ((value: unknown) => boolean) | null = null;

/** Whether an object is a proxy, which could return another value each time. Loads `node:util` on first use. */
export function isProxy(value: object): boolean {
  isProxyOrNull ??= process.getBuiltinModule("node:util").types.isProxy;
  return isProxyOrNull(value);
}
