/** The values that statements bind and return, on every engine. */

/** A value that is bound or read. Integers beyond 2^53 are never used by this module. */
export type SqlValue = null | number | bigint | string | Uint8Array;

/** One row, in the order of the columns listed. */
export type Row = readonly SqlValue[];
