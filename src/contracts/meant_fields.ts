/** Which field a key stands for that other libraries use, so that an error can suggest it. */

/** By the key that was given, as letters only in lower case: the fields that may be meant, in order. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  args: ["arguments"],
  blocks: ["content"],
  callid: ["toolCallId", "id"],
  function: ["name and arguments"],
  id: ["messageId"],
  input: ["arguments", "json"],
  mimetype: ["mediaType"],
  parameters: ["arguments", "parametersJson"],
  parts: ["content"],
  text: ["content"],
  thinking: ["text"],
  toolcallid: ["id"],
  toolname: ["name"],
  tooluseid: ["toolCallId", "id"],
};

/** What a suggestion of several fields asks for. */
const SEVERAL: Readonly<Record<string, readonly string[]>> = { "name and arguments": ["name", "arguments"] };

/** The field among `names` that an unknown key probably means, such as `toolCalls` for `tool_calls`; else null. */
export function fieldMeantBy(key: string, names: readonly string[]): string | null {
  const letters = lettersOf(key);
  const same = names.find((name) => lettersOf(name) === letters);
  if (same !== undefined) return same;
  const meant = Object.hasOwn(MEANT, letters) ? MEANT[letters]! : [];
  return meant.find((field) => (SEVERAL[field] ?? [field]).every((name) => names.includes(name))) ?? null;
}

function lettersOf(key: string): string {
  return key.replace(/[_-]/g, "").toLowerCase();
}
