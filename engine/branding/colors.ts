/** A colour as a merchant enters it: six hexadecimal digits after `#`. */
export const COLOR_PATTERN = "^#[0-9A-Fa-f]{6}$";

/** WCAG 2.2, success criterion 1.4.3: the contrast of text of any size. */
export const CONTRAST_MIN = 4.5;

const WHITE = "#ffffff";
const BLACK = "#000000";

/**
 * The backgrounds of buyers' pages (buyer-page.css) and of mails: the card and what surrounds it.
 */
export const GROUNDS = { light: ["#ffffff", "#f4f5f7"], dark: ["#1e2327", "#14171a"] } as const;

type Rgb = readonly [red: number, green: number, blue: number];

function rgbOf(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** The relative luminance of WCAG, from 0 for black to 1 for white. */
function luminance(color: string): number {
  const [red, green, blue] = rgbOf(color).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

/** The contrast of two colours by WCAG, from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/**
 * White or black, whichever is easier to read on this colour. The contrast is always sufficient.
 */
export function inkOn(color: string): string {
  return contrastOf(WHITE, color) >= contrastOf(BLACK, color) ? WHITE : BLACK;
}

const STEPS = 50;

/**
 * The colour, moved towards black or white only as far as it needs to be legible on these grounds.
 */
function legibleOn(color: string, grounds: readonly string[]): string {
  const towards = inkOn(grounds[0] ?? WHITE);
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = mix(color, towards, step / STEPS);
    if (grounds.every((ground) => contrastOf(mixed, ground) >= CONTRAST_MIN)) return mixed;
  }
  return towards;
}

function mix(color: string, towards: string, share: number): string {
  const target = rgbOf(towards);
  const channels = rgbOf(color).map((channel, index) => Math.round(channel + ((target[index] ?? 0) - channel) * share));
  return `#${channels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

export interface Palette {
  /** Filled areas have the colour of the shop in both modes. */
  readonly fill: string;
  readonly onFill: string;
  /** Texts, borders and focus outlines on the grounds of each mode. */
  readonly accent: { readonly light: string; readonly dark: string };
}

/** The colours of a page or mail that derive from the colour of a shop. */
export function paletteOf(color: string): Palette {
  return {
    fill: color,
    onFill: inkOn(color),
    accent: { light: legibleOn(color, GROUNDS.light), dark: legibleOn(color, GROUNDS.dark) },
  };
}
