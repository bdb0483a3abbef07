/** Texts that drive a terminal if they are printed raw (CLI-01). */

/** Each text by its effect. */
export const POISON: Readonly<Record<string, string>> = {
  "clear the screen": "\x1b[2J",
  "set the clipboard": "\x1b]52;c;aGk=\x07",
  "colour, by a C1 control": "\u009b31m",
  "make a link": "\x1b]8;;u\x1b\\",
  "go back to the start of the line": "\r",
  "rub out": "\b".repeat(20),
  "write backwards": "\u202e",
  "isolate": "\u2066",
  "end a C string": "\0",
  "swallow what follows": "\x1b]",
  "show nothing": "\u3164\u115f\uffa0\u2800\u034f\u17b4\ufe0f\u200d",
  "show what each terminal likes": "\ue000\u{f0000}\ufdd0\u{5fffe}\u0378",
};

/** All of them in one name; names hold no NUL. */
export const POISONED_NAME: string = `name ${Object.values(POISON).join("").replaceAll("\0", "")}`;

/** All of them in one text. */
export const POISONED_TEXT: string = `text ${Object.values(POISON).join(" ")} end\nholdfast: faked line`;

/** Characters that must not be printed: controls except line feeds, changes of text direction, invisible characters. */
export const DRIVES: RegExp =
  // deno-lint-ignore no-control-regex
  /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|[\u3164\u115f\uffa0\u2800\u034f\u17b4\ufdd0\u0378\p{Co}]/u;
