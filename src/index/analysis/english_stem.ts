/**
 * Light English stemming: plurals, -ed, -ing, final e and y, and irregular verbs. It has the steps of M. F. Porter, "An
 * algorithm for suffix stripping" (1980), that remove inflection (1a, 1b, 1c, 5a). It leaves out steps 2 to 4, which
 * remove derivation, because they conflate words with different meanings (organ, organisation).
 */

/** A plain lower-case word. Anything else is an identifier, a number or another language, and stays as it is. */
const WORD = /^[a-z]{3,}$/;

/**
 * Irregular forms that questions and answers use: "I bought" answers "did you buy". Forms that are also common words
 * with another meaning (left, saw, found, felt, lay) are missing on purpose.
 */
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  `ate:eat eaten:eat became:become began:begin begun:begin bought:buy broke:break broken:break brought:bring built:build
   came:come caught:catch chose:choose chosen:choose children:child did:do done:do drank:drink drove:drive driven:drive
   fell:fall fallen:fall flew:fly flown:fly forgot:forget forgotten:forget gave:give given:give gone:go went:go got:get
   grew:grow grown:grow heard:hear held:hold kept:keep knew:know known:know led:lead lost:lose made:make men:man
   meant:mean met:meet paid:pay ran:run said:say sang:sing sold:sell sent:send shown:show spent:spend spoke:speak
   spoken:speak stood:stand stolen:steal swam:swim taken:take took:take taught:teach told:tell thought:think threw:throw
   thrown:throw understood:understand women:woman woke:wake won:win wore:wear worn:wear wrote:write written:write
   jan:january feb:february apr:april jun:june jul:july aug:august sept:september oct:october nov:november dec:december`
    .split(/\s+/)
    .map((pair): [string, string] => {
      const [form = "", base = ""] = pair.split(":");
      return [form, base];
    }),
);

/** Returns the stem of a folded word. The forms of a word have the same stem, which need not be a word. */
export function englishStem(word: string): string {
  if (!WORD.test(word)) return word;
  const base = IRREGULAR.get(word) ?? word;
  return base.length < 4 ? base : withoutFinal(withoutTense(withoutPlural(base)));
}

function withoutPlural(word: string): string {
  if (!word.endsWith("s") || /(?:ss|us|is)$/.test(word)) return word;
  if (word.endsWith("ies")) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
  return /(?:[sxz]|[cs]h)es$/.test(word) && word.length > 4 ? word.slice(0, -2) : word.slice(0, -1);
}

/** Words whose base ends with -eed: of "proceed" and "overfeed" nothing is removed, of "agreed" the d. */
const BASE_EED = /(?:[bcdfnsw]|bl|br|sp)eed$/;

function withoutTense(word: string): string {
  if (BASE_EED.test(word)) return word;
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const ending = word.endsWith("ed") ? 2 : word.endsWith("ing") ? 3 : 0;
  const stem = word.slice(0, word.length - ending);
  return ending === 0 || !/[aeiouy]/.test(stem) || stem.length < 2 ? word : restored(stem);
}

/** Restores the base form after -ed or -ing was removed: stopp → stop, hop → hope, updat → update. */
function restored(stem: string): string {
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (/([^aeiou])\1$/.test(stem) && !/[lsz]$/.test(stem)) return stem.slice(0, -1);
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem;
}

function withoutFinal(word: string): string {
  const stem = word.slice(0, -1);
  if (word.endsWith("y")) return /[aeiou]/.test(stem) && !/[aeiou]$/.test(stem) ? `${stem}i` : word;
  if (!word.endsWith("e")) return word;
  const syllables = measure(stem);
  return syllables > 1 || (syllables === 1 && !endsShort(stem)) ? stem : word;
}

/** Porter's measure: the number of times that consonants follow vowels. */
function measure(stem: string): number {
  return stem.replace(/^[^aeiou]y/, "aa").match(/[aeiouy]+[^aeiouy]+/g)?.length ?? 0;
}

/** Whether a stem ends in consonant, vowel, and a consonant other than w, x, y, like hop(e). */
function endsShort(stem: string): boolean {
  return /[^aeiou][aeiouy][^aeiouwxy]$/.test(stem);
}
