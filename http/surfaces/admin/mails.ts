import { type Static, Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { MailInOutbox } from "../../../engine/mails/administer-mails.ts";
import type { Endpoint } from "../../endpoint/endpoint.ts";
import { iso } from "../../endpoint/time.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { outboxPage, PAGE_POLICY } from "./mail-page.ts";
import { MailSchema, MailWithText } from "./mail-schemas.ts";
import { type AdminOperations, adminOfMails as admin } from "./surface.ts";

const PAGE_DEFAULT = 100;
const PAGE_MAX = 500;

/** Mails on the page for people. */
const ON_PAGE = 100;

const EXAMPLE = {
  id: "inv_4fK2mQ8vX1cZ7nB3sD5gHj",
  kind: "invitation" as const,
  to: "ada@shop.example",
  merchantId: "SHOP-001",
  state: "QUEUED" as const,
  attempts: 0,
  createdAt: "2026-01-01T10:00:00.000Z",
  expiresAt: "2026-01-04T10:00:00.000Z",
  endedAt: null,
};

const MailId = Type.String({ pattern: "^[A-Za-z0-9_.-]{1,100}$" });

const listMails = admin.endpoint({
  name: "listMails",
  method: "GET",
  path: "/admin/mails",
  summary: "List mails",
  description: "Of the last 30 days, without what is in them.",
  auth: "admin",
  role: "operator",
  machine: "never",
  query: Type.Object({
    after: Type.Optional(Type.String({ maxLength: 100, pattern: "^[\\x21-\\x7e]*$", description: "The last id of the previous page." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT, parameterName: "PageSize" })),
  }),
  responses: {
    200: { description: "A page.", body: okBody(Type.Array(MailSchema)), example: { status: "ok", data: [EXAMPLE] } },
    ...admin.errors(400, 401, 403, 503),
  },
  handle: async ({ administerMails }, { query }) => {
    const page = await administerMails.page(query.after ?? null, query.limit ?? PAGE_DEFAULT);
    return { status: 200, body: { status: "ok", data: page.map(mailOf) } };
  },
});

const showMail = admin.endpoint({
  name: "showMail",
  method: "GET",
  path: "/admin/mails/{id}",
  summary: "Get a mail",
  description:
    "For installations without RELAY_SMTP_URL: an owner passes on what is in it. Whoever has the link of an invitation or of a new password can sign in with it, so each call is written to the audit log.",
  auth: "admin",
  role: "owner",
  stepUp: true,
  params: Type.Object({ id: MailId }),
  audit: { action: "mail.read" },
  responses: {
    200: {
      description: "The mail.",
      body: okBody(MailWithText),
      example: {
        status: "ok",
        data: { ...EXAMPLE, subject: "You are invited", text: "Open https://relay.example/portal/invitation/... within 72 hours." },
      },
    },
    ...admin.errors(400, 401, 403, 404, 503),
  },
  handle: async ({ administerMails }, { params }) => {
    const found = await administerMails.mail(params.id);
    if (found === null) throw new RelayError("not_found", "There is no such mail");
    const { subject = null, text = null } = found.content ?? {};
    return { status: 200, body: { status: "ok", data: { ...mailOf(found.record), subject, text } } };
  },
});

const showOutbox = admin.endpoint({
  name: "showOutbox",
  method: "GET",
  path: "/admin/outbox",
  summary: "Get the newest mails as a page",
  description:
    "The newest 100 with what is in them, where nothing sends mail (no RELAY_SMTP_URL); else without. Each call is written to the audit log.",
  auth: "admin",
  role: "owner",
  stepUp: true,
  audit: { action: "mail.read", subject: () => "outbox" },
  responses: {
    200: {
      description: "An HTML page without scripts.",
      body: Type.String(),
      contentType: "text/html; charset=utf-8",
      headers: {
        "Content-Security-Policy": { description: "The page loads nothing, and no page holds it in a frame." },
        "Referrer-Policy": { description: "Links in mails have tokens; no page learns where it was opened from." },
      },
    },
    ...admin.errors(401, 403, 503),
  },
  handle: async ({ administerMails }) => ({
    status: 200,
    text: outboxPage(await administerMails.newest(ON_PAGE), administerMails.sends),
    headers: { "Content-Security-Policy": PAGE_POLICY, "Referrer-Policy": "no-referrer" },
  }),
});

/** Mails of the merchant portal, for operators. */
export const mailEndpoints: Endpoint<Pick<AdminOperations, "administerMails">>[] = [listMails, showMail, showOutbox];

function mailOf(record: MailInOutbox["record"]): Static<typeof MailSchema> {
  const { id, kind, to, merchantId, state, attempts, createdAtMs, expiresAtMs, updatedAtMs } = record;
  return {
    ...{ id, kind, to, merchantId, state, attempts },
    createdAt: iso(createdAtMs),
    expiresAt: iso(expiresAtMs),
    endedAt: state === "QUEUED" ? null : iso(updatedAtMs),
  };
}
