/** Tests of the charts: they look for the promised parts in the text of the SVG. */

import assert from "node:assert/strict";
import { type Chart, drawChart, written } from "../../bench/chart.ts";

const CHART: Chart = {
  title: "Costs <grow> & stay",
  description: "Two of three stay.",
  marks: ["10 turns", "100 turns"],
  groups: [
    { heading: "Reading", rows: [{ name: "get", ratios: [1, 1.02], grows: false }] },
    {
      heading: "Copying",
      rows: [{ name: "list", ratios: [1.1, 0.97], grows: false }, {
        name: "backup",
        ratios: [9.6, 98.3],
        grows: true,
      }],
    },
  ],
};

/** Returns the contents of all text elements. */
function textsOf(svg: string): readonly string[] {
  return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text!);
}

/** Returns the position of the last mark of each operation, by its name. */
function placesOf(svg: string): ReadonlyMap<string, number> {
  const rows = svg.matchAll(/<g class="\w+">\n<text[^>]*>([^<]*)<[\s\S]*?class="dot" cx="([\d.]+)"/g);
  return new Map([...rows].map(([, name, x]) => [name!, Number(x)]));
}

Deno.test("A chart is the same for the same numbers", () => {
  assert.equal(drawChart(CHART), drawChart(structuredClone(CHART)));
});

Deno.test("A chart has a title and a description for screen readers", () => {
  const svg = drawChart(CHART);
  assert.match(svg, /role="img" aria-labelledby="title description"/);
  assert.match(svg, /<title id="title">Costs &#60;grow&#62; &#38; stay<\/title>/);
  assert.match(svg, /<desc id="description">Two of three stay\.<\/desc>/);
});

Deno.test("A chart names each operation and writes its last ratio out, as text", () => {
  const texts = textsOf(drawChart(CHART));
  for (
    const word of ["Reading", "get", "1.02×", "Copying", "list", "0.97×", "backup", "98.3×", "100 turns"]
  ) {
    assert(texts.includes(word), word);
  }
});

Deno.test("A chart puts higher ratios further to the right, on a logarithmic scale", () => {
  const rows = [1, 10, 100].map((ratio) => ({ name: `at ${ratio}`, ratios: [ratio], grows: true }));
  const first = { heading: "Left", rows };
  // As many rows again, for the other column.
  const places = placesOf(
    drawChart({
      ...CHART,
      groups: [first, { heading: "Right", rows: CHART.groups[1]!.rows.concat(CHART.groups[0]!.rows) }],
    }),
  );
  const [one, ten, hundred] = ["at 1", "at 10", "at 100"].map((name) => places.get(name)!);
  assert(one! < ten!);
  assert(Math.abs((hundred! - ten!) - (ten! - one!)) < 0.2);
});

Deno.test("A chart draws a ratio beyond its scale at the edge, and writes the true ratio", () => {
  const rows = [{ name: "far", ratios: [5_000], grows: true }, {
    name: "near",
    ratios: [0.01],
    grows: false,
  }];
  const svg = drawChart({ ...CHART, groups: [{ heading: "Off", rows }] });
  for (const x of placesOf(svg).values()) assert(x > 0 && x < 880);
  assert(textsOf(svg).includes("5000×"));
});

Deno.test("A chart has colours for light and for dark, and fetches nothing", () => {
  const svg = drawChart(CHART);
  assert.match(svg, /@media \(prefers-color-scheme: dark\)/);
  assert.deepEqual([...svg.matchAll(/\b(?:href|url|@import|font-face)\b/g)], []);
  assert.deepEqual([...svg.matchAll(/https?:[^"]*/g)].map(([address]) => address), [
    "http://www.w3.org/2000/svg",
  ]);
});

Deno.test("A ratio is written with three significant digits", () => {
  assert.deepEqual([0.974, 1.5, 9.99, 12.34, 118.2].map(written), ["0.97", "1.50", "9.99", "12.3", "118"]);
});
