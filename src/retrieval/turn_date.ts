/** Dates as terms: those that a text names, and the one a turn carries, so that "in May 2026" finds what was said then. */

import { wordTerm } from "./identifier_terms.ts";

const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);

const DATE = /^(\d{4})-(\d\d)-(\d\d)/;

const MONTH =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const DAY = "(0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th)?";
const MONTH_AND_DAY = new RegExp(`\\b(?:(${MONTH})\\.? ${DAY}|${DAY} (?:of )?(${MONTH}))\\b`, "gi");

/**
 * The terms of the date of ISO text, as its own offset writes it: year, year and month, whole date, month and day, and
 * the month's name. Not the day alone: "pump 14" is not asking for what was said on a 14th.
 */
export function dateTerms(timestamp: string): string[] {
  const match = DATE.exec(timestamp);
  if (match === null) return [];
  const [date, year = "", month = "", day = ""] = match;
  return [year, `${year}-${month}`, date, `${month}-${day}`, wordTerm(MONTHS[Number(month) - 1] ?? "")];
}

/** The days that a text names in words, as `05-14`: "May 14th", "14 May", "the 14th of May". */
export function* namedDays(text: string): Generator<string, void, undefined> {
  for (const [, monthFirst, dayLast, dayFirst, monthLast] of text.matchAll(MONTH_AND_DAY)) {
    const name = (monthFirst ?? monthLast ?? "").toLowerCase();
    const month = MONTHS.findIndex((full) => full.startsWith(name.slice(0, 3))) + 1;
    yield `${String(month).padStart(2, "0")}-${(dayLast ?? dayFirst ?? "").padStart(2, "0")}`;
  }
}
