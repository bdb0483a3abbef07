/** Media that an import has read, until the turn that refers to it is stored. */

import type { MessageDraft } from "../contracts/message.ts";
import { ContractError } from "../errors.ts";
import { citedMedia, type GivenMedia } from "../media/given_media.ts";
import { joinPieces, piecesOf } from "../tables/media.ts";
import type { ImportedPiece } from "./parse_line.ts";

/** The media of one scope's lines. A turn that is refused leaves its own here, for another that refers to it as well. */
export class HeldMedia {
  readonly #bytesMax: number;
  readonly #whole = new Map<string, Uint8Array>();
  #pieces: ImportedPiece[] = [];
  #bytes = 0;

  /** Holds at most so many bytes, which is what a scope may have. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Takes the next piece; they come in order, those of one file after another. */
  take(piece: ImportedPiece): void {
    const [first = piece] = this.#pieces;
    const isNext = piece.ref === first.ref && piece.bytes === first.bytes &&
      piece.piece === this.#pieces.length;
    if (!isNext) throw new ContractError("piece", "Expected the pieces of media in order, and all of them");
    this.#bytes += piece.data.length;
    if (this.#bytes > this.#bytesMax) {
      throw new ContractError(
        "data",
        "Expected no more media than a scope may have; limits.bytesPerScope raises this",
      );
    }
    this.#pieces.push(piece);
    if (this.#pieces.length === piecesOf(piece.bytes)) this.#finish(first);
  }

  #finish({ ref, bytes }: ImportedPiece): void {
    const whole = joinPieces(this.#pieces.map(({ data }) => data), { ref, bytes });
    if (whole === null) throw new ContractError("ref", "Expected ref to be the SHA-256 of the media");
    if (this.#whole.has(ref)) this.#bytes -= bytes;
    this.#whole.set(ref, whole);
    this.#pieces = [];
  }

  /** Requires that no media is incomplete. */
  requireWhole(): void {
    if (this.#pieces.length === 0) return;
    throw new ContractError("piece", "Expected the pieces of media in order, and all of them");
  }

  /** What messages refer to, as far as it is held. */
  citedBy(messages: readonly MessageDraft[]): GivenMedia {
    const cited = citedMedia(messages).flatMap(({ ref }) => {
      const data = this.#whole.get(ref);
      return data === undefined ? [] : [[ref, data] as const];
    });
    return new Map(cited);
  }

  /** Lets go of media that the scope has now. */
  release(media: GivenMedia): void {
    for (const [ref, { length }] of media) {
      if (this.#whole.delete(ref)) this.#bytes -= length;
    }
  }
}
