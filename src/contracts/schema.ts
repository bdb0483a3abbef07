/**
 * Schemas for arguments, as a handful of combinators. Libraries were tried: docs/adr/0003 (zod) and docs/adr/0021
 * (valibot).
 */

import type { JsonPath } from "../canonical/plain.ts";
import { fieldMeantBy, formerName } from "./arguments.ts";

/** The way to the value that is being read; each schema puts back what it takes. */
type Way = (string | number)[];

/** What a schema says of its insides, so that errors can tell which names are its own. */
interface Inside {
  readonly shape?: Readonly<Record<string, unknown>>;
  readonly element?: unknown;
}

/** Reads plain JSON as a `T`, or refuses it at the first rule it breaks. */
export interface Schema<T> {
  readonly read: (value: unknown, way: Way) => T;
  readonly def?: Inside;
}

/** A schema for a field that may be missing; `undefined` and `null` count as missing. */
interface OptionalSchema<T> extends Schema<T | null | undefined> {
  readonly optional: true;
}

/** A value broke a rule. Internal: callers turn it into an error of theirs. */
export class Refused extends Error {
  /** Where, from the value that was read. */
  readonly path: JsonPath;
  /** The rule, as the end of a sentence: "must be …". */
  readonly rule: string;
  /** The key that is not a field, where that is the rule. */
  readonly key: string | null;

  /** Makes the refusal for one place. */
  constructor(path: JsonPath, rule: string, key: string | null = null) {
    super(rule);
    this.path = path;
    this.rule = rule;
    this.key = key;
  }
}

/** A broken rule: where, from the value that the rule looks at, and what must hold. */
export type Fault = readonly [path: readonly (string | number)[], rule: string];

/** Any value. */
export const anything: Schema<unknown> = { read: (value) => value };

/** A value for which a test holds. */
export function where<T>(test: (value: unknown) => value is T, rule: string): Schema<T> {
  return {
    read: (value, way) => {
      if (test(value)) return value;
      throw new Refused([...way], rule);
    },
  };
}

/** Text, empty or not, well-formed or not. */
export const string: Schema<string> = where((value) => typeof value === "string", "must be text");

/** True or false. */
export const boolean: Schema<boolean> = where((value) => typeof value === "boolean", "must be true or false");

/** A whole number within bounds. */
export function integer(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): Schema<number> {
  const bounds = maximum === Number.MAX_SAFE_INTEGER
    ? `of at least ${minimum}`
    : `from ${minimum} to ${maximum}`;
  return where(
    (value): value is number =>
      typeof value === "number" && Number.isSafeInteger(value) && value >= minimum && value <= maximum,
    `must be a whole number ${bounds}`,
  );
}

/** One of a few values. */
export function oneOf<const T extends string | number>(values: readonly T[], rule: string): Schema<T> {
  return where((value): value is T => (values as readonly unknown[]).includes(value), rule);
}

/** A schema with one more rule, which looks at the whole value and returns the first fault. */
export function refine<T>(schema: Schema<T>, faultOf: (value: T) => Fault | null): Schema<T> {
  return {
    ...schema,
    read: (value, way) => {
      const good = schema.read(value, way);
      const fault = faultOf(good);
      if (fault === null) return good;
      throw new Refused([...way, ...fault[0]], fault[1]);
    },
  };
}

/** A schema whose value is made into something else once it is valid. */
export function transform<T, U>(schema: Schema<T>, make: (value: T) => U): Schema<U> {
  return { ...schema, read: (value, way) => make(schema.read(value, way)) };
}

/** A field that may be missing. */
export function optional<T>(schema: Schema<T>): OptionalSchema<T> {
  return {
    ...schema,
    optional: true,
    read: (value, way) => value === undefined || value === null ? value : schema.read(value, way),
  };
}

/** A list of items. */
export function list<T>(item: Schema<T>): Schema<T[]> {
  return {
    def: { element: item },
    read: (value, way) => {
      if (!Array.isArray(value)) throw new Refused([...way], "must be a list");
      return value.map((each, index) => {
        way.push(index);
        const good = item.read(each, way);
        way.pop();
        return good;
      });
    },
  };
}

type Shape = Readonly<Record<string, Schema<unknown>>>;
type ValueOf<S> = S extends Schema<infer T> ? T : never;
type OptionalKeys<S> = { [K in keyof S]: S[K] extends { readonly optional: true } ? K : never }[keyof S];

/** The object that a shape reads. */
type Fields<S> =
  & { -readonly [K in Exclude<keyof S, OptionalKeys<S>>]: ValueOf<S[K]> }
  & { -readonly [K in OptionalKeys<S>]?: ValueOf<S[K]> };

/** An object with exactly these fields, validated in this order. */
export function fields<const S extends Shape>(shape: S): Schema<Fields<S>> {
  const names = Object.keys(shape);
  const schemas = Object.values(shape);
  return {
    def: { shape },
    read: (value, way) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        throw new Refused([...way], "must be an object");
      }
      const given = value as Readonly<Record<string, unknown>>;
      const good: Record<string, unknown> = {};
      let known = 0;
      for (let index = 0; index < names.length; index++) {
        const name = names[index]!;
        const schema = schemas[index]!;
        const there = Object.hasOwn(given, name);
        if (there) known++;
        else if ("optional" in schema) continue;
        else refuseOtherNames(given, names, way, { onlyKnown: true });
        way.push(name);
        good[name] = schema.read(there ? given[name] : undefined, way);
        way.pop();
      }
      if (Object.keys(given).length !== known) refuseOtherNames(given, names, way, { onlyKnown: false });
      return good as Fields<S>;
    },
  };
}

/** Refuses a key that is not a field; with `onlyKnown` only if it is known which field is meant. */
function refuseOtherNames(
  given: Readonly<Record<string, unknown>>,
  names: readonly string[],
  way: Way,
  { onlyKnown }: { readonly onlyKnown: boolean },
): void {
  const others = Object.keys(given).filter((name) => !names.includes(name));
  const former = others.map((name) => formerName(name, names)).find((found) => found !== null);
  if (former) throw new Refused([...way], `has no field ${former.name} any more: say ${former.successor}`);
  for (const other of others) {
    const meant = fieldMeantBy(other, names);
    if (meant !== null) throw new Refused([...way], `is not a field; did you mean ${meant}?`, other);
  }
  if (onlyKnown || others.length === 0) return;
  throw new Refused([...way], `is not a field; the fields are ${names.join(", ")}`, others[0]);
}
