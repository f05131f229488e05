import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { directoryOf } from "../../../test/storage/kv/world.ts";
import { formatted } from "../../charts/formatted.ts";
import { lineFigure } from "../../charts/line-chart.ts";
import type { Panel } from "../../charts/panel.ts";
import { COLOURS } from "../../charts/scale.ts";
import { svgDocument } from "../../charts/svg-document.ts";
import { drawResult } from "../../plots/draw.ts";
import { KIND_ORDER, kindOf } from "../../plots/kinds.ts";
import { withFigures } from "../../plots/results-page.ts";
import { readResults, tidyResults } from "../../plots/stored-results.ts";
import { byKind, readResultName } from "../../result-name.ts";
import { assertPlot } from "./well-formed.ts";

const RESULTS = "bench/results";

const document = (...panels: Panel[]) => svgDocument({ title: "A <title> & more", facts: ["2026-01-02"], panels });

describe("plots of the results that are here", () => {
  it("are drawn from each result's JSON, and are what the command draws", async () => {
    const { kept } = await readResults(RESULTS);
    const drawn = kept.filter(({ json }) => json !== null);
    assert.ok(drawn.length >= 10);
    for (const { result, svg } of drawn) {
      assert.ok(svg !== null, `${result.name} has nothing to draw`);
      assertPlot(svg);
      assert.equal(await readFile(join(RESULTS, `${result.name}.svg`), "utf8"), svg, `${result.name}: npm --prefix bench run plots`);
    }
  });

  it("are of the newest two of each kind, and bench/RESULTS.md has the figures of the newest", async () => {
    const { newest, older } = await readResults(RESULTS);
    assert.deepEqual(older, [], "npm --prefix bench run plots deletes them");
    const page = await readFile("bench/RESULTS.md", "utf8");
    assert.equal(page, withFigures(page, newest), "npm --prefix bench run plots writes it");
  });

  it("keep what stands around the figures, and refuse a page without its marks", async () => {
    const { newest } = await readResults(RESULTS);
    const page = await readFile("bench/RESULTS.md", "utf8");
    const changed = withFigures(page.replace("# Results", "# Other").replace(/\| pay, 64 connections \|[^\n]*\n/, ""), newest);
    assert.equal(changed, page.replace("# Results", "# Other"));
    assert.throws(() => withFigures("# Results", newest), /has to have the lines/);
  });
});

