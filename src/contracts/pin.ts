/** A pin: a keyed fact that every context of its scope carries while it is active. */

import { codePointLength } from "../canonical/text.ts";
import { compareInstants, type Instant, instantOf } from "../canonical/time.ts";
import { ContractError } from "../errors.ts";
import { Discreet, type Outline } from "./discreet.ts";
import {
  type Argument,
  type Fault,
  fields,
  integer,
  name,
  optional,
  refine,
  refusal,
  type Schema,
  text,
  time,
  transform,
  validate,
  validatePlain,
} from "./validate.ts";
import { sameScope, type Scope, scopeSchema } from "./scope.ts";
import { type SourceRef, sourceRefSchema } from "./source_ref.ts";

/** A pin as callers write it. */
export interface PinInput {
  /** Whose pin it is. */
  readonly scope: Scope;
  /** Identifies the pin in its scope; without U+0000. */
  readonly key: string;
  /** The text that contexts carry. */
  readonly value: string;
  /** Where it comes from, in the caller's words. */
  readonly origin: string;
  /** From 1; 1 where it is absent. */
  readonly revision?: number;
  /** RFC 3339 text with an offset, or a `Date`; left open where it is absent. */
  readonly effectiveAt?: string | Date | null;
  /** RFC 3339 text with an offset, or a `Date`, exclusive; never where it is absent. */
  readonly expiresAt?: string | Date | null;
  /** The text it was taken from, in the same scope. */
  readonly source?: SourceRef | null;
}

/** A pin, frozen; made by {@linkcode pin}. Printed, it shows ids and counts. */
export interface Pin {
  /** Whose pin it is. */
  readonly scope: Scope;
  /** Identifies the pin in its scope; without U+0000. */
  readonly key: string;
  /** The text that contexts carry. */
  readonly value: string;
  /** Where it comes from, in the caller's words. */
  readonly origin: string;
  /** From 1. */
  readonly revision: number;
  /** ISO text with its own offset; absent while it is open. */
  readonly effectiveAt?: string;
  /** ISO text with its own offset, exclusive; absent where it never expires. */
  readonly expiresAt?: string;
  /** The text it was taken from. */
  readonly source?: SourceRef;
}

/** A pin whose start is known: every pin that comes from a store. */
export interface TimedPin extends Pin {
  /** ISO text with its own offset. */
  readonly effectiveAt: string;
}

class PinValue extends Discreet implements Pin {
  readonly scope: Scope;
  readonly key: string;
  readonly value: string;
  readonly origin: string;
  readonly revision: number;
  declare readonly effectiveAt?: string;
  declare readonly expiresAt?: string;
  declare readonly source?: SourceRef;
  readonly #isRevisionOpen: boolean;

  constructor(fields: Pin & { readonly isRevisionOpen?: boolean }) {
    const { scope, key, value, origin, revision, effectiveAt, expiresAt, source } = fields;
    super();
    this.scope = scope;
    this.key = key;
    this.value = value;
    this.origin = origin;
    this.revision = revision;
    if (effectiveAt !== undefined) this.effectiveAt = effectiveAt;
    if (expiresAt !== undefined) this.expiresAt = expiresAt;
    if (source !== undefined) this.source = source;
    this.#isRevisionOpen = fields.isRevisionOpen ?? false;
    Object.freeze(this);
  }

  static is(value: unknown): value is PinValue {
    return typeof value === "object" && value !== null && #isRevisionOpen in value;
  }

  static isRevisionOpen(pin: Pin): boolean {
    return PinValue.is(pin) && pin.#isRevisionOpen;
  }

  protected override noun(): string {
    return "Pin";
  }

