import { LOGO_BYTES_MAX, LOGO_PIXELS_MAX, LOGO_PIXELS_MIN } from "../../../../engine/branding/check-image.ts";
import { logoPath } from "../../parts/buyer/buyer-shop.ts";
import { ok, okOf, type PortalCode, refusal } from "../envelope.ts";
import { MERCHANT_BASE, merchantOf, PORTAL_RATE } from "../surface.ts";
import { Branding, BrandingColor, type BrandingJson } from "./schemas.ts";
import { type BrandingOperations, branding } from "./surface.ts";

const PATH = `${MERCHANT_BASE}/branding`;
const ID = "8f2c4b1e9d7a60538f2c4b1e9d7a6053";
const EXAMPLE: BrandingJson = {
  name: "Caffè Centrale",
  color: "#b3261e",
  logo: { id: ID, url: `/logo/${ID}`, type: "image/png", width: 320, height: 120, bytes: 8_214 },
};

const NO_STEP_UP = "It changes only how pages and mails look, moves no money, and can be changed back.";

const answered = { description: "The branding after the call.", body: okOf(Branding), example: { status: "ok", data: EXAMPLE } };

export const showBranding = branding.endpoint({
  name: "merchantBranding",
  method: "GET",
  path: PATH,
  summary: "Get the logo and the colour that customers see",
  description: "The pages of payment links and subscriptions, and mails to customers, show the name, the logo and the colour.",
  auth: "merchantUserOrKey",
  may: "look",
  rateLimit: PORTAL_RATE,
  responses: { 200: answered, ...branding.errors(401, 403, 429, 503) },
  handle: async (operations, { caller }) => ({ status: 200, body: ok(await brandingOf(operations, merchantOf(caller))) }),
});

export const saveBrandingColor = branding.endpoint({
  name: "merchantSaveBrandingColor",
  method: "PUT",
  path: `${PATH}/color`,
  summary: "Set or remove the colour that customers see",
  description:
    "Buttons are filled with the colour. The relay chooses black or white for the text on it, and shades of the colour for links and outlines, so that the contrast is at least 4.5 to 1 in light and dark mode.",
  auth: "merchantUserOrKey",
  may: "configure",
  noStepUp: NO_STEP_UP,
  rateLimit: PORTAL_RATE,
  body: BrandingColor,
  bodyExample: { color: "#b3261e" },
  audit: { action: "branding.color" },
  responses: { 200: answered, ...branding.errors(400, 401, 403, 413, 415, 429, 503) },
  handle: async (operations, { caller, body }) => {
    const merchantId = merchantOf(caller);
    await operations.shopBranding.saveColor(merchantId, body.color);
    return { status: 200, body: ok(await brandingOf(operations, merchantId)) };
  },
});

const KB = 1_024;
const SIZES = `${LOGO_PIXELS_MIN} to ${LOGO_PIXELS_MAX} pixels on each side`;

/** The reasons for which a file is no logo. */
const REFUSALS: Readonly<
  Record<Exclude<Awaited<ReturnType<BrandingOperations["shopBranding"]["saveLogo"]>>, object>, [PortalCode, string]>
> = {
  empty: ["image_type", "file: the file is empty. Upload a PNG, JPEG or WebP image"],
  type: ["image_type", "file: this is not an image. Upload a PNG, JPEG or WebP image"],
  svg: [
    "image_svg",
    "file: SVG images are not accepted, because they can contain scripts and load other files, and mail programs do not show them. Upload a PNG, JPEG or WebP image",
  ],
  damaged: ["image_damaged", "file: the image is damaged or incomplete, or other data follows it. Save it again as PNG, JPEG or WebP"],
  animated: ["image_animated", "file: the image is animated. Upload an image with one picture"],
  dimensions: ["image_dimensions", `file: the image must have ${SIZES}`],
};

export const saveLogo = branding.endpoint({
  name: "merchantSaveLogo",
  method: "POST",
  path: `${PATH}/logo`,
  summary: "Upload the logo that customers see",
  description: `Replaces the logo by a PNG, JPEG or WebP image of at most ${LOGO_BYTES_MAX / KB} KB with ${SIZES}. The relay checks the bytes of the image, not its name or content type, and removes metadata such as the place of a photo. It rejects SVG, because such images can contain scripts and load other files. An interrupted upload changes nothing.`,
  auth: "merchantUserOrKey",
  may: "configure",
  noStepUp: NO_STEP_UP,
  rateLimit: PORTAL_RATE,
  upload: { member: "file", description: "The image.", bytesMax: LOGO_BYTES_MAX },
  audit: { action: "branding.logo" },
  responses: {
    200: answered,
    ...branding.errors(400, 401, 403, 408, 413, 429, 503),
    415: {
      description:
        "`image_type`: neither PNG nor JPEG nor WebP. `image_svg`: SVG is not accepted. `image_damaged`: incomplete, or followed by other data. `image_animated`: several pictures. `image_dimensions`: too many or too few pixels. Or the body is not a multipart form.",
      body: branding.envelope.schema,
    },
  },
  handle: async (operations, { caller, upload }) => {
    const merchantId = merchantOf(caller);
    const outcome = await operations.shopBranding.saveLogo(merchantId, upload.read);
    if (typeof outcome === "string") return refusal(415, ...REFUSALS[outcome]);
    return { status: 200, body: ok(await brandingOf(operations, merchantId)) };
  },
});

export const removeLogo = branding.endpoint({
  name: "merchantRemoveLogo",
  method: "DELETE",
  path: `${PATH}/logo`,
  summary: "Delete the logo that customers see",
  description: "The relay deletes the file. Mails that wait to be sent go out without it.",
  auth: "merchantUserOrKey",
  may: "configure",
  noStepUp: NO_STEP_UP,
  rateLimit: PORTAL_RATE,
  audit: { action: "branding.remove-logo" },
  responses: { 200: answered, ...branding.errors(401, 403, 429, 503) },
  handle: async (operations, { caller }) => {
    const merchantId = merchantOf(caller);
    await operations.shopBranding.removeLogo(merchantId);
    return { status: 200, body: ok(await brandingOf(operations, merchantId)) };
  },
});

async function brandingOf({ shops }: BrandingOperations, merchantId: string): Promise<BrandingJson> {
  const { name, color, logo } = await shops.of(merchantId);
  return { name, color, logo: logo === null ? null : { ...logo, url: logoPath(logo) } };
}
