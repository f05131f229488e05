import type { Shop } from "../branding/branding.ts";
import { GROUNDS, paletteOf } from "../branding/colors.ts";
import { escaped } from "../kernel/escaped.ts";
import type { MailBlock, MailBody, MailLocale } from "./mail-text.ts";

/**
 * The address of the logo within the mail: it is attached, so no reader loads it from the relay.
 */
export const LOGO_CID = "logo@relay";

/** The sender of mails to people of the portal. */
const PORTAL: Readonly<Record<MailLocale, Shop>> = {
  it: { name: "Portale esercenti", color: "#3557e0", logo: null },
  en: { name: "Merchant portal", color: "#3557e0", logo: null },
};

/** The colour of buyers' pages without branding (buyer-page.css). */
const USUAL_COLOR = "#0b5fa5";

const BY_HAND: Readonly<Record<MailLocale, string>> = {
  it: "Se il pulsante non funziona, apri questo indirizzo:",
  en: "If the button does not work, open this address:",
};

const LOGO_HEIGHT = 48;
const LOGO_WIDTH_MAX = 240;

/** Colours of texts and lines; each class has the second colour in dark mode. */
const INKS = { ink: ["#1b1f23", "#eef1f4"], quiet: ["#4a5560", "#b4bfc9"], line: ["#d7dce2", "#39424b"] } as const;

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/**
 * Writes a mail as HTML for a shop's customers, or for people of the portal without a shop. Styles
 * are attributes, because many readers drop other styles. The only other style is for dark mode.
 * The mail loads nothing.
 */
export function mailHtml(subject: string, { locale, blocks }: MailBody, shop: Shop | null): string {
  const { name, color, logo } = shop ?? PORTAL[locale];
  const palette = paletteOf(color ?? USUAL_COLOR);
  const [ground, card] = [GROUNDS.light[1], GROUNDS.light[0]];
  const dark = [
    `.ground{background:${GROUNDS.dark[1]}!important}`,
    `.card{background:${GROUNDS.dark[0]}!important}`,
    ...Object.entries(INKS).map(([inkName, [, ink]]) => `.${inkName}{color:${ink}!important;border-color:${ink}!important}`),
    `.accent{color:${palette.accent.dark}!important}`,
    `.button{border-color:${palette.accent.dark}!important}`,
  ].join("");
  const cell = `padding:28px 24px 32px;${FONT};font-size:16px;line-height:1.5`;
  return `<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(subject)}</title>
<style>:root{color-scheme:light dark}@media (prefers-color-scheme:dark){${dark}}</style>
</head>
<body class="ground" style="margin:0;padding:0;background:${ground}">
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:${ground}">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;background:${card};border-top:6px solid ${palette.fill};border-radius:12px;text-align:left">
<tr><td class="ink" style="${cell};color:${INKS.ink[0]}">
${logo === null ? "" : logoImage(name, logo)}<p class="ink" style="margin:0 0 20px;font-weight:600;overflow-wrap:anywhere;color:${INKS.ink[0]}">${escaped(name)}</p>
<h1 class="ink" style="margin:0 0 16px;font-size:22px;line-height:1.3;overflow-wrap:anywhere;color:${INKS.ink[0]}">${escaped(subject)}</h1>
${blocks.map((block) => blockHtml(block, locale, palette)).join("\n")}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}

/** The HTML without its logo, for a logo that was removed while the mail was waiting. */
export function withoutLogo(html: string): string {
  // All values are escaped, so no other text of a mail can begin like this.
  return html.replace(/<img src="cid:[^>]*>\n/, "");
}

function logoImage(name: string, { width, height }: NonNullable<Shop["logo"]>): string {
  const scale = Math.min(LOGO_HEIGHT / height, LOGO_WIDTH_MAX / width);
  const [shownWidth, shownHeight] = [width, height].map((pixels) => Math.max(1, Math.round(pixels * scale)));
  // The name in the place of a blocked image is dark on the white ground of the logo.
  const style = `display:block;margin:0 0 12px;border:0;border-radius:6px;background:#ffffff;color:${INKS.ink[0]};font-size:14px`;
  return `<img src="cid:${LOGO_CID}" alt="${escaped(name)}" width="${shownWidth}" height="${shownHeight}" style="${style}">\n`;
}

function blockHtml(block: MailBlock, locale: MailLocale, { fill, onFill, accent }: ReturnType<typeof paletteOf>): string {
  if (typeof block === "string") return paragraph(block, "ink", 16);
  if ("note" in block) return paragraph(block.note, "quiet", 14);
  if ("facts" in block) {
    const rows = block.facts.map(([label, value]) => {
      const side = `padding:8px 0;border-bottom:1px solid ${INKS.line[0]};vertical-align:top`;
      const name = `<th scope="row" align="left" class="line" style="${side};padding-right:16px;font-weight:400"><span class="quiet" style="color:${INKS.quiet[0]}">${escaped(label)}</span></th>`;
      return `<tr>${name}<td class="line" style="${side};overflow-wrap:anywhere"><span class="ink" style="color:${INKS.ink[0]};font-weight:600">${escaped(value)}</span></td></tr>`;
    });
    return `<table width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 20px;font-size:16px;line-height:1.4">${rows.join("")}</table>`;
  }
  const url = escaped(block.url);
  const button = `display:inline-block;padding:13px 22px;border:1px solid ${accent.light};border-radius:6px;background:${fill};color:${onFill};font-weight:600;text-decoration:none`;
  const link = `color:${accent.light};overflow-wrap:anywhere;word-break:break-word`;
  return `${paragraph(block.lead, "ink", 16)}
<p style="margin:0 0 12px"><a class="button" href="${url}" style="${button}">${escaped(block.button)}</a></p>
<p class="quiet" style="margin:0 0 20px;font-size:14px;color:${INKS.quiet[0]}">${escaped(BY_HAND[locale])}<br><a class="accent" href="${url}" style="${link}">${url}</a></p>`;
}

function paragraph(text: string, ink: "ink" | "quiet", pixels: number): string {
  const style = `margin:0 0 16px;font-size:${pixels}px;overflow-wrap:anywhere;color:${INKS[ink][0]}`;
  return `<p class="${ink}" style="${style}">${escaped(text).replaceAll("\n", "<br>")}</p>`;
}
