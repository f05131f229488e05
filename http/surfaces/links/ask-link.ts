import { Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { amountDiffers, type LinkRecord } from "../../../engine/links/link.ts";
import type { OutgoingFile } from "../../endpoint/endpoint.ts";
import { FRESHNESS_HEADERS, freshnessOf } from "../parts/verified-link.ts";
import { IdParams, notFound, TxIdParams } from "./link-params.ts";
import { LinkStatus, statusBody, statusWord } from "./record.ts";
import { links } from "./surface.ts";

const answers = {
  ...links.errors(401, 404, 503),
  200: {
    description: "The payment.",
    body: LinkStatus,
    example: {
      status: "SUCCESS",
      txId: "2f6f1d38-0c3b-4b6d-9d1e-0b0d8d6b1a51",
      paymentId: "8c8f6f5f2d7b4f0e9a5e3f1f7a2b9c10",
      createdAt: "2025-10-04T12:00:00.000",
      expiresAt: "2025-10-04T13:00:00.000",
      amount: "12.34",
      currency: "EUR",
      terminalID: "SIM00001",
      resultCode: "GW_000",
      message: "Transaction completed successfully",
      tranId: "3000025641",
      authCode: "A1B2C3",
      maskedPan: "411111******1111",
      cardBrand: "VISA",
      payerName: "Ada",
      payerLastName: "Lovelace",
    },
  },
} as const;

export const linkStatus = links.endpoint({
  name: "linkStatus",
  method: "GET",
  path: "/api/v1/payment/status/{txId}",
  summary: "Get the status of a link",
  description:
    "Returns what the relay knows, without asking the gateway. An expired link has the result code `GW_20002`. A link that the gateway has not confirmed yet is PENDING without `paymentUrl`.",
  auth: "apiKey",
  params: TxIdParams,
  responses: answers,
  handle: async ({ useLink, localTime }, { params, caller }) => {
    const record = await useLink.find(caller, params.txId);
    return record === null ? notFound(params.txId) : { status: 200 as const, body: statusBody(record, localTime) };
  },
});

export const paymentStatus = links.endpoint({
  name: "paymentStatus",
  method: "GET",
  path: "/api/payment/status/{id}",
  summary: "Get the status of a gateway payment",
  auth: "apiKey",
  params: IdParams,
  responses: answers,
  handle: async ({ useLink, localTime }, { params, caller }) => {
    const record = await useLink.find(caller, params.id);
    return record === null ? notFound(params.id) : { status: 200 as const, body: statusBody(record, localTime) };
  },
});

export const verifyLink = links.endpoint({
  name: "verifyLink",
  method: "POST",
  path: "/api/v1/payment/verify/{txId}",
  summary: "Verify a link at the card gateway",
  description:
    "Returns PENDING, SUCCESS, FAILED or EXPIRED as text. For a payment that is paid, or was verified within the last three seconds (one that has ended without being paid: within the last minute), the known state is returned. While the gateway cannot be reached, the state does not change, and the answer has `Relay-Answer-Stale: true`.",
  auth: "apiKey",
  rateLimit: { bucket: "links", perSecond: 50 },
  deadlineMs: 20_000,
  params: TxIdParams,
  responses: {
    200: {
      description: "The state.",
      contentType: "text/plain; charset=utf-8",
      body: Type.String(),
      example: "SUCCESS",
      headers: {
        "Relay-Amount-Differs": {
          description: "`true` if the paid amount or currency differs from the order; the status has the details.",
        },
        ...FRESHNESS_HEADERS,
      },
    },
    ...links.errors(401, 404, 429, 503),
  },
  handle: async ({ useLink }, { params, caller }) => {
    const verified = await useLink.verify(caller, params.txId);
    if (verified === null) return notFound(params.txId);
    const { record } = verified;
    const differs = amountDiffers(record) ? { "Relay-Amount-Differs": "true" } : {};
    return { status: 200 as const, text: statusWord(record), headers: { ...differs, ...freshnessOf(verified) } };
  },
});

/** Width of the code's margin in modules, and size of a module in pixels: readable by cameras on screens and on paper. */
const MARGIN = 4;
const PNG_SCALE = 8;

export const linkQrCode = links.endpoint({
  name: "linkQrCode",
  method: "GET",
  path: "/api/v1/payment/qr/{txId}",
  summary: "Get the QR code of a link",
  description: "SVG, or PNG if `format` or the header `Accept` requests it.",
  auth: "apiKey",
  params: TxIdParams,
  query: Type.Object({ format: Type.Optional(Type.Union([Type.Literal("svg"), Type.Literal("png")])) }),
  headers: Type.Object({ accept: Type.Optional(Type.String({ maxLength: 1_024 })) }),
  responses: {
    200: {
      description: "The image, as `image/svg+xml` or `image/png`.",
      contentType: "image/svg+xml",
      otherContentTypes: ["image/png"],
      file: true,
    },
    ...links.errors(401, 404, 409, 503),
  },
  handle: async ({ useLink }, { params, query, headers, caller }) => {
    const record = await useLink.find(caller, params.txId);
    if (record === null) return notFound(params.txId);
    const format = query.format ?? formatOf(headers.accept ?? "");
    return { status: 200 as const, file: await imageOf(addressOf(record), format) };
  },
});

function addressOf({ paymentUrl }: LinkRecord): string {
  if (paymentUrl === null) throw new RelayError("conflict", "The gateway has not confirmed this payment yet: it has no address");
  return paymentUrl;
}

function formatOf(accept: string): "svg" | "png" {
  return accept.includes("image/png") && !accept.includes("image/svg+xml") ? "png" : "svg";
}

async function imageOf(text: string, format: "svg" | "png"): Promise<OutgoingFile> {
  const { default: qrCode } = await import("qrcode");
  if (format === "svg") return fileOf(Buffer.from(await qrCode.toString(text, { type: "svg", margin: MARGIN })), "image/svg+xml");
  return fileOf(await qrCode.toBuffer(text, { type: "png", margin: MARGIN, scale: PNG_SCALE }), "image/png");
}

/** Sends data in memory like a file. */
function fileOf(bytes: Buffer, contentType: string): OutgoingFile {
  return {
    contentType,
    offset: 0,
    length: bytes.length,
    read: async (into, position) => bytes.copy(into, 0, position, position + into.length),
    close: () => {},
  };
}
