/** The width of the code's margin in modules. */
const MARGIN = 2;

/** Returns a text as a QR code: an SVG image in a `data:` URL for the `img` of a page. */
export async function qrDataUrl(text: string): Promise<string> {
  const { default: qrCode } = await import("qrcode");
  const svg = await qrCode.toString(text, { type: "svg", margin: MARGIN });
  return `data:image/svg+xml;base64,${Buffer.from(svg, "utf8").toString("base64")}`;
}
