import assert from "node:assert/strict";
import fc from "fast-check";
import { RICH_ANALYZER } from "../../src/index/analysis/analyzer.ts";
import { richTerms } from "../../src/index/analysis/rich_analyzer.ts";

const AT = "2026-05-14T12:00:00+00:00";

/** Returns the terms of a question that a document has. */
function shared(question: string, document: string): string[] {
  const { frequencies } = RICH_ANALYZER.documentTerms(document, AT);
  return RICH_ANALYZER.queryTerms(question).filter((term) => frequencies.has(term));
}

function assertFinds(question: string, document: string): void {
  assert.notDeepEqual(
    shared(question, document),
    [],
    `${JSON.stringify(question)} in ${JSON.stringify(document)}`,
  );
}

Deno.test("the forms of words whose base ends with -eed have one term, and those of -ee as well", () => {
  for (const forms of ["proceed proceeds proceeded proceeding", "exceed exceeded", "overfeed overfeeding"]) {
    const terms = forms.split(" ").map((word) => RICH_ANALYZER.queryTerms(word)[0]);
    assert.deepEqual(new Set(terms).size, 1, forms);
  }
  for (const forms of ["agree agreed", "guarantee guaranteed", "decreed decree", "refereed referee"]) {
    assert.deepEqual(
      new Set(forms.split(" ").map((word) => RICH_ANALYZER.queryTerms(word)[0])).size,
      1,
      forms,
    );
  }
});

Deno.test("RET-01 Any text is a valid question, and none has query syntax", () => {
  const questions = [
    ...[
      "what's the pump plan?",
      "pump-north",
      "kiln 20.04",
      "depot:safe",
      'say "hi',
      "(lamp",
      "pump AND",
      "AND",
      "NEAR(",
    ],
    ...["*", "^pump", "-pump", "C++", "100%", "x:y", '""', "'", "a\0b", "a\ud83db", "pump ".repeat(5_000)],
  ];
  for (const question of questions) RICH_ANALYZER.queryTerms(question);
  assertFinds("depot:safe", "the safe of the depot");
  assert.deepEqual(RICH_ANALYZER.queryTerms("pump AND"), ["pump"]);
  assert.deepEqual(RICH_ANALYZER.queryTerms("NEAR("), ["near"]);
  assert.ok(RICH_ANALYZER.queryTerms("C++").includes("c++"));
  const words = Array.from({ length: 5_000 }, (_, index) => `word${index}x`).join(" ");
  assert.equal(RICH_ANALYZER.queryTerms(words).length, 512);
});

Deno.test("RET-02 Chinese without spaces is found by any part of it", () => {
  for (const question of ["阀门", "巡检", "关闭阀门", "阀", "夜间 阀门", "巡检阀门"]) {
    assertFinds(question, "夜间巡检后再关闭阀门");
  }
  assertFinds("タワー", "東京タワーの夜景");
  assertFinds("점검", "배포점검표");
});

Deno.test("RET-03 Questions in any script find documents in it", () => {
  const pairs = [["Żaba", "Żaba depot"], ["Ключ", "Ключ под ковром"], ["배포", "배포 점검표"], [
    "مفتاح",
    "مفتاح الخزنة",
  ]] as const;
  for (const [question, document] of pairs) assertFinds(question, document);
  assertFinds("naïve", "naïve plan");
});

Deno.test("RET-03 Questions and documents go through the same function", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
      const { frequencies } = RICH_ANALYZER.documentTerms(text, AT);
      return RICH_ANALYZER.queryTerms(text).every((term) => frequencies.has(term));
    }),
    { seed: 3, numRuns: 500 },
  );
});

Deno.test("RET-05 Identifiers are found whole, by their parts, and in other spellings", () => {
  assertFinds("lamp_gid", "gid of the lamp rack");
  assertFinds("moss-relay", "moss-relay carries v4.10.2");
  assert.ok(shared("4.10.2", "moss-relay carries v4.10.2").includes("4.10.2"));
  assert.ok(shared("v4.10.2", "moss-relay carries v4.10.2").includes("v4.10.2"));
  assertFinds("main.ts", "src/kiln/main.ts:41");
  assertFinds("kiln/main", "src/kiln/main.ts:41");
  for (const spelling of ["OVEN_API_KEY", "oven-api-key", "ovenApiKey"]) {
    assert.ok(shared("oven_api_key", spelling).includes("ovenapikey"), spelling);
  }
});

Deno.test("RET-05 A document with the exact identifier has more of the question's terms than one with its parts", () => {
  assert.ok(shared("lamp_gid", "lamp_gid is 88").length > shared("lamp_gid", "gid of the lamp rack").length);
});

Deno.test("RET-06 Parts of camelCase and of letter and digit joins are found, and the whole", () => {
  for (const question of ["kiln", "temp", "kiln2temp"]) assertFinds(question, "kiln2Temp high");
  for (const question of ["relay", "HTTP", "getHttpRelayCode"]) assertFinds(question, "getHTTPRelayCode");
  assertFinds("iphone", "my iPhone");
  assertFinds("shard19", "shard-19 failed");
});

Deno.test("RET-07 Composed and decomposed spellings find each other", () => {
  assertFinds("Bj\u00f6rk", "Bjo\u0308rk depot");
  assertFinds("Bjo\u0308rk", "Bj\u00f6rk depot");
  assertFinds("한글", "\u1112\u1161\u11ab\u1100\u1173\u11af 표");
});

Deno.test("Canonically and compatibly equal texts have equal terms", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (text) => {
      for (const form of ["NFC", "NFD", "NFKC", "NFKD"] as const) {
        assert.deepEqual(richTerms(text.normalize(form)), richTerms(text));
      }
    }),
    { seed: 7, numRuns: 500 },
  );
});

