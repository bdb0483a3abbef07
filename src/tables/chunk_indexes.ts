/** The row of an index: its kind, how far it has come, and the totals that scores are computed from. */

import { VarintReader, VarintWriter } from "../canonical/varints.ts";
import type { Operation, ReadTransaction, WriteTransaction } from "../engine/operation.ts";
import type { Row, SqlValue } from "../engine/values.ts";
import { IntegrityError } from "../errors.ts";
import type { Fields } from "./schema/descriptor.ts";
import { CHUNK_INDEXES } from "./schema/index_tables.ts";

/** An index's row. Operations change a copy and write it once at the end. */
export interface IndexRow {
  readonly id: number;
  readonly scope: number;
  /** Chunk size, overlap and analyzer. */
  readonly indexKey: string;
  /** A revision of the store, so that no two indexes have the same. */
  readonly born: number;
  /** The higher, the later it was used; counted for each scope. */
  used: number;
  /** 1 once another index replaced it: it is unused, and removed in parts. */
  retired: number;
  /** Every turn up to this row is indexed, or noted as unindexed. */
  indexedTo: number;
  turns: number;
  chunks: number;
  /** Chunks that have words. */
  documents: number;
  /** Terms of all of them, duplicates counted. */
  totalLength: number;
  /** How many numbers of terms were issued. */
  terms: number;
  /** Turns that were added to the last block. */
  blockTurns: number;
  /** Turns of which there are postings, but which are not indexed: they are being added or erased. */
  draining: number;
  /** The row of the first turn of each block, in order. */
  blocks: readonly number[];
}

/** The block of a turn: its place in the list of blocks. */
export function blockOf({ blocks }: Pick<IndexRow, "blocks">, turn: number): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (blocks[middle]! <= turn) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** The indexes of a scope, in the order in which they were created. Parameter: the scope's row. */
export const SELECT_INDEXES = `${CHUNK_INDEXES.select} WHERE scope = $1 ORDER BY id`;

/** Reads the indexes of a scope, retired ones included. */
export function* readIndexes(transaction: ReadTransaction, scope: number): Operation<readonly IndexRow[]> {
  return (yield* transaction.all(SELECT_INDEXES, scope)).map(toIndexRow);
}

/** An index's row as it is, and whether it is intact. */
export interface UncheckedIndex {
  readonly index: IndexRow;
  readonly isIntact: boolean;
}

/** Reads the indexes of a scope as they are, since a deletion does not stop at damage. */
export function* readIndexesUnchecked(
  transaction: ReadTransaction,
  scope: number,
): Operation<readonly UncheckedIndex[]> {
  return (yield* transaction.all(SELECT_INDEXES, scope)).map((row) => {
    const fields = CHUNK_INDEXES.toFields(row);
    return { index: toIndex(fields), isIntact: CHUNK_INDEXES.isIntact(fields) };
  });
}

/** Requires that an index's row is intact. */
export function toIndexRow(row: Row): IndexRow {
  const fields = CHUNK_INDEXES.toFields(row);
  if (CHUNK_INDEXES.isIntact(fields)) return toIndex(fields);
  throw new IntegrityError("The checksum of an index's row does not match", {
    details: { table: "chunk_indexes" },
  });
}

function toIndex({ blockList, ...totals }: Fields<typeof CHUNK_INDEXES.columns>): IndexRow {
  return { ...totals, blocks: decodeBlocks(blockList) };
}

function encodeBlocks(blocks: readonly number[]): Uint8Array {
  const writer = new VarintWriter();
  let before = 0;
  for (const start of blocks) {
    writer.add(start - before);
    before = start;
  }
  return writer.bytes();
}

function decodeBlocks(bytes: SqlValue | undefined): readonly number[] {
  const blocks: number[] = [];
  const reader = new VarintReader(bytes instanceof Uint8Array ? bytes : new Uint8Array());
  for (let start = 0; !reader.isAtEnd;) blocks.push(start += reader.next());
  return blocks;
}

/** Writes a changed row. */
export function* writeIndex(transaction: WriteTransaction, row: IndexRow): Operation<void> {
  const fields = { ...row, blockList: encodeBlocks(row.blocks) };
  const changed = yield* transaction.run(CHUNK_INDEXES.update, ...CHUNK_INDEXES.toUpdate(fields));
  if (changed !== 1) throw new IntegrityError("Cannot write index: the file did not take the write");
}

/** Creates the row of an empty index. */
export function* insertIndex(
  transaction: WriteTransaction,
  index: Pick<IndexRow, "scope" | "indexKey" | "used">,
): Operation<IndexRow> {
  const row: IndexRow = {
    ...index,
    id: transaction.nextId("chunk_indexes"),
    born: transaction.nextRevision(),
    retired: 0,
    indexedTo: 0,
    turns: 0,
    chunks: 0,
    documents: 0,
    totalLength: 0,
    terms: 0,
    blockTurns: 0,
    draining: 0,
    blocks: [0],
  };
  const fields = { ...row, blockList: encodeBlocks(row.blocks) };
  yield* transaction.run(CHUNK_INDEXES.insert, ...CHUNK_INDEXES.toValues(fields));
  return row;
}

/** Parameter: the index. */
export const DELETE_INDEX = `DELETE FROM chunk_indexes WHERE id = $1`;
