/** Items that are written from several messages: the results of one step, and what a user said with them. */

import { withFields } from "./carried.ts";
import type { Difference } from "./difference.ts";

/** What one message adds: an item of its own, or more content of the one before it. */
interface Addition {
  readonly role: string;
  readonly content: string | readonly object[];
  /** What else was in the item that the message begins. */
  readonly outer: Difference;
  /** Whether the content is the result of a call. Results that follow one another are one item. */
  readonly isResult: boolean;
  /** Whether it belongs to the item before it, where that is not what would be done anyway. */
  readonly joins: boolean | undefined;
}

/** Items in the making. */
export class JoinedItems {
  readonly #items: (Addition | { readonly whole: object })[] = [];

  /** Adds items that were carried whole. */
  addWhole(items: readonly object[]): void {
    this.#items.push(...items.map((whole) => ({ whole })));
  }

  /** Adds what a message says. */
  add(addition: Addition): void {
    const last = this.#items.at(-1);
    const isSame = last !== undefined && !("whole" in last) && last.role === addition.role;
    if (!isSame || !(addition.joins ?? (addition.isResult && last.isResult))) {
      this.#items.push(addition);
      return;
    }
    const content = [...itemsOf(last.content), ...itemsOf(addition.content)];
    this.#items.splice(-1, 1, { ...last, content, isResult: addition.isResult });
  }

  /** The items, finished. */
  finished(): object[] {
    return this.#items.map((item) =>
      "whole" in item
        ? item.whole
        : withFields({ role: item.role, content: item.content }, { fields: item.outer })
    );
  }
}

function itemsOf(content: string | readonly object[]): readonly object[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