  protected override outline(): Outline {
    const { scope, key, revision, effectiveAt, expiresAt, source } = this;
    return {
      scope: { ...scope },
      key,
      revision,
      ...(effectiveAt === undefined ? {} : { effectiveAt }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(source === undefined ? {} : { sourceTurnId: source.turnId }),
      characters: codePointLength(this.value),
    };
  }
}

const EXPIRY_RULE = "must be after effectiveAt";

interface ValidatedPin {
  readonly scope: Scope;
  readonly effectiveAt?: Instant | null | undefined;
  readonly expiresAt?: Instant | null | undefined;
  readonly source?: SourceRef | null | undefined;
}

function faultOf({ scope, effectiveAt, expiresAt, source }: ValidatedPin): Fault | null {
  if (effectiveAt && expiresAt && compareInstants(expiresAt, effectiveAt) <= 0) {
    return [["expiresAt"], EXPIRY_RULE];
  }
  if (source && !sameScope(source.scope, scope)) return [["source", "scope"], "must be the pin's scope"];
  return null;
}

const pinSchema: Schema<PinValue> = transform(
  refine(
    fields({
      scope: scopeSchema,
      key: name,
      value: text,
      origin: text,
      revision: optional(integer(1)),
      effectiveAt: optional(time),
      expiresAt: optional(time),
      source: optional(sourceRefSchema),
    }),
    faultOf,
  ),
  ({ effectiveAt, expiresAt, source, revision, ...rest }) =>
    new PinValue({
      ...rest,
      revision: revision ?? 1,
      isRevisionOpen: typeof revision !== "number",
      ...(effectiveAt ? { effectiveAt: effectiveAt.text } : {}),
      ...(expiresAt ? { expiresAt: expiresAt.text } : {}),
      ...(source ? { source } : {}),
    }),
);

/**
 * Makes a pin: validates the fields and freezes them. A missing start stays open until the pin is stored or assembled.
 * A missing revision reads as 1, and means the next one when the pin is stored.
 *
 * @throws {ContractError} naming the field, such as `source.end`
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { pin } from "@holdfast/memory";
 *
 * const scope = { tenantId: "acme", sessionId: "ticket-4711" };
 * const language = pin({ scope, key: "language", value: "Answer in Welsh.", origin: "settings" });
 * assert.equal(language.revision, 1);
 * assert.throws(() => pin({ ...language, value: " " }), { code: "CONTRACT", field: "value" });
 * ```
 */
export function pin(input: PinInput): Pin {
  return toPin(input, "");
}

/**
 * Validates an argument as a pin, made by {@linkcode pin} or plain.
 *
 * @throws {ContractError} naming the path below `field`
 */
export function toPin(value: unknown, field = "pin"): Pin {
  return PinValue.is(value) ? value : validate(pinSchema, value, { field, noun: "pin" });
}

/** Validates a pin that is plain already, its times carried. Internal: for stored payloads. */
export function toPlainPin(value: unknown, place: Argument): Pin {
  return validatePlain(pinSchema, value, place);
}

/** Whether a pin's revision was left out, so that it means the next one. */
export function hasOpenRevision(pin: Pin): boolean {
  return PinValue.isRevisionOpen(pin);
}

/**
 * The pin, with its start filled in where it is open.
 *
 * @param effectiveAt ISO text
 * @throws {ContractError} naming `expiresAt`, where the pin would expire at its start or before
 */
export function effective(pin: Pin, effectiveAt: string, field = "pin"): TimedPin {
  if (isEffective(pin)) return pin;
  if (pin.expiresAt !== undefined && compareInstants(instantOf(pin.expiresAt), instantOf(effectiveAt)) <= 0) {
    throw refusal({ field, noun: "pin" }, ["expiresAt"], EXPIRY_RULE);
  }
  return new PinValue({ ...pin, effectiveAt }) as TimedPin;
}

/** The pin, which never expires so far, with a deadline. `expiresAt` is ISO text; `field` names it in errors. */
export function lasting(pin: TimedPin, expiresAt: string, field: string): TimedPin {
  if (compareInstants(instantOf(expiresAt), instantOf(pin.effectiveAt)) <= 0) {
    throw new ContractError(field, `${field} ${EXPIRY_RULE}`);
  }
  return new PinValue({ ...pin, expiresAt }) as TimedPin;
}

/** Whether a pin's start is known. */
export function isEffective(pin: Pin): pin is TimedPin {
  return pin.effectiveAt !== undefined;
}

/** Whether a pin counts at an instant: `effectiveAt <= at < expiresAt`. */
export function isActive(pin: TimedPin, at: Instant): boolean {
  if (compareInstants(instantOf(pin.effectiveAt), at) > 0) return false;
  return pin.expiresAt === undefined || compareInstants(at, instantOf(pin.expiresAt)) < 0;
}
