import { Type } from "@sinclair/typebox";
import { type AuditEntry, isMerchantsOwn } from "../../../engine/operators/audit-entry.ts";
import { maySeePersonalData } from "../../endpoint/personal-data.ts";
import { iso } from "../../endpoint/time.ts";
import { maskedEmail } from "../parts/masking.ts";
import { AuditOutcome } from "../parts/schemas.ts";
import { ok, okOf } from "./envelope.ts";
import { AuditItem, type AuditItemJson } from "./log-schemas.ts";
import { reads } from "./reads.ts";
import { listOf, PAGE_QUERY } from "./schema-parts.ts";
import { MERCHANT_BASE, merchantOf, PORTAL_RATE } from "./surface.ts";
import { damagedCursor, rangeOfQuery } from "./transaction-query.ts";
import { TRANSACTION_FILTERS } from "./transaction-schemas.ts";

export const listMerchantAudit = reads.endpoint({
  name: "merchantAudit",
  method: "GET",
  path: `${MERCHANT_BASE}/audit`,
  summary: "List entries of the merchant's audit log",
  description:
    "Lists what the merchant's users and its key changed, and what administrators and its partner changed for it. Entries are stored for 400 days, at most 10,000 of them. A page of a filtered list may have fewer items than `limit`, or none, and still have a `next`. For roles that do not see personal data, people's addresses are masked, and `ipAddress` and `note` are null.",
  auth: "merchantUser",
  may: "look",
  rateLimit: PORTAL_RATE,
  query: Type.Object({
    objectId: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: "The changed object: `subject` of the entries." })),
    requestId: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: "The `X-Request-Id` of a response." })),
    outcome: Type.Optional(AuditOutcome),
    from: TRANSACTION_FILTERS.from,
    to: TRANSACTION_FILTERS.to,
    ...PAGE_QUERY,
  }),
  responses: {
    200: {
      description: "A page.",
      body: okOf(listOf(AuditItem)),
      example: {
        status: "ok",
        data: {
          items: [
            {
              id: "1763700000000-shard-0-1a2b3c4d-000000001",
              at: "2025-11-21T04:40:00.000Z",
              actor: "mara@example.com",
              ipAddress: "192.0.2.7",
              action: "user.invite",
              subject: "usr_7Y2mBqN0cKxE4rTgVdW1aP",
              members: ["email", "role"],
              outcome: "done",
              code: null,
              note: null,
              requestId: "till-7.42",
            },
          ],
          next: null,
        },
      },
    },
    ...reads.errors(400, 401, 403, 429, 503),
  },
  handle: async ({ merchantAudit, localTime }, { caller, query }) => {
    const { objectId, requestId, outcome, cursor, limit } = query;
    const filter = {
      ...rangeOfQuery(query, localTime),
      ...(objectId === undefined ? {} : { subject: objectId }),
      ...(requestId === undefined ? {} : { requestId }),
      ...(outcome === undefined ? {} : { outcome }),
    };
    const before = cursor === undefined ? "" : readCursor(cursor);
    const { items, next } = await merchantAudit.page(merchantOf(caller), { filter, before, limit });
    const maySee = maySeePersonalData(caller);
    const body = { items: items.map(({ id, entry }) => itemOf(id, entry, maySee)), next: next === null ? null : cursorOf(next) };
    return { status: 200, body: ok(body) };
  },
});

function itemOf(id: string, entry: AuditEntry, maySee: boolean): AuditItemJson {
  const { atMs, action, subject, members, outcome, requestId, ipAddress } = entry;
  const seen = (text: string) => (maySee ? text : maskedEmail(text));
  return {
    id,
    at: iso(atMs),
    actor: seen(actorOf(entry)),
    // The addresses of operators and partners do not concern the merchant.
    ipAddress: maySee && isMerchantsOwn(entry) ? ipAddress : null,
    action,
    subject: seen(subject),
    members: [...members],
    outcome: outcome.type,
    code: outcome.type === "refused" ? outcome.code : null,
    // A note is free text and may contain personal data.
    note: maySee ? (entry.note ?? null) : null,
    requestId,
  };
}

/** Shows only the type of an actor outside the merchant's team. */
function actorOf(entry: AuditEntry): string {
  if (isMerchantsOwn(entry)) return entry.username === entry.merchantId ? "API key" : entry.username;
  return entry.actor.startsWith("partner") ? "Partner" : "Administrator";
}

const ENTRY_ID = /^\d{13}-[A-Za-z0-9.-]{1,128}$/;

function cursorOf(id: string): string {
  return Buffer.from(id).toString("base64url");
}

function readCursor(cursor: string): string {
  const id = Buffer.from(cursor, "base64url").toString("latin1");
  if (!ENTRY_ID.test(id) || cursorOf(id) !== cursor) throw damagedCursor();
  return id;
}
