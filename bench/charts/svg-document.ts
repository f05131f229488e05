import { escaped } from "../../engine/kernel/escaped.ts";
import { LINES_HEIGHT, lineShapes } from "./line-chart.ts";
import { isFilled, type Panel } from "./panel.ts";
import { barShapes, markClass, markShapes, type Shapes } from "./row-chart.ts";
import { COLOURS, WIDTH } from "./scale.ts";

const MARGIN = 20;
const HEAD = 52;
const LINE = 17;
const PANEL_HEAD = 40;
const LEGEND = 20;
const GAP = 18;

/** A legend's name takes so much of the width for each character. */
const CHARACTER = 6.6;

/** Red, orange, blue, green, violet, petrol, pink, grey: far enough apart on white for eyes that do not see red or green. */
const PALETTE = ["#b3261e", "#d97706", "#2563eb", "#15803d", "#7c3aed", "#0e7490", "#be185d", "#78716c"];

const STYLE = [
  "text{font:12px system-ui,-apple-system,'Segoe UI',sans-serif;fill:#57606a}",
  ".title{font-size:19px;font-weight:600;fill:#1b1f24}.panel{font-size:14px;font-weight:600;fill:#1b1f24}.name,.number{fill:#1b1f24}.number{font-variant-numeric:tabular-nums}",
  ".grid{stroke:#d8dee4}.span{stroke:#8c959f;stroke-width:2}.spread{stroke:#1b1f24;stroke-width:1.4;fill:none}.goal{stroke:#1b1f24;stroke-width:2;stroke-dasharray:3 2}",
  "polyline{fill:none;stroke-width:1.6;stroke-linejoin:round}",
  ...Array.from(
    { length: COLOURS },
    (_, index) => `.s${index}{fill:${PALETTE[index]}}polyline.s${index}{fill:none;stroke:${PALETTE[index]}}`,
  ),
].join("");

export interface SvgDocument {
  title: string;
  /** Lines below the title: the machine, versions, the day. */
  facts: readonly string[];
  panels: readonly Panel[];
}

/** One SVG file that stands by itself, on a background of its own; panels with nothing in them are left out, null where nothing is left. */
export function svgDocument({ title, facts, panels }: SvgDocument): string | null {
  const parts: string[] = [];
  let top = HEAD + facts.length * LINE;
  for (const panel of panels.filter(isFilled)) {
    const names = namesOf(panel);
    const { height, shapes } = shapesOf(panel);
    const body = top + PANEL_HEAD + (names.length === 0 ? 0 : LEGEND);
    parts.push(
      `<text class="panel" x="${MARGIN}" y="${top + 26}">${escaped(panel.kind === "lines" ? panel.chart.title : `${panel.title}, ${panel.unit}`)}</text>`,
      ...legend(names, top + PANEL_HEAD + 4),
      `<g transform="translate(${MARGIN / 2} ${body})">`,
      ...shapes,
      "</g>",
    );
    top = body + height + GAP;
  }
  if (parts.length === 0) return null;
  const width = WIDTH + MARGIN;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${width}" height="${top}" role="img">`,
    `<title>${escaped([title, ...facts].join(". "))}</title>`,
    `<style>${STYLE}</style>`,
    `<rect x="0" y="0" width="${width}" height="${top}" fill="#ffffff"/>`,
    `<text class="title" x="${MARGIN}" y="36">${escaped(title)}</text>`,
    ...facts.map((fact, index) => `<text x="${MARGIN}" y="${HEAD + 6 + index * LINE}">${escaped(fact)}</text>`),
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

function shapesOf(panel: Panel): Shapes {
  if (panel.kind === "bars") return barShapes(panel);
  if (panel.kind === "marks") return markShapes(panel);
  return { height: LINES_HEIGHT, shapes: lineShapes(panel.chart) };
}

/** What has to be told apart by colour. */
function namesOf(panel: Panel): { text: string; colour: string }[] {
  if (panel.kind === "marks") return panel.names.map((text, which) => ({ text, colour: markClass(which) }));
  if (panel.kind === "lines") return panel.chart.series.map(({ name }, index) => ({ text: name, colour: `s${index % COLOURS}` }));
  return [];
}

function legend(names: readonly { text: string; colour: string }[], y: number): string[] {
  let x = MARGIN;
  return names.map(({ text, colour }) => {
    const drawn = `<rect class="${colour}" x="${x}" y="${y - 2}" width="11" height="11" rx="2"/><text x="${x + 16}" y="${y + 8}">${escaped(text)}</text>`;
    x += 16 + Math.round(text.length * CHARACTER) + 20;
    return drawn;
  });
}
