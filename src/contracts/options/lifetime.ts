/** How long something is kept: the options `ttl` and `expiresAt`, which every call that sets a lifetime takes. */

import { type Instant, toInstant } from "../../canonical/time.ts";
import { ContractError } from "../../errors.ts";
import { RECORD_SECONDS_MAX } from "../../limits.ts";
import { requireInteger } from "../arguments.ts";

/**
 * When what is stored expires, in one of two ways; both together are refused. A repeated operation id compares what was
 * given: the same `ttl` is the same input, although it would end later.
 */
export interface Lifetime {
  /** Seconds from the call until it expires; null for never. */
  readonly ttl?: number | null | undefined;
  /** When it expires: RFC 3339 text with an offset, or a `Date`; null for never. */
  readonly expiresAt?: string | Date | null | undefined;
}

/** A lifetime where one must be given: exactly one of the two. */
export type RequiredLifetime =
  & Lifetime
  & ({ readonly ttl: number | null } | { readonly expiresAt: string | Date | null });

/** The names of the two options. */
export const LIFETIME_NAMES = ["ttl", "expiresAt"] as const;

/** A lifetime that ends, validated. */
export type Ending = { readonly ttl: number } | { readonly at: Instant };

/** What a call accepts as a lifetime. */
interface LifetimeRule {
  /** The longest `ttl`, in seconds. */
  readonly ttlMax?: number;
  /** Whether null, for never, is accepted. */
  readonly orNever?: boolean;
}

/** Validates the two options: undefined where neither is given, null where it never ends. */
export function readLifetime(
  { ttl, expiresAt }: Partial<Record<(typeof LIFETIME_NAMES)[number], unknown>>,
  { ttlMax = RECORD_SECONDS_MAX, orNever = true }: LifetimeRule = {},
): Ending | null | undefined {
  if (ttl !== undefined && expiresAt !== undefined) throw twoLifetimes("ttl", "expiresAt");
  if (ttl === undefined && expiresAt === undefined) return undefined;
  if (orNever && (ttl === null || expiresAt === null)) return null;
  if (expiresAt !== undefined) return { at: toInstant(expiresAt, "expiresAt") };
  return { ttl: requireInteger("ttl", ttl, 1, ttlMax, orNever ? ", or null" : "") };
}

/** Validates the two options next to a lifetime that what is put may have in a `field` of its own: one of them at most. */
export function readOnlyLifetime(
  given: Parameters<typeof readLifetime>[0],
  own: string | undefined,
  field: string,
): Ending | null | undefined {
  const lifetime = readLifetime(given);
  if (lifetime === undefined || own === undefined) return lifetime;
  throw twoLifetimes(given.ttl === undefined ? "expiresAt" : "ttl", field);
}

function twoLifetimes(field: string, other: string): ContractError {
  return new ContractError(field, `Expected ${field} or ${other}, not both`);
}

/** The option that a lifetime was given in. */
export function lifetimeField(ending: Ending): "ttl" | "expiresAt" {
  return "ttl" in ending ? "ttl" : "expiresAt";
}

/** A lifetime as an operation id compares it: as it was given. */
export function lifetimeText(ending: Ending | null): string | null {
  if (ending === null) return null;
  return "ttl" in ending ? String(ending.ttl) : ending.at.text;
}
