import { createHash } from "node:crypto";
import type { LogoFacts, Shop } from "../../../../engine/branding/branding.ts";
import { paletteOf } from "../../../../engine/branding/colors.ts";
import type { Shops } from "../../../../engine/branding/shop-branding.ts";
import { escaped } from "../../../../engine/kernel/escaped.ts";

/** The path of a logo's file, which another file never has. */
export function logoPath({ id }: Pick<LogoFacts, "id">): string {
  return `/logo/${id}`;
}

/**
 * The parts of a page that show the shop, and the sources that its policy has to allow for them.
 */
export interface ShopParts {
  /** HTML at the end of `head`. */
  readonly head: string;
  /** HTML at the beginning of `main`. */
  readonly header: string;
  /** Further sources of styles. */
  readonly styles: string;
  /** The allowed images; empty for none. */
  readonly images: string;
}

/** A page for a wrong address, for example, has no shop. */
export const WITHOUT_SHOP: ShopParts = { head: "", header: "", styles: "", images: "" };

/** The height of a logo on the page in CSS pixels, and its greatest width. */
const LOGO_HEIGHT = 48;
const LOGO_WIDTH_MAX = 240;

/**
 * Returns the parts for a shop. A shop without branding has none, so its pages look as those of the
 * relay. `own` is the origin at which browsers reach the relay.
 */
export function shopParts({ name, color, logo }: Shop, own: string): ShopParts {
  if (color === null && logo === null) return WITHOUT_SHOP;
  const style = color === null ? "" : styleOf(color);
  const url = logo === null ? "" : own + logoPath(logo);
  return {
    head: style === "" ? "" : `<style>${style}</style>\n`,
    header: `<div class="shop">${logo === null ? "" : imageOf(logo, url)}<span class="shop-name">${escaped(name)}</span></div>\n`,
    styles: style === "" ? "" : ` 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    images: url,
  };
}

/** The collaborators of pages that show a shop. */
export interface ShopOperations {
  shops: Shops;
  /** The origin at which customers' browsers reach the relay; known once it listens. */
  linkPages: { own(): string };
}

export interface ShownShop extends ShopParts {
  readonly name: string;
}

/** Finds the shop of a page. Rejects with RelayError `unavailable` when the store cannot answer. */
export async function shownShop({ shops, linkPages }: ShopOperations, merchantId: string): Promise<ShownShop> {
  const shop = await shops.of(merchantId);
  return { name: shop.name, ...shopParts(shop, linkPages.own()) };
}

/** Colours only. All digits are computed, so nothing of the text is the merchant's. */
function styleOf(color: string): string {
  const { fill, onFill, accent } = paletteOf(color);
  return `:root{--accent:light-dark(${accent.light},${accent.dark});--fill:${fill};--on-fill:${onFill}}main{border-top:0.375rem solid var(--fill)}`;
}

/** The name is next to the image, so readers of screens do not hear it twice. */
function imageOf({ width, height }: LogoFacts, url: string): string {
  const scale = Math.min(LOGO_HEIGHT / height, LOGO_WIDTH_MAX / width);
  const [shownWidth, shownHeight] = [width, height].map((pixels) => Math.max(1, Math.round(pixels * scale)));
  return `<img class="shop-logo" src="${escaped(url)}" alt="" width="${shownWidth}" height="${shownHeight}">`;
}
