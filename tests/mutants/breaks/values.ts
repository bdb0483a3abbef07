/** Breaks of what a value may be, and of what is believed when it is read. */

import type { Mutant } from "../mutant.ts";

const TARGETS = "tests/mutants/targets";

/** What callers may hand in. */
export const LIMIT_BREAKS: readonly Mutant[] = [
  {
    name: "the byte limit is not kept",
    file: "src/records/validate_value.ts",
    find: "if (body.length > kind.maxBytes) {",
    replace: "if (body.length < 0) {",
    test: `${TARGETS}/limits_test.ts`,
    promise: "A fact of more bytes",
    why: "characters and bytes are two limits",
  },
  {
    name: "texts are measured in UTF-16 units",
    file: "src/canonical/text.ts",
    find: "length--;",
    replace: "",
    test: `${TARGETS}/limits_test.ts`,
    promise: "A text is measured in code points",
    why: "a text of 256 characters outside the first plane fits",
  },
  {
    name: "a boolean passes for an integer",
    file: "src/contracts/arguments.ts",
    find: 'typeof value !== "number" || !Number.isSafeInteger(value)',
    replace: "!Number.isSafeInteger(Number(value))",
    test: `${TARGETS}/limits_test.ts`,
    promise: "A boolean is no integer",
    why: "true is not one second",
  },
  {
    name: "ill-formed text passes",
    file: "src/canonical/plain.ts",
    find: 'if (!value.isWellFormed()) this.#fail("must be well-formed Unicode");',
    replace: "",
    test: `${TARGETS}/limits_test.ts`,
    promise: "JSN-01: text with a lone surrogate",
    why: "a lone surrogate is no text",
  },
  {
    name: "a proxy passes",
    file: "src/canonical/plain.ts",
    find: 'if (isProxy(value)) this.#fail("must be plain JSON");',
    replace: "",
    test: `${TARGETS}/limits_test.ts`,
    promise: "A value that a proxy stands for",
    why: "a proxy can answer differently each time it is asked",
  },
  {
    name: "an identifier may end with a line break",
    file: "src/contracts/record_kind.ts",
    find: "const NARROW = /^[a-z][a-z0-9-]{0,31}$/;",
    replace: "const NARROW = /^[a-z][a-z0-9-]{0,31}$/m;",
    test: `${TARGETS}/limits_test.ts`,
    promise: "A tenant is matched as a whole",
    why: "two identifiers would look alike",
  },
  {
    name: "a deadline of more than a day passes",
    file: "src/contracts/record_kind.ts",
    find: "ttlMax = RECORD_TTL_SECONDS_MAX",
    replace: "ttlMax = RECORD_SECONDS_MAX",
    test: `${TARGETS}/limits_test.ts`,
    promise: "A ttl beyond a day is refused",
    why: "checkpoints and facts are promised to go within a day",
  },
];

/** Checksums. */
export const DAMAGE_BREAKS: readonly Mutant[] = [
  {
    name: "a row's checksum is not compared",
    file: "src/tables/records.ts",
    find: "if (headChecksum(identity, head) !== row[5]) {",
    replace: "if (headChecksum(identity, head) < 0) {",
    test: `${TARGETS}/damage_test.ts`,
    promise: "A row whose maxAge was changed",
    why: "a flipped bit would let a record live longer than it may",
  },
  {
    name: "a value's checksum is not compared",
    file: "src/tables/records.ts",
    find: 'if (typeof value.body === "string" && valueChecksum(identity, value) === checksum) return;',
    replace: 'if (typeof value.body === "string") return;',
    test: `${TARGETS}/damage_test.ts`,
    promise: "A row whose body was changed",
    why: "a flipped bit would be read as another text",
  },
  {
    name: "the checksum of main's meta row is not compared",
    file: "src/engines/sqlite/database/main_meta.ts",
    find: "if (checksumOf(...row.slice(0, 14)) !== row[14]) {",
    replace: "if (checksumOf(...row.slice(0, 14)) < 0) {",
    test: `${TARGETS}/damage_test.ts`,
    promise: "A store whose counter was changed",
    why: "a damaged counter would hand revisions out twice",
  },
  {
    name: "the checksum of the ledger's meta row is not compared",
    file: "src/engines/sqlite/database/ledger.ts",
    find: "if (checksumOf(...row.slice(0, 7)) !== row[7]) {",
    replace: "if (checksumOf(...row.slice(0, 7)) < 0) {",
    test: `${TARGETS}/damage_test.ts`,
    promise: "A ledger whose count was changed",
    why: "a damaged generation would be believed",
  },
  {
    name: "the checksum of no row is compared, where a descriptor has one",
    file: "src/tables/schema/descriptor.ts",
    find: "checksumOver.length === 0 || checksum(row) === (row as Loose).checksum,",
    replace: "checksumOver.length === 0 || checksum(row) !== -1,",
    test: `${TARGETS}/damage_test.ts`,
    promise: "A remembered operation that was changed",
    why: "damaged rows of every table would be believed",
  },
  {
    name: "the checksum of a remembered operation is not compared",
    file: "src/tables/operation_ids.ts",
    find: "  if (!isIntact) {",
    replace: "  if (!isIntact && result < 0) {",
    test: `${TARGETS}/damage_test.ts`,
    promise: "A remembered operation that was changed",
    why: "a repeated call would be given a revision that never was",
  },
];
