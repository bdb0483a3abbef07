/** `inspect`: lists tenants and conversations, their sizes and next expiry, and pending deletions. */

import type { InspectedScope, InspectedTenant } from "../../contracts/options/inspection.ts";
import type { Leftover } from "../../contracts/options/leftovers_report.ts";
import type { Watermark } from "../../contracts/watermark.ts";
import { INSPECTED_MAX } from "../../limits.ts";
import type { Memory } from "../../memory.ts";
import {
  counted,
  type Declare,
  grouped,
  openStore,
  type Session,
  storeCommand,
  type StoreOptions,
} from "./command.ts";
import { usageError } from "../terminal/failure.ts";
import { type InspectedLine, readDetails } from "./inspected_lines.ts";
import { printLeftovers } from "./leftover_lines.ts";
import { harmlessJson } from "../terminal/harmless_text.ts";
import { showDetail } from "./show_detail.ts";

interface InspectOptions extends StoreOptions {
  readonly tenant?: string;
  readonly session?: string;
  readonly showContent?: true;
}

/** Everything that `inspect` shows, without text. */
interface Overview {
  readonly tenants: readonly InspectedTenant[];
  readonly scopes: readonly InspectedScope[];
  readonly pending: number;
  readonly leftovers: readonly Leftover[];
  /** Null while deletions are pending: it cannot be determined without writing then. */
  readonly watermark: Watermark | null;
}

/** Declares the command. */
export const INSPECT: Declare = (program, run) => {
  storeCommand(program, "inspect", {
    summary: "Show tenants, conversations, sizes, the next expiry, and pending deletions",
    access: "read",
    example: "DIR/agent.db",
    more: "With --tenant, or --tenant and --session, it also lists every record, turn and pin, " +
      "their text only with --show-content. In JSON they are `items`, as `export` writes them.",
  })
    .option("--tenant <id>", "only this tenant")
    .option("--session <id>", "only this session of the tenant")
    .option("--show-content", "show values and texts")
    .action((store: string, options: InspectOptions) => run((session) => inspect(session, store, options)));
};

async function inspect(session: Session, store: string, options: InspectOptions): Promise<boolean> {
  if (options.session !== undefined && options.tenant === undefined) {
    throw usageError("--session needs --tenant");
  }
  await using memory = await openStore(store, options, "read");
  const overview = await readOverview(memory, options, session.signal);
  const isDetailed = options.tenant !== undefined || options.showContent === true;
  const details = isDetailed
    ? readDetails(memory, overview.scopes, { ...options, signal: session.signal })
    : null;
  const isNamed = options.tenant !== undefined;
  await (session.screen.json ? printJson : printText)(session, overview, details, isNamed);
  return true;
}

async function readOverview(
  memory: Memory,
  { tenant, session }: InspectOptions,
  signal: AbortSignal,
): Promise<Overview> {
  const tenants: InspectedTenant[] = [];
  const scopes: InspectedScope[] = [];
  let pending = 0;
  let leftovers: readonly Leftover[] = [];
  for (let after: string | null | undefined = undefined; after !== null;) {
    const page = await memory.inspect({
      limit: INSPECTED_MAX,
      signal,
      ...after === undefined ? {} : { after },
    });
    if (session === undefined) {
      tenants.push(...page.tenants.filter((each) => tenant === undefined || each.tenantId === tenant));
    }
    scopes.push(
      ...page.scopes.filter(({ scope }) =>
        (tenant === undefined || scope.tenantId === tenant) &&
        (session === undefined || scope.sessionId === session)
      ),
    );
    pending = page.pending;
    leftovers = page.leftovers;
    after = page.next;
  }
  const watermark = pending > 0 ? null : await memory.deletionWatermark();
  return { tenants, scopes, pending, leftovers, watermark };
}

async function printJson(
  { screen }: Session,
  overview: Overview,
  details: AsyncIterable<InspectedLine> | null,
): Promise<void> {
  const head = harmlessJson(overview);
  if (details === null) return void await screen.lines(`${head}\n`);
  await screen.lines(`${head.slice(0, -1)},"items":[`);
  let separator = "";
  for await (const detail of details) {
    await screen.lines(`${separator}${harmlessJson(detail)}`);
    separator = ",";
  }
  await screen.lines("]}\n");
}

async function printText(
  { screen }: Session,
  { tenants, scopes, pending, leftovers, watermark }: Overview,
  details: AsyncIterable<InspectedLine> | null,
  isNamed: boolean,
): Promise<void> {
  if (tenants.length > 0) {
    await screen.table(
      "Records",
      [{ head: "tenant" }, { head: "records", align: "right" }, { head: "bytes", align: "right" }, {
        head: "next expiry",
      }],
      tenants.map((
        { tenantId, records, bytes, nextExpiryAt },
      ) => [tenantId, grouped(records), grouped(bytes), nextExpiryAt ?? "never"]),
    );
  }
  if (scopes.length > 0) {
    await screen.table(
      "Conversations",
      [
        { head: "tenant" },
        { head: "session" },
        { head: "turns", align: "right" },
        { head: "pins", align: "right" },
        { head: "bytes", align: "right" },
        { head: "revision", align: "right" },
        { head: "next expiry" },
      ],
      scopes.map((each) => [
        each.scope.tenantId,
        each.scope.sessionId,
        ...[each.turns, each.pins, each.bytes + each.journalBytes + each.mediaBytes].map(grouped),
        String(each.revision),
        each.nextExpiryAt ?? "never",
      ]),
    );
  }
  if (details !== null) { for await (const detail of details) await showDetail(screen, detail); }
  if (isNamed && tenants.length + scopes.length === 0) {
    await screen.line("Nothing has that name; leave out --tenant and --session to show everything.");
  }
  await screen.line(totals(tenants, scopes), "bold");
  const recorded = watermark === null ? "" : `${counted(watermark.sequence, "deletion")} recorded, `;
  await screen.line(`Deletions: ${recorded}${grouped(pending)} pending.`);
  await printLeftovers(screen, leftovers);
}

function totals(tenants: readonly InspectedTenant[], scopes: readonly InspectedScope[]): string {
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  const expiries = [...tenants, ...scopes].flatMap(({ nextExpiryAt }) =>
    nextExpiryAt === null ? [] : [nextExpiryAt]
  );
  const next = expiries.length === 0
    ? "nothing expires"
    : `next expiry ${expiries.reduce((first, at) => Date.parse(at) < Date.parse(first) ? at : first)}`;
  const bytes = sum([...tenants, ...scopes].map((each) => each.bytes)) +
    sum(scopes.map(({ journalBytes, mediaBytes }) => journalBytes + mediaBytes));
  return `${counted(sum(tenants.map(({ records }) => records)), "record")}, ` +
    `${counted(scopes.length, "conversation")}, ${counted(sum(scopes.map(({ turns }) => turns)), "turn")}, ` +
    `${counted(bytes, "byte")}; ${next}.`;
}
