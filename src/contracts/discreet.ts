/** Objects that show ids and counts when they are printed, and their text only when it is asked for. */

import { ContractError } from "../errors.ts";

/**
 * What an export holds.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type ExportOptions, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const talk = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await talk.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const [turn] = await Array.fromAsync(talk.turns());
 * const whole: ExportOptions = { includeContent: true };
 * assert(JSON.stringify(turn?.export(whole)).includes("grafted"));
 * ```
 */
export interface ExportOptions {
  /** Whether the text is included; without it, ids and counts only. */
  readonly includeContent?: boolean;
}

/**
 * A plain object, ready for `JSON.stringify`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type ExportedFields, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const talk = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await talk.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const [turn] = await Array.fromAsync(talk.turns());
 * const shown: ExportedFields = turn!.export();
 * assert.equal(shown.messages, 1); // how many, not what they say
 * ```
 */
export type ExportedFields = Readonly<Record<string, unknown>>;

/**
 * An object that prints as ids and counts, with `console.log` and `Deno.inspect` as with `JSON.stringify`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type Exportable, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const talk = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await talk.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const told: Exportable[] = [await talk.snapshot(), ...await Array.fromAsync(talk.turns())];
 * assert(!JSON.stringify(told).includes("grafted"));
 * assert(!Deno.inspect(told).includes("grafted"));
 * ```
 */
export interface Exportable {
  /**
   * A fresh plain copy: ids and counts; with `includeContent`, every field instead.
   *
   * @throws {ContractError} where `includeContent` is no boolean
   */
  export(options?: ExportOptions): ExportedFields;
}

type Inspect = (value: unknown, options?: unknown) => string;

/**
 * The base of such objects. The methods live on prototypes, so that the fields alone are enumerable: a spread copies
 * them, and a comparison of two such objects compares them. Subclasses freeze what they make.
 */
export abstract class Discreet implements Exportable {
  /** Tells what was made here from look-alikes. */
  readonly #made = true;

  /** Whether an object was made by a class of this kind: its fields were judged, and it is frozen. */
  static isDiscreet(value: object): value is Discreet {
    return #made in value;
  }

  /** The name that printing shows. */
  protected abstract noun(): string;

  /** Ids and counts, for printing. */
  protected abstract outline(): ExportedFields;

  /** A fresh plain copy: ids and counts; with `includeContent`, every field instead. */
  export({ includeContent = false }: ExportOptions = {}): ExportedFields {
    if (typeof includeContent !== "boolean") {
      throw new ContractError("includeContent", "includeContent must be a boolean");
    }
    return includeContent ? structuredClone(Object.fromEntries(Object.entries(this))) : this.outline();
  }

  /** What `JSON.stringify` writes. */
  toJSON(): ExportedFields {
    return this.outline();
  }

  /** What `console.log`, `Deno.inspect` and `util.inspect` show: all three ask for this one symbol. */
  [Symbol.for("nodejs.util.inspect.custom")](_depth: number, options: unknown, inspect: Inspect): string {
    return `${this.noun()} ${inspect(this.outline(), options)}`;
  }
}
