/** Modules that are imported when they are first called for, since every module counts at every start; and what such calls were handed. */

import { isProxy, JSON_DEPTH_MAX } from "../canonical/plain.ts";

/**
 * One such module. Calls take their place (in a queue, say) at once and wait for it there, so that the first call, which
 * has to load it, keeps its order among the others.
 */
export class LateModule<Module> {
  readonly #import: () => Promise<Module>;
  #module: Module | null = null;
  #loading: Promise<void> | undefined;
  #failure: unknown;

  constructor(load: () => Promise<Module>) {
    this.#import = load;
  }

  /** Begins to load it; undefined once it is there. Never rejects: {@linkcode LateModule.module} tells of a failure. */
  load(): Promise<void> | undefined {
    if (this.#module !== null) return undefined;
    this.#loading ??= this.#begin();
    return this.#loading;
  }

  /** The module; throws what kept it from being loaded. */
  get module(): Module {
    if (this.#module === null) throw this.#failure;
    return this.#module;
  }

  async #begin(): Promise<void> {
    try {
      this.#module = await this.#import();
    } catch (error) {
      this.#failure = error;
      this.#loading = undefined;
    }
  }
}

/**
 * Validates arguments with a module that is loaded late. If the module is there already, it validates them now; otherwise
 * it validates copies that are made now, so that the caller may change its arguments as soon as the call returns.
 */
export async function validateLate<Module, const Given extends readonly unknown[], Validated>(
  late: LateModule<Module>,
  given: Given,
  validate: (module: Module, given: Given) => Validated,
): Promise<Validated> {
  const loading = late.load();
  if (loading === undefined) return validate(late.module, given);
  const copies = captured(given);
  await loading;
  return validate(late.module, copies);
}

/**
 * A copy of plain data: objects without a class, lists and dates. Everything else is kept as it is: what this module made
 * is frozen, and what has functions (a counter, a policy) acts, so that a copy would not be the same. Nothing is validated:
 * a getter stays a getter, and what is nested too deep to be validated good is not copied.
 */
function captured<T>(value: T): T {
  return new Capture().copy(value, 0) as T;
}

class Capture {
  /** What was copied already: shared and cyclic references stay what they are. */
  readonly #copies = new Map<object, object>();

  copy(value: unknown, depth: number): unknown {
    if (typeof value !== "object" || value === null || isProxy(value)) return value;
    if (value instanceof Uint8Array) return new Uint8Array(value);
    const known = this.#copies.get(value);
    if (known !== undefined) return known;
    const copy = depth > JSON_DEPTH_MAX ? null : emptyCopyOf(value);
    if (copy === null) return value;
    this.#copies.set(value, copy);
    for (const key of Reflect.ownKeys(value)) {
      const descriptor = Object.getOwnPropertyDescriptor(value, key)!;
      if ("value" in descriptor) descriptor.value = this.copy(descriptor.value, depth + 1);
      Object.defineProperty(copy, key, descriptor);
    }
    return copy;
  }
}

/** What a copy begins as; null for what is not copied. */
function emptyCopyOf(value: object): object | null {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value)) return prototype === Array.prototype ? [] : null;
  if (prototype === Date.prototype) return dateOf(value);
  if (prototype !== Object.prototype && prototype !== null) return null;
  const acts = Object.values(Object.getOwnPropertyDescriptors(value)).some((descriptor) =>
    typeof descriptor.value === "function"
  );
  return acts ? null : Object.create(prototype);
}

/** A date of the same time; null for what is none inside. */
function dateOf(value: object): Date | null {
  try {
    return new Date(Date.prototype.getTime.call(value));
  } catch {
    return null;
  }
}
