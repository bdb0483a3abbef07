/** Objects that print as ids and counts; their fields, and with them JSON and copies, are whole. */

/** Ids and counts. */
export type Outline = Readonly<Record<string, unknown>>;

type Inspect = (value: unknown, options?: unknown) => string;

/** What `console.log`, `Deno.inspect` and `util.inspect` ask an object for. */
const INSPECT: unique symbol = Symbol.for("nodejs.util.inspect.custom");

/** What is printed of an object. */
function inspected(noun: string, outline: Outline, options: unknown, inspect: Inspect): string {
  return `${noun} ${inspect(outline, options)}`;
}

/**
 * Makes a function that lets plain objects print as their outline. The property is not enumerable, so that copies,
 * comparisons, JSON and `structuredClone` see a plain object with its fields.
 */
export function printedAs<T extends object>(noun: string, outlineOf: (value: T) => Outline): (value: T) => T {
  const descriptor = {
    value(this: T, _depth: number, options: unknown, inspect: Inspect): string {
      return inspected(noun, outlineOf(this), options, inspect);
    },
  };
  return (value) => Object.defineProperty(value, INSPECT, descriptor);
}

/**
 * The base of such objects. The methods live on prototypes, so that the fields alone are enumerable: a spread, JSON and
 * `structuredClone` copy them, and a comparison of two such objects compares them. Subclasses freeze what they make.
 */
export abstract class Discreet {
  /** Tells what was made here from look-alikes. */
  readonly #made = true;

  /** Whether an object was made by a class of this kind: its fields were validated, and it is frozen. */
  static isDiscreet(value: object): value is Discreet {
    return #made in value;
  }

  /** The name that printing shows. */
  protected abstract noun(): string;

  /** Ids and counts, for printing. */
  protected abstract outline(): Outline;

  /** What is printed. */
  [INSPECT](
    _depth: number,
    options: unknown,
    inspect: Inspect,
  ): string {
    return inspected(this.noun(), this.outline(), options, inspect);
  }
}