describe("a plot", () => {
  it("of one value, zero or a huge one is drawn within its frame", () => {
    for (const value of [0, 1e-9, 0.5, 1, 1e15]) {
      const svg = document(
        {
          kind: "bars",
          title: "t",
          unit: "u",
          bars: [{ label: "one", value, low: value / 2, high: value * 2, goal: { at: 3, better: "less" } }],
        },
        { kind: "marks", title: "t", unit: "ms", names: ["p50", "p99"], rows: [{ label: "one", values: [value, null] }] },
        {
          kind: "lines",
          chart: { title: "t", series: [{ name: "s", points: [[1, value]] }], xLabel: "x", yLabel: "y", yScale: "linear" },
        },
      );
      assert.ok(svg !== null);
      assertPlot(svg);
      for (const [, place = ""] of svg.matchAll(/ (?:x|x1|x2|cx|width)="([^"]+)"/g)) {
        assert.ok(Number(place) >= 0 && Number(place) <= 880, `${value}: ${place}`);
      }
    }
  });

  it("shows names and facts as they are, and cuts those that are too long", () => {
    const label = `<b>&"'${"x".repeat(100)}`;
    const svg = document({ kind: "bars", title: "<script>", unit: "%", bars: [{ label, value: 1 }] }) ?? "";
    assertPlot(svg);
    assert.match(svg, /A &lt;title&gt; &amp; more/);
    assert.match(svg, /x…<title>/);
  });

  it("leaves out panels that have nothing in them, and is none where nothing is left", () => {
    const empty: Panel[] = [
      { kind: "bars", title: "empty bars", unit: "u", bars: [] },
      { kind: "marks", title: "empty marks", unit: "ms", names: ["p50"], rows: [{ label: "l", values: [null] }] },
      { kind: "lines", chart: { title: "empty lines", series: [{ name: "s", points: [] }], xLabel: "x", yLabel: "y", yScale: "log" } },
    ];
    assert.equal(document(...empty), null);
    assert.doesNotMatch(document(...empty, { kind: "bars", title: "full", unit: "u", bars: [{ label: "l", value: 1 }] }) ?? "", /empty/);
  });

  it("of any kind is drawn of what a result has, and breaks at nothing that it lacks", async () => {
    for (const name of KIND_ORDER) {
      assert.deepEqual(
        [{}, null, 7, "text", []].map((json) => drawResult(`2026-01-02-${name}-2cores`.replace("--", "-"), json, "")),
        Array(5).fill(null),
      );
    }
    const { kept } = await readResults(RESULTS);
    for (const { result, json } of kept) for (const less of withoutEach(json)) assert.doesNotThrow(() => kindOf(result.kind)?.panels(less));
    const [cluster] = kept.filter(({ result }) => result.kind === "cluster");
    assert.ok(cluster !== undefined);
    const without = (
      drawResult(cluster.result.name, { ...Object(cluster.json), feed: null, loads: [null, {}, { what: "pay" }] }, "") ?? ""
    ).toString();
    assertPlot(without);
    assert.match(without, /killed with -9/);
    assert.doesNotMatch(without, /Feed|as fast as/);
  });

  it("tells the machine, the Node version, the commit and the day", () => {
    const json = {
      date: "2026-01-02",
      machine: { cores: 4, processor: "Intel(R) Xeon(R)", memoryGb: 8, node: "v22.1.0" },
      commit: "abc",
      rows: 1,
      runs: [{ perSecond: 5 }],
    };
    assert.match(
      drawResult("2026-01-02-feed-4cores-xeon", json, "") ?? "",
      />2026-01-02, 4 cores \(Intel\(R\) Xeon\(R\)\), 8 GB, Node v22.1.0, commit abc</,
    );
    const former =
      drawResult("2026-01-02-feed-4cores-xeon-3", { runs: [{ perSecond: 5 }] }, "2026, 4 cores (AMD (R) EPYC), Node v20.2.0. Text") ?? "";
    assert.match(former, />2026-01-02, 4 cores \(AMD \(R\) EPYC\), Node v20.2.0, commit not kept</);
  });
});

