/**
 * CRC-32 over the columns of a row. It detects accidental damage, and does not prevent forgery. The tables are our own,
 * because `node:zlib` would be one more module to load.
 */

const POLYNOMIAL = 0xedb88320;

function makeTables(): [Uint32Array, Uint32Array, Uint32Array, Uint32Array] {
  const first = new Uint32Array(256);
  for (let index = 0; index < 256; index++) {
    let value = index;
    for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
    first[index] = value;
  }
  const after = (table: Uint32Array): Uint32Array =>
    table.map((value) => first[value & 0xff]! ^ (value >>> 8));
  const second = after(first);
  const third = after(second);
  return [first, second, third, after(third)];
}

/** Four tables process four bytes per step, so that a checksum costs little compared with reading the row. */
const [FIRST, SECOND, THIRD, FOURTH] = makeTables();

/** The tag before each value, so that the checksum covers types and boundaries. */
const TAG = { null: 0, integer: 1, text: 2, bytes: 3 } as const;

/** Returns the checksum of values in order, as an unsigned 32-bit integer. It covers their types and boundaries. */
export function checksumOf(...values: readonly (null | number | bigint | string | Uint8Array)[]): number {
  let crc = 0xffffffff;
  for (const value of values) {
    if (typeof value === "string") crc = addText(addInteger(crc, TAG.text, value.length), value);
    else if (typeof value === "number") crc = addInteger(crc, TAG.integer, value);
    else if (value === null) crc = addByte(crc, TAG.null);
    else if (typeof value === "bigint") crc = addInteger(crc, TAG.integer, Number(value));
    else crc = addBytes(addInteger(crc, TAG.bytes, value.length), value);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function addByte(crc: number, byte: number): number {
  return FIRST[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
}

/** Adds four bytes; the first is the lowest byte of `word`. */
function addWord(crc: number, word: number): number {
  const mixed = crc ^ word;
  return FOURTH[mixed & 0xff]! ^ THIRD[(mixed >>> 8) & 0xff]! ^ SECOND[(mixed >>> 16) & 0xff]! ^
    FIRST[mixed >>> 24]!;
}

/** Adds a tag and the eight bytes of an integer, as two halves of 32 bits. */
function addInteger(crc: number, tag: number, value: number): number {
  const high = Math.floor(value / 0x1_0000_0000);
  return addWord(addWord(addByte(crc, tag), value >>> 0), high >>> 0);
}

/** Adds a text: one byte for each code unit up to 255, two bytes for any other. */
function addText(crc: number, text: string): number {
  let sum = crc;
  let index = 0;
  for (const last = text.length - 3; index < last; index += 4) {
    const a = text.charCodeAt(index);
    const b = text.charCodeAt(index + 1);
    const c = text.charCodeAt(index + 2);
    const d = text.charCodeAt(index + 3);
    if ((a | b | c | d) > 0xff) sum = addUnit(addUnit(addUnit(addUnit(sum, a), b), c), d);
    else sum = addWord(sum, a | (b << 8) | (c << 16) | (d << 24));
  }
  for (; index < text.length; index++) sum = addUnit(sum, text.charCodeAt(index));
  return sum;
}

function addUnit(crc: number, unit: number): number {
  const sum = addByte(crc, unit);
  return unit > 0xff ? addByte(sum, unit >>> 8) : sum;
}

function addBytes(crc: number, bytes: Uint8Array): number {
  let sum = crc;
  for (const byte of bytes) sum = addByte(sum, byte);
  return sum;
}
