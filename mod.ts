/**
 * Holdfast: durable, transactional, multi-tenant memory for AI-agent harnesses on embedded SQLite.
 *
 * @example Keep where an execution stopped
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const identity = { tenant: "orchard", kind: "checkpoint", key: "run-a" } as const;
 * await memory.records.put(identity, { schema: 1, step: 0, items: [] }, { expected: null, ttl: 3_600 });
 * const found = await memory.records.get(identity);
 * assert.equal(found?.value.step, 0);
 * ```
 *
 * @module
 */

export type { Json } from "./src/canonical/plain.ts";
export { assembleContext, type AssembleContextInput } from "./src/context/assemble_context.ts";
export type {
  AssembledContext,
  Block,
  ContextRequest,
  WireMessage,
  WireTool,
} from "./src/context/assembled_context.ts";
export type {
  AssemblyOptions,
  Budget,
  Cap,
  CountingOptions,
  Retrieval,
} from "./src/context/configuration.ts";
export { defaultTokenCounter } from "./src/context/default_counter.ts";
export type {
  BlockDiagnostic,
  ContextDiagnostics,
  Drop,
  LayerDiagnostic,
  LayerName,
  LayerReason,
} from "./src/context/diagnostics.ts";
export type { TokenEstimate } from "./src/context/estimate.ts";
export type { ProfileName } from "./src/context/profile.ts";
export type { BlockKind } from "./src/context/rendering.ts";
export { frozenSummary, type SummaryPolicy } from "./src/context/summary_policy.ts";
export type { TokenCounter } from "./src/context/token_counter.ts";
export type {
  BackupOptions,
  BackupProgress,
  BackupReport,
  RestoreOptions,
  RestoreProgress,
  RestoreReport,
} from "./src/contracts/backup.ts";
export type { Chunk } from "./src/contracts/chunk.ts";
export type {
  Appended,
  AppendOptions,
  CallOptions,
  PutPinOptions,
  PutSummaryOptions,
  PutTurnOptions,
  ReplayPutOptions,
} from "./src/contracts/conversation_options.ts";
export type { Exportable, ExportedFields, ExportOptions } from "./src/contracts/discreet.ts";
export type { Leftover, SweptLeftovers } from "./src/contracts/leftovers.ts";
export type { Message, NewMessage, Role, ToolCall } from "./src/contracts/message.ts";
export { type Pin, pin, type PinInput, type TimedPin } from "./src/contracts/pin.ts";
export type {
  DeleteOptions,
  DeleteTarget,
  ErasedCounts,
  PruneOptions,
  PruneProgress,
  PruneReport,
  Receipt,
  ReceiptReport,
  ReceiptSubject,
  ReceiptTarget,
  ScrubReport,
} from "./src/contracts/receipt.ts";
export type { Scope } from "./src/contracts/scope.ts";
export type { SourceRef } from "./src/contracts/source_ref.ts";
export { type Summary, summaryFromHistory, type SummaryInput } from "./src/contracts/summary.ts";
export type { ToolDefinition } from "./src/contracts/tool.ts";
export { type TimedTurn, type Turn, turn, type TurnInput } from "./src/contracts/turn.ts";
export type {
  AssembleOptions,
  Assembly,
  IndexBatchOptions,
  IndexProgress,
  SearchOptions,
} from "./src/conversations/assemble_options.ts";
export { Conversation } from "./src/conversations/conversation.ts";
export type { Snapshot } from "./src/conversations/snapshot.ts";
export type { TurnsOptions } from "./src/conversations/turns_options.ts";
export type {
  CheckOptions,
  CheckProblem,
  CheckProgress,
  CheckReport,
  Misfit,
} from "./src/contracts/check.ts";
export type { Damaged, DamagedRow, Skipping } from "./src/contracts/damaged.ts";
export type {
  InspectedScope,
  InspectedTenant,
  Inspection,
  InspectOptions,
} from "./src/contracts/inspection.ts";
export type {
  ExportLinesOptions,
  ImportLinesOptions,
  ImportReport,
  LineCounts,
  Lines,
} from "./src/contracts/lines.ts";
export type { MemoryEvent, MemoryOptions } from "./src/contracts/memory_options.ts";
export type {
  Checkpoint,
  Fact,
  ForgetOptions,
  GetOptions,
  ListOptions,
  PurgeOptions,
  PutOptions,
  RecordIdentity,
  RecordInput,
  RecordItem,
  RecordPage,
  RecordValue,
  StoredRecord,
  UpdateOptions,
} from "./src/contracts/record.ts";
export {
  defineKind,
  type IdentifierFormat,
  type KindOptions,
  type RecordKind,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from "./src/contracts/record_kind.ts";
export type { Watermark } from "./src/engine/engine.ts";
export type {
  Row,
  SqliteConnection,
  SqliteDriver,
  SqliteOpenOptions,
  SqliteStatement,
  SqlValue,
} from "./src/engine/sqlite/driver.ts";
export { SqliteFailure } from "./src/engine/sqlite/driver.ts";
export { nodeSqlite } from "./src/engine/sqlite/node_sqlite.ts";
export {
  type BudgetCode,
  BudgetError,
  ConflictError,
  type ConflictErrorOptions,
  type ConflictReason,
  ContractError,
  type ErrorDetails,
  IntegrityError,
  MemoryError,
  type MemoryErrorOptions,
  PolicyError,
  type StorageCode,
  StorageError,
} from "./src/errors.ts";
export { Memory } from "./src/memory.ts";
export { openMemory, restoreMemory } from "./src/open_memory.ts";
export { Records } from "./src/records/records.ts";
export type { ChunkIndex } from "./src/retrieval/chunk_index.ts";
export type { Hit, Hits, Score } from "./src/retrieval/evidence_source.ts";
