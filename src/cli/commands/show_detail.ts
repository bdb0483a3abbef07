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
  for (const message of (turn.messages ?? []) as readonly Fields[]) {
    const answers = message.tool_call_id === null ? "" : ` answers call ${message.tool_call_id}`;
    await screen.line(`  ${message.role}${answers}:`);
    if (message.content !== "") await screen.block(String(message.content));
    for (const call of message.tool_calls as readonly Fields[]) {
      await screen.block(`call ${call.call_id}: ${call.name} ${call.arguments_json}`);
    }
  }
}

function bytesOf(line: InspectedLine): string {
  return line.bytes === undefined ? "" : `, ${counted(Number(line.bytes), "byte")}`;
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}
