/** Ids of calls that are unique in a history, for formats that demand it. */

import type { Spoken } from "./spoken.ts";

/** The messages with ids that are used again renamed: the second `call` becomes `call_2`. Results follow their calls. */
export function withUniqueCalls(messages: readonly Spoken[]): Spoken[] {
  const given = new Set(messages.flatMap(({ calls }) => calls.map(({ id }) => id)));
  const used = new Set<string>();
  const latest = new Map<string, string>();
  const open = new Map<string, string[]>();
  const rename = (id: string): string => {
    const base = id.replace(/[^a-zA-Z0-9_-]/g, "_");
    let name = base;
    for (let count = 2; used.has(name) || (name !== id && given.has(name)); count++) {
      name = `${base}_${count}`;
    }
    used.add(name);
    latest.set(id, name);
    open.set(id, [...open.get(id) ?? [], name]);
    return name;
  };
  return messages.map((message) => {
    const names = new Map(message.calls.map(({ id }) => [id, rename(id)]));
    const { toolCallId } = message;
    const answered = toolCallId === undefined
      ? undefined
      : open.get(toolCallId)?.pop() ?? latest.get(toolCallId) ?? toolCallId.replace(/[^a-zA-Z0-9_-]/g, "_");
    return {
      ...message,
      calls: message.calls.map((call) => ({ ...call, id: names.get(call.id)! })),
      parts: message.parts.map((part) => withCallName(part, names)),
      ...(answered === undefined ? {} : { toolCallId: answered }),
    };
  });
}

function withCallName(
  part: Spoken["parts"][number],
  names: ReadonlyMap<string, string>,
): Spoken["parts"][number] {
  if (part.type !== "opaque" || !part.format.endsWith(":call")) return part;
  const { id } = part.json as { readonly id?: unknown };
  const name = typeof id === "string" ? names.get(id) : undefined;
  return name === undefined ? part : { ...part, json: { ...part.json as object, id: name } };
}
