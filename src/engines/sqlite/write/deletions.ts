/** Main's copy of the events that were applied to it. */

import { checksumOf } from "../../../canonical/checksum.ts";
import { encodeCounts, encodeHashes } from "../../../engine/chain.ts";
import type { RecordedEvent } from "../../../engine/operation.ts";
import type { Connection } from "../database/connection.ts";
import { EVENT_COLUMNS } from "../database/ledger.ts";

const INSERT_DELETION =
  `INSERT INTO deletions (${EVENT_COLUMNS}, checksum) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;

/** Copies applied events to main. */
export function insertDeletions(main: Connection, events: readonly RecordedEvent[]): void {
  for (const event of events) {
    const { sequence, batch, kind, scopeHash, keyHash, reserved, floor, at, counts, head, hashes } = event;
    const columns = [
      sequence,
      batch,
      kind,
      scopeHash,
      keyHash,
      reserved ? 1 : 0,
      floor,
      at,
      encodeCounts(counts),
      head,
      encodeHashes(hashes),
    ] as const;
    main.run(INSERT_DELETION, ...columns, checksumOf(...columns));
  }
}
