/** CRC-32 over a row's columns: finds damage, proves nothing. Our own table, since `node:zlib` is one more module to load. */

import type { SqlValue } from "../engine/sqlite/driver.ts";

const POLYNOMIAL = 0xedb88320;

const TABLE: Uint32Array = makeTable();

function makeTable(): Uint32Array {
  const table = new Uint32Array(256);
  for (let index = 0; index < 256; index++) {
    let value = index;
    for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
    table[index] = value;
  }
  return table;
}

/** What stands before a value, so that types and boundaries count. */
const TAG = { null: 0, integer: 1, text: 2, bytes: 3 } as const;

/** The checksum of values in order, as an unsigned 32-bit integer. Types and boundaries count. */
export function checksumOf(...values: readonly SqlValue[]): number {
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
  return TABLE[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
}

/** A tag and the eight bytes of an integer, as two halves of 32 bits. */
function addInteger(crc: number, tag: number, value: number): number {
  let sum = addByte(crc, tag);
  let half = value >>> 0;
  for (let round = 0; round < 2; round++) {
    sum = addByte(sum, half);
    sum = addByte(sum, half >>> 8);
    sum = addByte(sum, half >>> 16);
    sum = addByte(sum, half >>> 24);
    half = Math.floor(value / 0x1_0000_0000) >>> 0;
  }
  return sum;
}

function addText(crc: number, text: string): number {
  let sum = crc;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    sum = TABLE[(sum ^ unit) & 0xff]! ^ (sum >>> 8);
    if (unit > 0xff) sum = TABLE[(sum ^ (unit >>> 8)) & 0xff]! ^ (sum >>> 8);
  }
  return sum;
}

function addBytes(crc: number, bytes: Uint8Array): number {
  let sum = crc;
  for (const byte of bytes) sum = TABLE[(sum ^ byte) & 0xff]! ^ (sum >>> 8);
  return sum;
}