describe("the newest two of each kind", () => {
  it("are told by the name: kind, day, machine and number", () => {
    const read = (name: string) => {
      const { date, kind, cores, processor, number } = readResultName(name) ?? {};
      return [date, kind, cores, processor, number];
    };
    assert.deepEqual(read("2026-11-24-2cores"), ["2026-11-24", null, 2, null, 1]);
    assert.deepEqual(read("2026-11-24-2cores-xeon-12"), ["2026-11-24", null, 2, "xeon", 12]);
    assert.deepEqual(read("2026-11-24-portal-lists-16cores-apple-m2-2"), ["2026-11-24", "portal-lists", 16, "apple-m2", 2]);
    assert.deepEqual(read("2026-11-24-cluster-2cores-3"), ["2026-11-24", "cluster", 2, null, 3]);
    assert.deepEqual(read("2026-11-25-node-22-beside-20"), ["2026-11-25", "node-22-beside-20", null, null, 1]);
    assert.equal(readResultName("README"), null);
  });

  it("are chosen by day, then by number, whatever the machine", () => {
    const names = [
      "2026-01-02-feed-2cores-10",
      "2026-01-02-feed-2cores-9",
      "2026-01-02-feed-8cores",
      "2026-01-03-feed-2cores",
      "2026-01-01-links-2cores",
    ];
    const kinds = byKind(names.flatMap((name) => readResultName(name) ?? []));
    assert.deepEqual(
      [...kinds].map(([kind, results]) => [kind, results.map(({ name }) => name)]),
      [
        ["feed", ["2026-01-03-feed-2cores", "2026-01-02-feed-2cores-10", "2026-01-02-feed-2cores-9", "2026-01-02-feed-8cores"]],
        ["links", ["2026-01-01-links-2cores"]],
      ],
    );
  });

  it("stay, what is older goes with its plot, and other files are left alone", async (test) => {
    const folder = await directoryOf(test);
    for (const day of ["01", "02", "03"]) {
      await writeFile(join(folder, `2026-01-${day}-feed-2cores.json`), JSON.stringify({ runs: [{ perSecond: 5 }] }));
      await writeFile(join(folder, `2026-01-${day}-feed-2cores.md`), "# Feed\n");
    }
    for (const other of ["2026-01-01-feed-2cores.svg", "2026-01-01-feed-2cores.txt", "notes.md"]) await writeFile(join(folder, other), "");
    const { newest, older } = await tidyResults(folder);
    assert.deepEqual(
      newest.map(({ result }) => result.name),
      ["2026-01-03-feed-2cores"],
    );
    assert.deepEqual(
      older,
      ["json", "md", "svg"].map((ending) => `2026-01-01-feed-2cores.${ending}`),
    );
    const left = await readResults(folder);
    assert.deepEqual([left.kept.length, left.older], [2, []]);
    assertPlot(await readFile(join(folder, "2026-01-02-feed-2cores.svg"), "utf8"));
    assert.equal(await readFile(join(folder, "2026-01-01-feed-2cores.txt"), "utf8"), "");
    assert.equal(await readFile(join(folder, "notes.md"), "utf8"), "");
  });

  it("are not touched where one of them cannot be read", async (test) => {
    const folder = await directoryOf(test);
    for (const day of ["01", "02", "03"]) await writeFile(join(folder, `2026-01-${day}-feed-2cores.json`), day === "03" ? "{" : "{}");
    await assert.rejects(tidyResults(folder), SyntaxError);
    assert.equal(await readFile(join(folder, "2026-01-01-feed-2cores.json"), "utf8"), "{}");
  });
});

it("numbers are shown with as many digits as people read", () => {
  assert.deepEqual([0, 0.004, 0.25, 9.876, 12.34, 123.4, 30_000, 1e15].map(formatted), [
    "0",
    "0.004",
    "0.25",
    "9.88",
    "12.3",
    "123",
    "30,000",
    "1000T",
  ]);
});

/** A result as it would be without each of its members, in turn, down to those of the first of each list. */
function* withoutEach(json: unknown, depth = 0): Generator<unknown> {
  if (typeof json !== "object" || json === null || depth > 4) return;
  if (Array.isArray(json)) {
    const [first, ...rest] = json;
    yield [null, ...rest];
    for (const less of withoutEach(first, depth + 1)) yield [less, ...rest];
    return;
  }
  for (const [name, value] of Object.entries(json)) {
    const { [name]: _, ...others }: { [member: string]: unknown } = { ...json };
    yield others;
    for (const less of withoutEach(value, depth + 1)) yield { ...json, [name]: less };
  }
}

it("more lines than colours are told apart: the further ones are broken", () => {
  const series = Array.from({ length: COLOURS + 1 }, (_, index) => ({
    name: `line ${index}`,
    points: [
      [0, index],
      [1, index + 1],
    ] as const,
  }));
  const figure = lineFigure({ title: "many", xLabel: "x", yLabel: "y", yScale: "linear", series });
  assert.equal(figure.match(/class="s0"/g)?.length, 2, "the first one, and its place in the legend");
  assert.equal(figure.match(/class="s0 again"/g)?.length, 2, "the one of the same colour");
});
