/** Breaks of a SQL statement: a condition that always holds, an order turned round, a limit or a bound off by one. */

/** What stands at a place of a statement instead. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** How many brackets are open around it. */
  readonly depth: number;
}

const STATEMENTS = ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"];
const ENDS_CONDITION = [
  "AND",
  "OR",
  "ORDER",
  "GROUP",
  "LIMIT",
  "RETURNING",
  "UNION",
  "ON",
  "DO",
  "HAVING",
  "WHERE",
];
const OTHER_BOUND: Readonly<Record<string, string>> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };

/** All breaks of a text; none where it is no statement that reads or writes rows. */
export function findSqlBreaks(sql: string): readonly TextChange[] {
  const words = splitSql(sql);
  if (!STATEMENTS.includes(words[0]?.text ?? "")) return [];
  return words.flatMap((word, index) => breaksAt(words, index, word));
}

function breaksAt(words: readonly Word[], index: number, word: Word): readonly TextChange[] {
  const next = words[index + 1];
  if (word.text === "WHERE" || word.text === "AND" || word.text === "OR") return dropCondition(words, index);
  if (word.text === "LIMIT" && next !== undefined) {
    return [{ start: next.start, end: next.end, replacement: `${next.text} + 1` }];
  }
  if (word.text === "DESC") return [{ ...word, replacement: "ASC" }];
  if (word.text === "BY" && words[index - 1]?.text === "ORDER") return turnOrder(words, index);
  const other = OTHER_BOUND[word.text];
  return other === undefined ? [] : [{ ...word, replacement: other }];
}

/** The condition after a word becomes true, and still uses its parameters, which the caller goes on binding. */
function dropCondition(words: readonly Word[], index: number): readonly TextChange[] {
  const first = words[index + 1];
  if (first === undefined || first.text === "EXISTS" || first.text === "NOT") return [];
  let last = index + 1;
  while (isInCondition(words[last + 1], first.depth)) last++;
  const condition = words.slice(index + 1, last + 1);
  if (condition.some(({ text }) => text === "BETWEEN")) return [];
  const used = condition.filter(({ text }) => text.startsWith("$")).map(({ text }) => `${text} IS ${text}`);
  const replacement = words[index]!.text === "OR" ? "0" : used.length === 0 ? "1" : `(${used.join(" AND ")})`;
  return [{ start: first.start, end: words[last]!.end, replacement }];
}

function isInCondition(word: Word | undefined, depth: number): boolean {
  if (word === undefined || word.depth < depth) return false;
  return word.depth > depth || !ENDS_CONDITION.includes(word.text);
}

/** The first column of an order that says no direction is sorted the other way round. */
function turnOrder(words: readonly Word[], index: number): readonly TextChange[] {
  const column = words[index + 1];
  const after = words[index + 2];
  if (column === undefined || after?.text === "DESC" || after?.text === "(" || after?.text === ".") return [];
  return [{ start: column.end, end: column.end, replacement: " DESC" }];
}

function splitSql(sql: string): readonly Word[] {
  const words: Word[] = [];
  let depth = 0;
  for (let at = 0; at < sql.length;) {
    const end = endOfWord(sql, at);
    const text = sql.slice(at, end);
    if (text === ")") depth--;
    if (text.trim() !== "") words.push({ text, start: at, end, depth });
    if (text === "(") depth++;
    at = end;
  }
  return words;
}

function endOfWord(sql: string, at: number): number {
  const isLetter = (index: number): boolean => /[\w$.]/.test(sql.charAt(index));
  if (sql[at] === "'") return sql.indexOf("'", at + 1) + 1 || sql.length;
  if (!isLetter(at)) return at + (["<=", ">=", "<>", "!=", "||"].includes(sql.slice(at, at + 2)) ? 2 : 1);
  let end = at;
  while (end < sql.length && isLetter(end)) end++;
  return end;
}
