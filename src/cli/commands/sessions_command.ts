/** `sessions`: lists a tenant's sessions, the last one written to first. */

import type { Session as ListedSession } from "../../contracts/options/session_options.ts";
import type { Memory } from "../../memory.ts";
import {
  counted,
  type Declare,
  grouped,
  openStore,
  type Session,
  storeCommand,
  type StoreOptions,
  wholeNumber,
} from "./command.ts";
import { sessionsOf } from "./session_pages.ts";

interface ListOptions extends StoreOptions {
  readonly tenant: string;
  readonly subject?: string;
  readonly byId?: true;
  readonly limit?: number;
  readonly showContent?: true;
}

/** Declares the command. */
export const SESSIONS: Declare = (program, run) => {
  storeCommand(program, "sessions", {
    summary: "List a tenant's sessions, the last one written to first",
    access: "read",
    example: "DIR/agent.db --tenant acme",
    more: "Titles, metadata and subjects are shown only with --show-content.",
  })
    .requiredOption("--tenant <id>", "the tenant")
    .option("--subject <name>", "only sessions of this person")
    .option("--by-id", "in the order of their ids")
    .option("--limit <n>", "the most sessions to show (all)", wholeNumber(1))
    .option("--show-content", "show titles, metadata and subjects")
    .action((store: string, options: ListOptions) => run((session) => list(session, store, options)));
};

async function list({ screen, signal }: Session, store: string, options: ListOptions): Promise<boolean> {
  await using memory = await openStore(store, options, "read");
  const found = await readSessions(memory, options, signal);
  const sessions = options.showContent ? found : found.map(withoutContent);
  if (screen.json) {
    await screen.value({ sessions });
    return true;
  }
  if (found.length > 0) {
    await screen.table(
      "Sessions",
      [
        { head: "session" },
        { head: "turns", align: "right" },
        { head: "bytes", align: "right" },
        { head: "written to" },
        ...options.showContent ? [{ head: "title" }, { head: "subject" }] : [],
      ],
      found.map(({ sessionId, turns, bytes, updatedAt, title, subject }) => [
        ...[sessionId, grouped(turns), grouped(bytes), updatedAt],
        ...options.showContent ? [title ?? "", subject ?? ""] : [],
      ]),
    );
  }
  await screen.line(`${counted(found.length, "session")}.`, "bold");
  return true;
}

async function readSessions(
  memory: Memory,
  { tenant, subject, byId, limit = Infinity }: ListOptions,
  signal: AbortSignal,
): Promise<readonly ListedSession[]> {
  const found: ListedSession[] = [];
  const order = byId ? "id" : "recent";
  const options = { order, ...subject === undefined ? {} : { subject }, signal } as const;
  for await (const session of sessionsOf(memory, tenant, options)) {
    if (found.length === limit) break;
    found.push(session);
  }
  return found;
}

function withoutContent(
  { title: _, metadata: __, subject: ___, ...rest }: ListedSession,
): Partial<ListedSession> {
  return rest;
}
