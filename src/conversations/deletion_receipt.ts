import { instantFromMs } from "../canonical/time.ts";
import type { ErasedCounts, Receipt } from "../contracts/receipt.ts";
import { nothingErased } from "../deletion/cascade.ts";
import type { Deleted } from "./delete.ts";

/** The receipt of a deletion, made now or before. */
export function receiptOf(
  deleted: Deleted,
  rest: Pick<Receipt, "lineage" | "kind" | "scrubbed">,
): Receipt {
  const { sequence, head, at } = deleted.when === "now" ? deleted.place : deleted.event;
  const counts = deleted.when === "now" ? deleted.erased : { ...nothingErased(), ...deleted.event.counts };
  return Object.freeze({
    ...rest,
    sequence,
    head,
    at: instantFromMs(at).text,
    already: deleted.when === "before" && deleted.already,
    erased: Object.freeze({ ...counts }) as ErasedCounts,
  });
}
