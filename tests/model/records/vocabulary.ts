/** What the model test talks about: a few tenants, kinds and keys, so that calls meet each other often. */

import { defineKind, type RecordKind } from "@holdfast/memory";
import { z } from "zod";

/** One record's name. */
export interface Identity {
  readonly tenantId: string;
  readonly kind: string;
  readonly key: string;
}

/** What one version of the counter adds to the values of the version before. */
const PER_VERSION = 1_000_000_000;

/** A counter that needs no deadline, in one of its versions. */
export function counterOf(version: number): RecordKind<{ n: number }> {
  return defineKind("counter", z.strictObject({ n: z.int() }), {
    version,
    migrate: (value, from) => migrated("counter", value, version - from),
  });
}

/** A value as it is read by a kind that is so many versions newer. */
export function migrated(kind: string, value: unknown, versions: number): unknown {
  if (kind !== "counter") return value;
  return { n: (value as { readonly n: number }).n + versions * PER_VERSION };
}

/** Notes: tenants and keys of any text, small values, deadlines of at most a minute. */
export const NOTE: RecordKind<{ body: string }> = defineKind("note", z.strictObject({ body: z.string() }), {
  maxBytes: 120,
  ttlMax: 60,
  identifiers: "text",
});

/** The kinds of the caller's that every store of the model test is opened with. */
export function kindsOf(version: number): readonly RecordKind[] {
  return [counterOf(version), NOTE];
}

const NARROW_TENANTS = ["orchard", "harbour"];
const NARROW_KEYS = ["a", "a-1", "b"];
const TEXT_TENANTS = ["orchard", "Grün/50% _", "\u{1f33e}"];
const TEXT_KEYS = ["a", "A", "a/b \u{fffd}", "\u{10000}"];

/** Every tenant. */
export const TENANTS: readonly string[] = [...new Set([...NARROW_TENANTS, ...TEXT_TENANTS])];

/** Every identity that is ever used. */
export const IDENTITIES: readonly Identity[] = [
  ...["checkpoint", "fact", "counter"].flatMap((kind) => identities(NARROW_TENANTS, kind, NARROW_KEYS)),
  ...identities(TEXT_TENANTS, "note", TEXT_KEYS),
];

function identities(tenants: readonly string[], kind: string, keys: readonly string[]): Identity[] {
  return tenants.flatMap((tenantId) => keys.map((key) => ({ tenantId, kind, key })));
}

/** A value that fits a kind and tells which write it came from. */
export function valueFor(kind: string, mark: number): Record<string, unknown> {
  if (kind === "checkpoint") return { schema: 1, step: mark % 3, items: [`item ${mark}`, "\u2603\u{1f33e}"] };
  if (kind === "fact") {
    return { schema: 1, text: `text ${mark}`, source: "\u0007\u00e9", reviewed: mark % 2 === 0 };
  }
  return kind === "counter" ? { n: mark } : { body: `note ${mark} \u4e2d` };
}

/** One text for an identity. */
export function nameOf({ tenantId, kind, key }: Identity): string {
  return JSON.stringify([tenantId, kind, key]);
}
