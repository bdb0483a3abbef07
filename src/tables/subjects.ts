/** People whose data sessions and records are: by hash, which is what counts, and by the names that callers gave them. */

import { equalBytes, keyedHash } from "../canonical/keyed_hash.ts";

/** The hash of a person whose data sessions and records of a tenant are. */
export function hashOfSubject(hashKey: Uint8Array, tenant: string, subject: string): Uint8Array {
  return keyedHash(hashKey, ["subject", tenant, subject]);
}

/** The same of a subject that may be missing. */
export function hashOfSubjectOrNull(
  hashKey: Uint8Array,
  tenant: string,
  subject: string | null,
): Uint8Array | null {
  return subject === null ? null : hashOfSubject(hashKey, tenant, subject);
}

/** A person by hash, and the names that may be the person's. */
export interface NamedSubject {
  readonly tenant: string;
  readonly subject: Uint8Array | null;
  readonly names: readonly string[];
}

/**
 * The name of a person; null where there is none, or it is not known. Until an event of the ledger says that something is
 * another person's from now on, it has the names of both.
 */
export function nameOf(hashKey: Uint8Array, { tenant, subject, names }: NamedSubject): string | null {
  if (subject === null) return null;
  return names.find((name) => equalBytes(hashOfSubject(hashKey, tenant, name), subject)) ?? null;
}

/** The same as a list: one name, or none. */
export function namesOfSubject(hashKey: Uint8Array, subject: NamedSubject): readonly string[] {
  const name = nameOf(hashKey, subject);
  return name === null ? [] : [name];
}

/** Whether two subjects are the same person, or both missing. */
export function isSameSubject(left: Uint8Array | null, right: Uint8Array | null): boolean {
  return left === null || right === null ? left === right : equalBytes(left, right);
}
