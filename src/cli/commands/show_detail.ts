/** Shows one record, turn, summary, pin or entry of `inspect`: a line of names and numbers, then its text behind bars. */

import { counted } from "./command.ts";
import type { InspectedLine } from "./inspected_lines.ts";
import type { Screen } from "../terminal/screen.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Shows one detail. */
export async function showDetail(screen: Screen, line: InspectedLine): Promise<void> {
  switch (line.type) {
    case "record":
      await showRecord(screen, line);
      break;
    case "scope": {
      const scope = line.scope as Fields;
      await screen.line(`Conversation ${scope.tenant_id} / ${scope.session_id}`, "bold");
      break;
    }
    case "turn":
      await showTurn(screen, line);
      break;
    case "summary":
      await screen.line(`summary${bytesOf(line)}`);
      if (line.summary !== undefined) await screen.block(String((line.summary as Fields).content));
      break;
    case "journal":
      await screen.line(line.part === "" ? "journal" : `journal ${line.part}`);
      break;
    case "entry":
      await screen.line(`  entry ${line.place}${line.uuid === null ? "" : `, ${line.uuid}`}${bytesOf(line)}`);
      if (line.json !== undefined) await screen.block(JSON.stringify(line.json, null, 2));
      break;
    case "pin": {
      const pin = (line.pin ?? line) as Fields;
      await screen.line(`pin ${pin.key}, revision ${pin.revision}${bytesOf(line)}`);
      if (line.pin !== undefined) await screen.block(String(pin.value));
      break;
    }
  }
}

async function showRecord(screen: Screen, line: InspectedLine): Promise<void> {
  const expires = typeof line.expires === "number" ? `expires ${timeOf(line.expires)}` : "never expires";
  await screen.line(
    `record ${line.tenant} / ${line.kind} / ${line.key}, revision ${line.revision}${
      bytesOf(line)
    }, ${expires}`,
  );
  if (line.value !== undefined) await screen.block(JSON.stringify(line.value, null, 2));
}

async function showTurn(screen: Screen, line: InspectedLine): Promise<void> {
  const turn = (line.turn ?? line) as Fields;
  const expiry = line.expires_at === null ? "" : `, expires ${line.expires_at}`;
  const at = turn.timestamp === undefined ? "" : `, ${turn.timestamp}`;
  await screen.line(`turn ${turn.turn_id}, revision ${turn.revision}${at}${bytesOf(line)}${expiry}`);
  if (turn.metadata !== undefined) await screen.block(`metadata ${JSON.stringify(turn.metadata)}`);
  for (const message of (turn.messages ?? []) as readonly Fields[]) {
    await showMessage(screen, message);
  }
}

async function showMessage(screen: Screen, message: Fields): Promise<void> {
  const named = message.name === undefined ? "" : ` ${message.name}`;
  const answers = message.tool_call_id === null ? "" : ` answers call ${message.tool_call_id}`;
  const failed = message.is_error === true ? ", which failed" : "";
  await screen.line(`  ${message.role}${named}${answers}${failed}:`);
  if (message.parts === undefined && message.content !== "") await screen.block(String(message.content));
  for (const part of (message.parts ?? []) as readonly Fields[]) await showPart(screen, part);
  for (const call of message.tool_calls as readonly Fields[]) {
    await screen.block(`call ${call.call_id}: ${call.name} ${call.arguments_json ?? call.arguments_text}`);
  }
  if (message.metadata !== undefined) await screen.block(`metadata ${JSON.stringify(message.metadata)}`);
}

async function showPart(screen: Screen, part: Fields): Promise<void> {
  switch (part.type) {
    case "text":
      if (part.text !== "") await screen.block(String(part.text));
      break;
    case "reasoning":
      await screen.block(`reasoning: ${part.text}`);
      break;
    case "media": {
      const place = part.url ?? `${counted(Number(part.bytes), "byte")}, SHA-256 ${part.hash}`;
      const named = part.filename === undefined ? "" : ` ${part.filename}`;
      await screen.block(`${part.media_type}${named}: ${place}`);
      break;
    }
    default:
      await screen.block(`${part.type} ${part.name ?? part.format}: ${JSON.stringify(part.json)}`);
  }
}

function bytesOf(line: InspectedLine): string {
  return line.bytes === undefined ? "" : `, ${counted(Number(line.bytes), "byte")}`;
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}
