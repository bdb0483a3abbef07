/**
 * Light English stemming: plurals, -ed, -ing, final e and y, and irregular verbs. The steps are those of M. F. Porter,
 * "An algorithm for suffix stripping" (1980), that undo inflection (1a, 1b, 1c, 5a); steps 2 to 4, which undo the
 * making of words, are left out: they join words that people tell apart (organ, organisation).
 */

/** Plain lower-case words; anything else is an identifier, a number or another language, and stays as it is. */
const WORD = /^[a-z]{3,}$/;

/**
 * Forms that no rule reaches, as questions and answers use them: "did you buy" is answered by "I bought". Forms that
 * are common words of their own (left, saw, found, felt, lay) are missing on purpose.
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

/** The stem of a folded word; equal for the forms of one word, and not always a word itself. */
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

function withoutTense(word: string): string {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const ending = word.endsWith("ed") ? 2 : word.endsWith("ing") ? 3 : 0;
  const stem = word.slice(0, word.length - ending);
  return ending === 0 || !/[aeiouy]/.test(stem) || stem.length < 2 ? word : mended(stem);
}

/** What is left after -ed or -ing, as the word was before: stopp → stop, hop → hope, updat → update. */
function mended(stem: string): string {
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

/** How often a vowel is followed by a consonant: Porter's measure. */
function measure(stem: string): number {
  return stem.replace(/^[^aeiou]y/, "aa").match(/[aeiouy]+[^aeiouy]+/g)?.length ?? 0;
}

/** Whether it ends in consonant, vowel, consonant other than w, x, y: the ending of hop(e). */
function endsShort(stem: string): boolean {
  return /[^aeiou][aeiouy][^aeiouwxy]$/.test(stem);
}
