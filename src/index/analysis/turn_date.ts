/** The terms of dates in a text and of the turn's own date, so that "in May 2026" finds what was said then. */

import { isAscii } from "./case_fold.ts";
import { wordTerm } from "./identifier_terms.ts";

const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);

const DATE = /^(\d{4})-(\d\d)-(\d\d)/;

const MONTH =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const DAY = "(0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th)?";
const MONTH_AND_DAY = new RegExp(`\\b(?:(${MONTH})\\.? ${DAY}|${DAY} (?:of )?(${MONTH}))\\b`, "gi");

/** Month and day, as Chinese, Japanese and Korean write them. */
const NUMBERED_MONTH_AND_DAY =
  /(?<![\d一二三四五六七八九十])(\d{1,2}|[一二三四五六七八九十]{1,2}) ?[月월] ?(\d{1,2}|[一二三四五六七八九十]{1,3}) ?[日号號일]/gu;

/**
 * Returns the terms of the date of ISO text, in its own offset. These are the year, year and month, whole date, month and
 * day, and the name of the month. The day alone is not a term: "ticket 14" does not ask for what was said on a 14th.
 */
export function dateTerms(timestamp: string): string[] {
  const match = DATE.exec(timestamp);
  if (match === null) return [];
  const [date, year = "", month = "", day = ""] = match;
  return [year, `${year}-${month}`, date, `${month}-${day}`, wordTerm(MONTHS[Number(month) - 1] ?? "")];
}

const YEAR_MONTH_OR_DAY = /^(?:(?:19|20)\d\d(?:-\d\d){0,2}|\d\d-\d\d)$/;
const MONTH_TERMS: ReadonlySet<string> = new Set(MONTHS.map(wordTerm));

/** Whether {@linkcode dateTerms} returns this term for some date. */
export function isDateTerm(term: string): boolean {
  return YEAR_MONTH_OR_DAY.test(term) || MONTH_TERMS.has(term);
}

/** Yields the days in a text, as `05-14`: "May 14th", "14 May", "the 14th of May", "5月14日", "五月十四日", "5월 14일". */
export function* namedDays(text: string): Generator<string, void, undefined> {
  for (const [, monthFirst, dayLast, dayFirst, monthLast] of text.matchAll(MONTH_AND_DAY)) {
    const name = (monthFirst ?? monthLast ?? "").toLowerCase();
    const month = MONTHS.findIndex((full) => full.startsWith(name.slice(0, 3))) + 1;
    yield dayTerm(month, Number(dayLast ?? dayFirst));
  }
  if (isAscii(text)) return;
  for (const [, month = "", day = ""] of text.matchAll(NUMBERED_MONTH_AND_DAY)) {
    yield dayTerm(smallNumber(month), smallNumber(day));
  }
}

function dayTerm(month: number, day: number): string {
  return `${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}

const DIGITS = "〇一二三四五六七八九";

/** Reads a number below a hundred, in digits or in Han numerals: 二十八 is 28, 十 is 10. */
function smallNumber(text: string): number {
  if (/^\d/.test(text)) return Number(text);
  const ten = text.indexOf("十");
  if (ten < 0) return DIGITS.indexOf(text);
  const tens = ten === 0 ? 1 : DIGITS.indexOf(text.slice(0, ten));
  return tens * 10 + Math.max(0, DIGITS.indexOf(text.slice(ten + 1) || "〇"));
}
