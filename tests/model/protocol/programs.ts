/** What a process can be asked to do, and the programs of the search. */
import type { Owner, StepName } from "./state.ts";
import type { Rules } from "./rules.ts";

/** `from` counts backups in the order they were taken; `to` is the destination's path, 1 or 2. */
export type Operation =
  | { readonly kind: "put" }
  | { readonly kind: "delete" }
  | { readonly kind: "expire" }
  | { readonly kind: "label"; readonly owner: Owner }
  | { readonly kind: "erase" }
  | { readonly kind: "read" }
  | { readonly kind: "backup" }
  | { readonly kind: "restore"; readonly from: number; readonly to: number }
  | { readonly kind: "putBack"; readonly from: number }
  | { readonly kind: "open" };

const PUT: Operation = { kind: "put" };
const DELETE: Operation = { kind: "delete" };
const EXPIRE: Operation = { kind: "expire" };
const READ: Operation = { kind: "read" };
const BACKUP: Operation = { kind: "backup" };
const OPEN: Operation = { kind: "open" };

const WORDS: Readonly<Record<string, Operation>> = {
  put: PUT,
  delete: DELETE,
  expire: EXPIRE,
  label: { kind: "label", owner: 1 },
  unlabel: { kind: "label", owner: 0 },
  erase: { kind: "erase" },
  read: READ,
  backup: BACKUP,
  open: OPEN,
};

/** Reads a program such as "backup, delete, restore 0 to 1": words parted by commas. */
export function program(text: string): readonly Operation[] {
  return text.split(",").map((part) => part.trim()).filter((part) => part !== "").map(operation);
}

function operation(text: string): Operation {
  const restore = /^restore (\d) to ([12])$/.exec(text);
  if (restore) return { kind: "restore", from: Number(restore[1]), to: Number(restore[2]) };
  const putBack = /^put back (\d)$/.exec(text);
  if (putBack) return { kind: "putBack", from: Number(putBack[1]) };
  const word = WORDS[text];
  if (!word) throw new Error(`no operation is called ${text}`);
  return word;
}

/** Where an operation begins. */
export function firstStep(operation: Operation | undefined, rules: Rules): StepName {
  switch (operation?.kind) {
    case undefined:
      return "finished";
    case "put":
      return rules.tombstoneInsideTransaction ? "1.2 begin main" : "1.1 look for the tombstone";
    case "delete":
    case "expire":
    case "label":
    case "erase":
      return "1.2 begin main";
    case "read":
      return rules.mainBeforeLedgerOnReads ? "3.1 take main's snapshot" : "3.2 look at the ledger";
    case "backup":
      return "take a backup";
    case "restore":
      return "4.1 look at the destination";
    case "putBack":
      return "put an old main back";
    case "open":
      return "open the live store";
  }
}
