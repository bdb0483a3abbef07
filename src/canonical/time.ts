/**
 * Reads and writes instants with their own offset and microseconds, as the reference does. The text is like
 * `2026-09-08T01:02:03+05:30`, with six fractional digits if they are not zero, and never `Z`. A `Date` would lose the
 * offset and the microseconds.
 */

import { ContractError } from "../errors.ts";

/** A point in time, and how it is written. */
export interface Instant {
  /** ISO text: own offset, six fractional digits or none, never `Z`. */
  readonly text: string;
  /** Whole seconds since the Unix epoch, rounded down. */
  readonly seconds: number;
  /** The microseconds after them, 0 to 999 999. */
  readonly microseconds: number;
}

/** RFC 3339, section 5.6, with at most six fractional digits. A seventh would be lost, and is therefore refused. */
const RFC_3339 = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** The same, but as stored: the `T` may be a space, and the offset may have seconds. */
const STORED =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(?:[Zz]|([+-])(\d\d):(\d\d)(?::(\d\d))?)$/;

/** The rule for a caller's time, as the end of a sentence. */
export const TIME_RULE =
  "must be a time in years 1 to 9999: RFC 3339 text with an offset and at most six fractional digits, or a Date";

/**
 * Reads a caller's time: strict RFC 3339 text with an offset, or a `Date`. Refuses dates that the calendar does not
 * have (30 February), hour 24, second 60 and a seventh fractional digit. Writes `Z` as `+00:00`.
 *
 * @throws {ContractError} that names `field`
 */
export function toInstant(value: unknown, field: string): Instant {
  const instant = typeof value === "string" ? readInstant(value) : readDate(value);
  if (instant === null) throw new ContractError(field, `${field} ${TIME_RULE}`);
  return instant;
}

/** Reads strict RFC 3339 text; returns null for any other text. */
export function readInstant(text: string): Instant | null {
  return instantFrom(RFC_3339.exec(text));
}

/** Reads the time of a stored payload; null if invalid. `T` may be a space, and an offset may have seconds. */
export function readStoredInstant(text: string): Instant | null {
  return instantFrom(STORED.exec(text));
}

/** Reads a `Date`; returns null for anything else, and outside the years 1 to 9999. */
export function readDate(value: unknown): Instant | null {
  try {
    return value instanceof Date ? utcInstant(Date.prototype.getTime.call(value)) : null;
  } catch {
    return null; // an object that inherits from Date without being one, or a revoked proxy
  }
}

/**
 * Returns the instant at milliseconds since the Unix epoch, in UTC. Fractions of a millisecond are dropped.
 *
 * @throws {ContractError} that names `field`, outside the years 1 to 9999
 */
export function instantFromMs(ms: number, field = "clock"): Instant {
  const instant = utcInstant(Math.floor(ms));
  if (instant === null) throw new ContractError(field, `${field} must lie in the years 1 to 9999`);
  return instant;
}

/** Reads ISO text that this module wrote. */
export function instantOf(text: string): Instant {
  const instant = readStoredInstant(text);
  if (instant === null) throw new TypeError("Not the text of an instant");
  return instant;
}

/** Compares two instants. Negative if `left` is before `right`, zero if they are equal, otherwise positive. */
export function compareInstants(left: Instant, right: Instant): number {
  return left.seconds - right.seconds || left.microseconds - right.microseconds;
}

/**
 * Returns milliseconds since the Unix epoch, rounded up. For a clock of whole milliseconds, `now >= expiryMs(expiry)` means
 * exactly "expired", although the expiry has microseconds.
 */
export function expiryMs(instant: Instant): number {
  return instant.seconds * 1_000 + Math.ceil(instant.microseconds / 1_000);
}

/** Returns milliseconds since the Unix epoch, rounded down. */
export function instantMs({ seconds, microseconds }: Instant): number {
  return seconds * 1_000 + Math.floor(microseconds / 1_000);
}

function instantFrom(match: RegExpExecArray | null): Instant | null {
  if (match === null) return null;
  const [
    ,
    date = "",
    time = "",
    fraction = "",
    sign = "+",
    hours = "00",
    minutes = "00",
    offsetSeconds = "00",
  ] = match;
  const day = dayOf(Number(date.slice(0, 4)), Number(date.slice(5, 7)), Number(date.slice(8)));
  const second = secondOf(time.slice(0, 2), time.slice(3, 5), time.slice(6));
  const offset = secondOf(hours, minutes, offsetSeconds);
  if (day === null || second === null || offset === null) return null;
  const microseconds = Number(fraction.padEnd(6, "0"));
  const shift = offset === 0
    ? "+00:00"
    : `${sign}${hours}:${minutes}${offsetSeconds === "00" ? "" : `:${offsetSeconds}`}`;
  return {
    text: `${date}T${time}${fractionText(microseconds)}${shift}`,
    seconds: day * 86_400 + second - (sign === "-" ? -offset : offset),
    microseconds,
  };
}

function utcInstant(ms: number): Instant | null {
  if (Number.isNaN(ms) || ms < YEAR_1_MS || ms >= YEAR_10000_MS) return null;
  const seconds = Math.floor(ms / 1_000);
  const microseconds = (ms - seconds * 1_000) * 1_000;
  const text = `${new Date(seconds * 1_000).toISOString().slice(0, 19)}${fractionText(microseconds)}+00:00`;
  return { text, seconds, microseconds };
}

const YEAR_1_MS = -62_135_596_800_000;
const YEAR_10000_MS = 253_402_300_800_000;

function fractionText(microseconds: number): string {
  return microseconds === 0 ? "" : `.${String(microseconds).padStart(6, "0")}`;
}

/** Returns the seconds since midnight, or null if a part is out of range. */
function secondOf(hours: string, minutes: string, seconds: string): number | null {
  if (hours > "23" || minutes > "59" || seconds > "59") return null;
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
}

const DAYS_IN_MONTH = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Returns the days since 1970-01-01, or null if the calendar has no such day. */
function dayOf(year: number, month: number, day: number): number | null {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = (DAYS_IN_MONTH[month] ?? 0) + (isLeap && month === 2 ? 1 : 0);
  if (year < 1 || day < 1 || day > days) return null;
  return Date.UTC(year + 400, month - 1, day) / 86_400_000 - DAYS_IN_400_YEARS;
}

/**
 * The calendar repeats after 400 years. `dayOf` adds them and takes them off again, because `Date.UTC` reads the years
 * 0 to 99 as 1900 to 1999.
 */
const DAYS_IN_400_YEARS = 146_097;