Deno.test("RET-15 Thai, Lao and Khmer words are found without spaces", () => {
  for (const question of ["กุญแจสำรอง", "ลิ้นชัก", "สำรอง"]) assertFinds(question, "กุญแจสำรองอยู่ในลิ้นชัก");
  assertFinds("ກະແຈ", "ກະແຈຢູ່ໃນລິ້ນຊັກ");
  assertFinds("កូនសោ", "កូនសោនៅក្នុងថត");
});

Deno.test("RET-17 Megabytes of unbroken text are read in linear time", () => {
  for (
    const text of [
      "数据管线".repeat(100_000),
      "a".repeat(2_000_000),
      "aB3+/".repeat(200_000),
      "a-".repeat(500_000),
    ]
  ) {
    assert.ok(richTerms(text).length > 0);
  }
});

Deno.test("RET-20 Invisible characters, direction marks, tatweel and vowel points make no difference", () => {
  const pairs = [
    ...[["warehouse", "ware\u00adhouse"], ["passcode", "pass\u200bcode"], [
      "gateway",
      "gate\u2060way",
    ]] as const,
    ...[["مفتاح", "\u200fمفتاح"], ["مفتاح", "مفتـــاح"], ["מפתח", "מַפְתֵּחַ"], ["key", "\ufeffkey"]] as const,
  ];
  for (const [question, document] of pairs) assert.deepEqual(richTerms(document), richTerms(question));
});

Deno.test("Combining marks stay inside words", () => {
  assert.deepEqual(richTerms("తెలుగు"), ["తెలుగు"]);
});

Deno.test("Case is folded fully, as in the table", () => {
  assert.deepEqual(richTerms("Straße STRASSE"), ["strass", "strass"]);
  assert.deepEqual(richTerms("ΟΔΥΣΣΕΥΣ οδυσσευς"), ["οδυσσευσ", "οδυσσευσ"]);
});

Deno.test("Forms of an English word find each other", () => {
  assert.deepEqual([...new Set(richTerms("update updates updated updating"))], ["updat"]);
  assert.deepEqual([...new Set(richTerms("stop stops stopped stopping"))], ["stop"]);
  assert.deepEqual([...new Set(richTerms("buy bought buying"))], ["buy"]);
  assert.deepEqual(richTerms("plan plane"), ["plan", "plane"]);
});

Deno.test("Function words of a question are left out, unless it has no others", () => {
  assert.deepEqual(RICH_ANALYZER.queryTerms("What did the customer say about it?"), ["customer", "say"]);
  assert.deepEqual(RICH_ANALYZER.queryTerms("who are you"), ["are", "who", "you"]);
  assert.deepEqual(RICH_ANALYZER.queryTerms("?!"), []);
});

Deno.test("A document has the terms of its turn's date", () => {
  assert.deepEqual(shared("What broke in May 2026?", "the pump broke"), ["2026", "break", "may"]);
  assert.deepEqual(shared("2026-05-14", "the pump"), ["05-14", "2026", "2026-05", "2026-05-14"]);
  for (const question of ["14 May", "May 14th", "the 14th of May"]) {
    assert.deepEqual(shared(question, "the pump"), ["05-14", "may"]);
  }
  assert.deepEqual(shared("pump 14", "the lamp"), []);
});

Deno.test("Days that a text names in words are found by any spelling of the date", () => {
  assert.ok(richTerms("due on Sept. 3rd").includes("09-03"));
  assertFinds("2026-05-14", "we met on May 14");
  assert.deepEqual(richTerms("may 45").filter((term) => term.includes("-")), []);
});

Deno.test("The date of a document does not count as length, and a text without words is not a document", () => {
  assert.equal(RICH_ANALYZER.documentTerms("the pump", AT).length, 2);
  assert.equal(RICH_ANALYZER.documentTerms("!!!", AT).length, 0);
  assert.equal(RICH_ANALYZER.documentTerms("!!!", AT).frequencies.size, 0);
});

Deno.test("Latin words are found without their marks, and the exact spelling matches more terms", () => {
  const pairs = [["pensao sao joao", "Pensão São João"], ["zolwia", "ulica Żółwia"], ["cafe", "Cafés"], [
    "duong",
    "Đường",
  ], ["sudwind", "Südwind’s offer"]] as const;
  for (const [question, document] of pairs) {
    assertFinds(question, document);
    assertFinds(document, question);
  }
  assert.ok(shared("pensão", "Pensão").length > shared("pensao", "Pensão").length);
  assert.deepEqual(richTerms("й ё Ελλάδα"), ["й", "ё", "ελλάδα"]);
});

Deno.test("Days are found in digits, words and Han numerals", () => {
  const spellings = [
    "May 28th",
    "28 May",
    "the 28th of May",
    "2026-05-28",
    "5月28日",
    "五月二十八日",
    "5월 28일",
  ];
  for (const question of spellings) {
    for (const document of spellings) assert.ok(shared(question, document).includes("05-28"), document);
  }
  assert.ok(richTerms("十月十日").includes("10-10"));
  assert.ok(richTerms("十二月三十一日").includes("12-31"));
});

Deno.test("Numbers in groups of three are found as one number, but not lists, versions and addresses", () => {
  for (const spelling of ["12,044", "12 044", "12.044", "12'044", "12044"]) {
    assert.ok(shared("12044", `scanned ${spelling} rows`).includes("12044"), spelling);
  }
  assert.ok(richTerms("1,000,000").includes("1000000"));
  for (const text of ["1,2,3", "10.1.100", "192.168.1.100", "2026 100", "1,000 200,300"]) {
    assert.ok(!richTerms(text).some((term) => /^\d{5,}$/.test(term) && term !== "200300"), text);
  }
});
