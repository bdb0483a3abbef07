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

/** The checksum of values in order, as an unsigned 32-bit integer. Types and boundaries count. */
export function checksumOf(...values: readonly SqlValue[]): number {
  let crc = 0xffffffff;
  for (const value of values) {
    if (value === null) crc = addText(crc, "n;");
    else if (typeof value === "string") crc = addText(addText(crc, `s${value.length};`), value);
    else if (value instanceof Uint8Array) crc = addBytes(addText(crc, `b${value.length};`), value);
    else crc = addText(crc, `i${value};`);
  }
  return (crc ^ 0xffffffff) >>> 0;
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
