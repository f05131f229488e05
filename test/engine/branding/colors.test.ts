import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { CONTRAST_MIN, contrastOf, GROUNDS, inkOn, paletteOf } from "../../../engine/branding/colors.ts";

describe("colours", () => {
  /** The values of the WCAG formula, to two places. */
  const CONTRASTS: readonly (readonly [one: string, other: string, contrast: number])[] = [
    ["#000000", "#ffffff", 21],
    ["#ffffff", "#000000", 21],
    ["#777777", "#ffffff", 4.48],
    ["#767676", "#ffffff", 4.54],
    ["#0000ff", "#ffffff", 8.59],
    ["#ff0000", "#ffffff", 4],
    ["#ff0000", "#000000", 5.25],
    ["#ffff00", "#ffffff", 1.07],
    ["#1e2327", "#8ec7ff", 8.88],
    ["#123456", "#123456", 1],
  ];
  for (const [one, other, contrast] of CONTRASTS) {
    it(`computes the contrast of ${one} and ${other} as ${contrast}`, () =>
      assert.equal(Math.round(contrastOf(one, other) * 100) / 100, contrast));
  }

  const INKS: readonly (readonly [color: string, ink: string])[] = [
    ["#ffffff", "#000000"],
    ["#000000", "#ffffff"],
    ["#ffcc00", "#000000"],
    ["#0b5fa5", "#ffffff"],
    ["#ff0000", "#000000"],
  ];
  for (const [color, ink] of INKS) it(`writes on ${color} with ${ink}`, () => assert.equal(inkOn(color), ink));

  it("makes texts legible on every colour, and accents on every ground in both modes", () => {
    const levels = [0, 0x33, 0x66, 0x99, 0xcc, 0xff];
    for (const red of levels) {
      for (const green of levels) {
        for (const blue of levels) {
          const color = `#${[red, green, blue].map((level) => level.toString(16).padStart(2, "0")).join("")}`;
          const { fill, onFill, accent } = paletteOf(color);
          assert.equal(fill, color);
          assert.ok(contrastOf(fill, onFill) >= CONTRAST_MIN, `${onFill} on ${fill}`);
          for (const mode of ["light", "dark"] as const) {
            for (const ground of GROUNDS[mode]) {
              assert.ok(contrastOf(accent[mode], ground) >= CONTRAST_MIN, `${color} becomes ${accent[mode]} on ${ground}`);
            }
          }
        }
      }
    }
  });

  it("leaves a colour that is legible as it is", () => {
    assert.equal(paletteOf("#0b5fa5").accent.light, "#0b5fa5");
    assert.equal(paletteOf("#8ec7ff").accent.dark, "#8ec7ff");
  });

  it("knows the grounds of the buyers' pages", () => {
    const style = readFileSync(new URL("../../../http/surfaces/parts/buyer/buyer-page.css", import.meta.url), "utf8");
    const inStyle = ["card", "ground"].map((name) => new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(style));
    assert.deepEqual(GROUNDS, {
      light: inStyle.map((found) => found?.[1]),
      dark: inStyle.map((found) => found?.[2]),
    });
  });
});
