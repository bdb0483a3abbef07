/** Ids of calls that are unique in a history, for formats that demand it. */

import type { Spoken } from "./spoken.ts";

/** The messages with ids that are used again renamed: the second `call` becomes `call_2`. Results follow their calls. */
export function withUniqueCalls(messages: readonly Spoken[]): Spoken[] {
  const given = new Set(messages.flatMap(({ calls }) => calls.map(({ id }) => id)));
  const used = new Set<string>();
  /** Where the search for a free name goes on: an id that is used in every step must not start over each time. */
  const places = new Map<string, number>();
  const latest = new Map<string, string>();
  const open = new Map<string, string[]>();
  const rename = (id: string): string => {
    const base = id.replace(/[^a-zA-Z0-9_-]/g, "_");
    const nameAt = (place: number): string => place === 1 ? base : `${base}_${place}`;
    const isTaken = (name: string): boolean => used.has(name) || (name !== id && given.has(name));
    let place = places.get(id) ?? 1;
    while (isTaken(nameAt(place))) place++;
    const name = nameAt(place);
    places.set(id, place);
    used.add(name);
    latest.set(id, name);
    const waiting = open.get(id);
    if (waiting === undefined) open.set(id, [name]);
    else waiting.push(name);
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
