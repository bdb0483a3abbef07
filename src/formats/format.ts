/** What every format is: a pair of pure functions between messages as a protocol has them and messages as a store has them. */

import type { Message } from "../contracts/message.ts";
import type { NewMessage } from "../contracts/new_message.ts";

/**
 * Where the bytes of media come from that were read back by reference: a function or a map from `ref` to bytes. Media
 * whose bytes it does not have are named by a text in the place where they would stand.
 */
export type MediaSource = ((ref: string) => Uint8Array | undefined) | ReadonlyMap<string, Uint8Array>;

/** What `write` takes besides the messages. */
export interface WriteOptions {
  /** The bytes of media that were read back by reference. */
  readonly media?: MediaSource;
}

/** Messages in the order of a conversation: new ones, or as they were read back. */
export type Messages = readonly (NewMessage | Message)[];

/**
 * A format of messages. Both functions are pure, and neither keeps what it was given.
 *
 * `write(parse(theirs))` equals `theirs`, fields that are `undefined` left out. `parse(write(messages))` equals
 * `messages` as far as the format can express them.
 */
export interface Format<Theirs, Written> {
  /** The name that `opaque` parts of this format bear. */
  readonly name: string;
  /**
   * Makes messages for `append` of the protocol's own. What the format does not know becomes an `opaque` part.
   *
   * @throws {ContractError} naming the path, if the argument is not of this format at all
   */
  readonly parse: (theirs: Theirs) => NewMessage[];
  /** Makes the protocol's own messages. What the format cannot express is left out. */
  readonly write: (messages: Messages, options?: WriteOptions) => Written;
}
