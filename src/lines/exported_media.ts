/** Media in an export: before the first turn of a scope that refers to it. */

import { toHex } from "../canonical/keyed_hash.ts";
import type { Damage } from "../engine/damage.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { IntegrityError } from "../errors.ts";
import { loadMedia, type StoredMedia } from "../media/read_media.ts";
import { splitIntoPieces } from "../tables/media.ts";
import { mediaLine } from "./line.ts";
import type { TurnLine } from "./read_scope.ts";

/** The lines of a turn's media; `"damaged"` where it is left out with its turn. */
type MediaLines = readonly string[] | "damaged";

/** The media of one scope. */
export class ExportedMedia {
  readonly #read: <T>(factory: (transaction: ReadTransaction) => Operation<T>) => Promise<T>;
  readonly #damage: Damage;
  readonly #exported = new Set<string>();

  constructor(
    read: <T>(factory: (transaction: ReadTransaction) => Operation<T>) => Promise<T>,
    damage: Damage,
  ) {
    this.#read = read;
    this.#damage = damage;
  }

  /** The lines of what a turn refers to; null where it is gone by now. */
  async linesOf({ media }: TurnLine): Promise<MediaLines | null> {
    const lines: string[] = [];
    const refs = media.map(({ hash }) => toHex(hash));
    for (const [index, each] of media.entries()) {
      if (this.#exported.has(refs[index]!)) continue;
      const data = await this.#load(each);
      if (data === null || data === "damaged") return data;
      const pieces = splitIntoPieces(data);
      lines.push(...pieces.map((part, piece) => mediaLine(refs[index]!, data.length, piece, part)));
    }
    for (const ref of refs) this.#exported.add(ref);
    return lines;
  }

  /** The lines of what each turn refers to; null where something is gone by now. */
  async linesOfAll(turns: readonly TurnLine[]): Promise<readonly MediaLines[] | null> {
    const all: MediaLines[] = [];
    for (const turn of turns) {
      const lines = await this.linesOf(turn);
      if (lines === null) return null;
      all.push(lines);
    }
    return all;
  }

  async #load(media: StoredMedia): Promise<Uint8Array | "damaged" | null> {
    try {
      return await loadMedia(this.#read, media);
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      this.#damage.note(error);
      return "damaged";
    }
  }
}
