/**
 * Holdfast: durable, transactional, multi-tenant memory for AI-agent harnesses on embedded SQLite.
 *
 * @example Keep where an execution stopped
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const identity = { tenantId: "acme", kind: "checkpoint", key: "run-a" } as const;
 * await memory.records.put(identity, { schema: 1, step: 0, items: [] }, { expectedRevision: null, ttl: 3_600 });
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
  ExportedContext,
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
export { defaultTokenCounter } from "./src/context/counting/default_counter.ts";
export type {
  BlockDiagnostic,
  ContextDiagnostics,
  Drop,
  LayerDiagnostic,
  LayerName,
  LayerReason,
} from "./src/context/diagnostics.ts";
export type { TokenEstimate } from "./src/context/counting/estimate.ts";
export type { ProfileName } from "./src/context/profile.ts";
export type { BlockKind } from "./src/context/rendering.ts";
export { frozenSummary, type SummaryPolicy } from "./src/context/summary_policy.ts";
export type { TokenCounter } from "./src/context/counting/token_counter.ts";
export type {
  BackupOptions,
  BackupProgress,
  BackupReport,
  RestoreProgress,
  RestoreReport,
} from "./src/contracts/options/backup_options.ts";
export type { Chunk } from "./src/contracts/chunk.ts";
export type {
  Appended,
  AppendedOrSkipped,
  AppendOptions,
  CachePutOptions,
  CallOptions,
  PutPinOptions,
  PutSummaryOptions,
  PutTurnOptions,
} from "./src/contracts/options/conversation_options.ts";
export type { Lifetime, RequiredLifetime } from "./src/contracts/options/lifetime.ts";
export type {
  ListValuesOptions,
  RecordPlace,
  ValueItem,
  ValuePage,
} from "./src/contracts/options/kind_options.ts";
export type { KindLifetime, PutOptions, UpdateOptions } from "./src/contracts/options/record_options.ts";
export type {
  AppendEntriesOptions,
  EraseJournalOptions,
  JournalEntry,
  NewJournalEntry,
  PopOptions,
  ReadJournalOptions,
  ReplaceSuffixOptions,
  SuffixToReplace,
} from "./src/contracts/options/journal_options.ts";
export type { Leftover, SweptLeftovers } from "./src/contracts/options/leftovers_report.ts";
export type { Message, Metadata, Role } from "./src/contracts/message.ts";
export type {
  Content,
  NewMessage,
  NewMessageFacts,
  NewMessages,
  NewToolCall,
} from "./src/contracts/new_message.ts";
export type {
  DataPart,
  MediaFacts,
  MediaPart,
  OpaquePart,
  Part,
  ReasoningPart,
  TextPart,
} from "./src/contracts/part.ts";
export type { ToolCall, ToolDefinition } from "./src/contracts/tool.ts";
export { type Pin, pin, type PinInput, type TimedPin } from "./src/contracts/pin.ts";
export type {
  DeleteOptions,
  DeleteTarget,
  ErasedCounts,
  EraseOptions,
  EraseTarget,
  PruneOptions,
  PruneProgress,
  PruneReport,
  Receipt,
  ReceiptReport,
  ReceiptSubject,
  ReceiptTarget,
  ScrubReport,
  UnpinOptions,
} from "./src/contracts/options/receipt.ts";
export type {
  Session,
  SessionChanges,
  SessionPage,
  SessionsOptions,
} from "./src/contracts/options/session_options.ts";
export type { Scope } from "./src/contracts/scope.ts";
export type { SourceRef } from "./src/contracts/source_ref.ts";
export { type Summary, summaryFromHistory, type SummaryInput } from "./src/contracts/summary.ts";

export { type TimedTurn, type Turn, turn, type TurnInput } from "./src/contracts/turn.ts";
export type {
  AssembleMessagesOptions,
  AssembleOptions,
  Assembly,
  CommonAssembleOptions,
  IndexBatchOptions,
  MessagesAssembly,
  SearchOptions,
  TenantSearchOptions,
} from "./src/conversations/context_options.ts";
export type {
  MessagesContext,
  MessagesDiagnostics,
  MessagesRequest,
} from "./src/context/messages/messages_context.ts";
export type { Degradation } from "./src/context/messages/plan_messages.ts";
export { Conversation } from "./src/conversations/conversation.ts";
export type { Snapshot } from "./src/contracts/snapshot.ts";
export type { TurnsOptions } from "./src/conversations/turns_options.ts";
export type {
  CheckOptions,
  CheckProblem,
  CheckProgress,
  CheckReport,
  Misfit,
} from "./src/contracts/options/check_options.ts";
export type { Damaged, DamagedRow, Skipping } from "./src/contracts/damaged.ts";
export type {
  InspectedScope,
  InspectedTenant,
  Inspection,
  InspectOptions,
} from "./src/contracts/options/inspection.ts";
export type {
  ExportLinesOptions,
  ImportLinesOptions,
  ImportReport,
  LineCounts,
  Lines,
} from "./src/contracts/options/lines_options.ts";
export type { MemoryEvent, StoreOptions } from "./src/contracts/options/memory_options.ts";
export type {
  Checkpoint,
  Fact,
  ForgetOptions,
  GetOptions,
  ListOptions,
  PurgeOptions,
  RecordIdentity,
  RecordInput,
  RecordItem,
  RecordPage,
  RecordValue,
  StoredRecord,
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
export type { Watermark } from "./src/contracts/watermark.ts";
export type { Row, SqlValue } from "./src/engine/values.ts";
export type {
  SqliteConnection,
  SqliteDriver,
  SqliteOpenOptions,
  SqliteStatement,
} from "./src/engines/sqlite/drivers/driver.ts";
export { SqliteFailure } from "./src/engines/sqlite/drivers/driver.ts";
export { nodeSqlite } from "./src/engines/sqlite/drivers/node_sqlite.ts";
export {
  type BudgetCode,
  BudgetError,
  ConflictError,
  type ConflictErrorOptions,
  type ConflictReason,
  ContractError,
  type ErrorDetails,
  IntegrityError,
  KindError,
  type KindMismatch,
  MemoryError,
  type MemoryErrorOptions,
  PolicyError,
  type StorageCode,
  StorageError,
} from "./src/errors.ts";
export { Journal } from "./src/journals/journal.ts";
export { Memory } from "./src/memory.ts";
export { type MemoryOptions, openMemory, restoreMemory } from "./src/open.ts";
export { KindRecords } from "./src/records/kind_records.ts";
export { Records } from "./src/records/record_calls.ts";
export type { RestoreOptions } from "./src/restore.ts";
export {
  type AfterCall,
  type PendingCall,
  Transaction,
  type TransactionKind,
  type TransactionOptions,
  type TransactionPinOptions,
  type TransactionPutOptions,
  type TransactionResult,
  type TransactionResults,
  type WithinTransaction,
} from "./src/transaction.ts";
export type { ChunkIndex } from "./src/index/chunk_index.ts";
export type { IndexProgress } from "./src/index/index_progress.ts";
export type { MatchedRange } from "./src/index/analysis/matched_ranges.ts";
export type { Hit, Hits, Score } from "./src/search/evidence_source.ts";
