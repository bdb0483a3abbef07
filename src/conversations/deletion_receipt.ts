import { instantFromMs } from "../canonical/time.ts";
import type { ErasedCounts, Receipt } from "../contracts/options/receipt.ts";
import { nothingErased } from "../deletion/cascade.ts";
import { receiptMac, receiptTarget } from "../deletion/receipt_mac.ts";
import type { Place } from "../scopes/place.ts";
import type { Deleted } from "./delete_item.ts";

/** What was deleted, by its name. */
interface DeletedItem {
  readonly place: Place;
  readonly kind: Exclude<Receipt["kind"], "erase">;
  readonly key: string;
}

/** The receipt of a deletion, made now or before. */
export function receiptOf(
  { place: { hashKey, scope }, kind, key }: DeletedItem,
  deleted: Deleted,
  rest: Pick<Receipt, "lineage" | "reserved" | "scrubbed">,
): Receipt {
  const { sequence, head, at } = deleted.when === "now" ? deleted.place : deleted.event;
  const counts = deleted.when === "now" ? deleted.erased : { ...nothingErased(), ...deleted.event.counts };
  const receipt = {
    ...rest,
    sequence,
    head,
    kind,
    at: instantFromMs(at).text,
    already: deleted.when === "before" && deleted.already,
    erased: Object.freeze({ ...counts }) as ErasedCounts,
    target: Object.freeze(receiptTarget(hashKey, { kind, scope, key })),
  };
  return Object.freeze({ ...receipt, mac: receiptMac(hashKey, receipt) });
}
