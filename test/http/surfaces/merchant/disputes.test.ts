import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { rolesThatMay } from "../../../../engine/access/merchant-user-grant.ts";
import type { BoardQuery } from "../../../../engine/cases/case-list.ts";
import type { DisputeRecord } from "../../../../engine/disputes/dispute.ts";
import type { Disputes } from "../../../../engine/disputes/disputes.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { MerchantDay } from "../../../../engine/payments/merchant-transactions.ts";
import { bind } from "../../../../http/endpoint/endpoint.ts";
import { disputeEndpoints } from "../../../../http/surfaces/merchant/disputes/endpoints.ts";
import { disputeObject } from "../../../../http/surfaces/merchant/disputes/schemas.ts";
import { alert } from "../../../engine/alerts/machine-world.ts";
import { dispute, file, ID, NOW_MS, submission } from "../../../engine/disputes/machine-world.ts";
import { assertMatches, listOf, member } from "../../../support/http/matches.ts";
import { BY_OWNER, OWNER_EMAIL, peopleOf, ROLES, sharedOperations } from "./dispute-people.ts";

const RECORD = dispute("OPEN", {
  draft: { statement: "Ada Lovelace signed for it", fields: { signedBy: "Ada Lovelace" } },
  files: [file(1, "kept", { name: "Ada Lovelace.pdf" }), file(2, "staged"), file(3, "removed")],
  submissions: [submission(1, "taken", { by: BY_OWNER, statement: "To Ada Lovelace", fields: { to: "Ada Lovelace" }, fileIds: ["dpf_1"] })],
});

type Answer<Method extends keyof Disputes> = Disputes[Method] extends (...given: never[]) => Promise<infer Said> ? Said : never;

async function open(t: TestContext) {
  const said = {
    saved: { type: "saved", dispute: RECORD } as Answer<"saveDraft">,
    added: { type: "added", dispute: RECORD, fileId: "dpf_1" } as Answer<"addFile">,
    removed: { type: "removed", dispute: RECORD } as Answer<"removeFile">,
    challenged: { type: "submitted", dispute: RECORD } as Answer<"challenge">,
    card: null as MerchantDay["byMethod"] | null,
  };
  const asked: { queries: BoardQuery[]; uploads: { name: string; bytes: number }[]; by: unknown[] } = { queries: [], uploads: [], by: [] };
  const own = (id: string): DisputeRecord | null => (id === ID ? RECORD : null);
  const disputes: Omit<Disputes, "list"> = {
    find: async (_owner, id) => own(id),
    stats: async () => ({
      ...{ counts: { OPEN: 1, WON: 1 }, amountsMinor: { OPEN: { EUR: 1_234 } }, dueSoon: 1, winRate: 1, escalated: 0, complete: true },
      month: { count: 1, amountsMinor: { EUR: 1_234 } },
    }),
    ofPayment: async () => [],
    saveDraft: async (_owner, id) => own(id) && said.saved,
    addFile: async (_owner, id, upload) => {
      let bytes = 0;
      await upload.read(async (piece) => {
        bytes += piece.length;
      });
      asked.uploads.push({ name: upload.name, bytes });
      return own(id) && said.added;
    },
    removeFile: async (_owner, id, fileId) => (fileId === "dpf_1" ? own(id) && said.removed : null),
    readFile: async (_owner, id, fileId) => {
      const found = fileId === "dpf_1" ? own(id) : null;
      return found === null
        ? null
        : {
            file: file(1),
            pieces: async function* () {
              yield Buffer.from("%PDF-");
            },
          };
    },
    challenge: async (_owner, id, _response, by) => {
      asked.by.push(by);
      return own(id) && said.challenged;
    },
    accept: async (_owner, id) => own(id) && { type: "accepted", dispute: RECORD },
  };
  const operations = {
    ...sharedOperations(NOW_MS),
    disputes,
    disputeBoard: {
      list: async (_owner: unknown, query: BoardQuery) => {
        asked.queries.push(query);
        return {
          items: [
            { type: "dispute" as const, dispute: RECORD },
            { type: "alert" as const, alert: alert("PENDING") },
          ],
          next: "more",
        };
      },
    },
    alerts: { stats: async () => ({ counts: { PENDING: 1 }, amountsMinor: {}, preventionRate: null, dueSoon: 1, complete: true }) },
    merchantTransactions: {
      sums: async (): Promise<MerchantDay> => {
        if (said.card === null) throw new RelayError("unavailable", "ClickHouse does not answer");
        return { sums: [], hours: [], byMethod: said.card, byTerminal: [] };
      },
    },
  };
  return { said, asked, send: await peopleOf(t, bind(disputeEndpoints, operations), NOW_MS) };
}

function form(): FormData {
  const data = new FormData();
  data.append("file", new Blob(["%PDF-1.7"]), "prova – Übergabe.pdf");
  return data;
}

const CALLS = [
  { method: "GET", path: "/disputes", may: "look" },
  { method: "GET", path: "/disputes/stats", may: "look" },
  { method: "GET", path: `/disputes/${ID}`, may: "look" },
  { method: "PUT", path: `/disputes/${ID}/draft`, body: () => ({ statement: "x" }), may: "operate" },
  { method: "POST", path: `/disputes/${ID}/evidence?category=DELIVERY`, body: form, may: "operate" },
  { method: "GET", path: `/disputes/${ID}/evidence/dpf_1`, may: "see personal data" },
  { method: "DELETE", path: `/disputes/${ID}/evidence/dpf_1`, may: "operate" },
  { method: "POST", path: `/disputes/${ID}/respond`, body: () => ({ action: "ACCEPT" }), may: "operate", stepUp: true },
] as const;

for (const call of CALLS) {
  const { method, path, may } = call;
  const body = () => ("body" in call ? call.body() : undefined);
  test(`rejects missing callers and roles without permission, and answers all others and the key: ${method} ${path}`, async (t) => {
    const { send } = await open(t);
    assertMatches(await send("nobody", method, path, body()), { status: 401 });
    assert.ok((await send("key", method, path, body())).status < 300);
    for (const role of ROLES) {
      const answer = await send(role, method, path, body());
      if ("stepUp" in call && role === "ADMIN") assertMatches(answer, { status: 403, body: { code: "step_up_required" } });
      else if (rolesThatMay(may).includes(role)) assert.ok(answer.status < 300, `${role}: ${answer.text}`);
      else assertMatches(answer, { status: 403, body: { code: "role" } });
    }
  });
}

test("shows personal data only to those who may see it", async (t) => {
  const { send } = await open(t);
  for (const who of ["key", "OWNER", "FINANCE"] as const) {
    assertMatches(await send(who, "GET", `/disputes/${ID}`), {
      body: {
        data: {
          ...{ draft: { statement: /Ada/, fields: { signedBy: "Ada Lovelace" } }, files: [{ name: "Ada Lovelace.pdf", submitted: true }] },
          responses: [{ by: OWNER_EMAIL, byType: "user", statement: "To Ada Lovelace", fields: { to: "Ada Lovelace" } }],
        },
      },
    });
  }
  for (const who of ["DEVELOPER", "VIEWER"] as const) {
    const shown = await send(who, "GET", `/disputes/${ID}`);
    assert.ok(!shown.text.includes("Ada") && !shown.text.includes(OWNER_EMAIL), shown.text);
    assertMatches(shown.body, {
      data: {
        ...{ draft: { statement: null, fields: {} }, files: [{ name: "***.pdf" }] },
        responses: [{ by: "o***@shop.example", statement: null, fields: {}, fileIds: ["dpf_1"] }],
      },
    });
  }
  assert.doesNotMatch(JSON.stringify(disputeObject(RECORD)), /Ada|dpf_|owner/i);
});

test("names its state equally in the list, its filter, the dispute, the statistics and the events", async (t) => {
  const { send } = await open(t);
  const item = listOf(member((await send("key", "GET", "/disputes?status=OPEN")).body, "data", "items"))[0];
  const { body } = await send("key", "GET", `/disputes/${ID}`);
  assertMatches(item, { status: "OPEN", state: undefined });
  assertMatches(body, { data: { status: "OPEN", state: undefined } });
  assertMatches((await send("key", "GET", "/disputes/stats")).body, { data: { amounts: [{ status: "OPEN", state: undefined }] } });
  assertMatches(disputeObject(RECORD), { status: "OPEN" });
  assertMatches(await send("key", "GET", "/disputes?state=OPEN"), {
    ...{ status: 400, body: { error: "state: is not a query parameter of this endpoint" } },
  });
});

test("passes the query of a list, and marks alerts", async (t) => {
  const { send, asked } = await open(t);
  const query =
    "status=OPEN&stage=CHARGEBACK&category=FRAUD&from=2026-11-01&to=2026-11-02&dueWithinDays=3&terminalId=T1&currency=CHF&q=x&includeAlerts=false&limit=7&cursor=c";
  assertMatches(await send("key", "GET", `/disputes?${query}`), {
    body: {
      data: {
        items: [
          { kind: "dispute", status: "OPEN" },
          { kind: "alert", status: "ALERT", stage: null, network: "ETHOCA" },
        ],
        next: "more",
      },
    },
  });
  assertMatches(asked.queries[0], {
    ...{
      status: "OPEN",
      stage: "CHARGEBACK",
      category: "FRAUD",
      terminalId: "T1",
      currency: "CHF",
      q: "x",
      includeAlerts: false,
      limit: 7,
      cursor: "c",
    },
    ...{ dueBeforeMs: NOW_MS + 3 * 86_400_000, fromMs: Date.parse("2026-10-31T23:00:00Z"), beforeMs: Date.parse("2026-11-02T23:00:00Z") },
  });
  await send("key", "GET", "/disputes");
  assertMatches(asked.queries[1], { status: null, dueBeforeMs: null, includeAlerts: true, limit: 50, cursor: null, q: null });
  for (const wrong of ["status=PENDING", "dueWithinDays=0", "from=2026-11-02&to=2026-11-01", "limit=201", "category=NOVEL"]) {
    assertMatches(await send("key", "GET", `/disputes?${wrong}`), { status: 400, body: { code: "invalid_request" } });
  }
});

test("returns statistics without ClickHouse, except the rates of the month", async (t) => {
  const { said, send } = await open(t);
  assertMatches(await send("key", "GET", "/disputes/stats"), {
    status: 200,
    body: { data: { winRate: 1, month: { count: 1, cardPayments: null, rate: null, amounts: [{ cardVolumeMinor: null, rate: null }] } } },
  });
  const card = { method: "CARD", currency: "EUR", volumeMinor: 123_400, approved: 4, declined: 1 } as const;
  said.card = [card, { ...card, method: "PAYBYLINK", approved: 100 }];
  assertMatches(await send("key", "GET", "/disputes/stats"), {
    body: {
      data: {
        month: {
          month: /^\d{4}-\d\d$/,
          cardPayments: 4,
          rate: 0.25,
          amounts: [{ amountMinor: 1_234, cardVolumeMinor: 123_400, rate: 0.01 }],
        },
      },
    },
  });
});

test("has a code for each rejection, and returns not found for a missing dispute", async (t) => {
  const { said, asked, send } = await open(t);
  const respond = (body: object) => send("OWNER", "POST", `/disputes/${ID}/respond`, body);
  for (const type of ["no_evidence", "too_many", "not_open", "deadline_passed"] as const) {
    said.challenged = { type, dispute: RECORD };
    assertMatches(await respond({ action: "CHALLENGE" }), { status: 409, body: { code: type } });
  }
  assert.deepEqual(asked.by[0], BY_OWNER);
  for (const [type, status] of [
    ["file_type", 415],
    ["too_many_files", 409],
    ["not_open", 409],
    ["deadline_passed", 409],
  ] as const) {
    said.added = { type, dispute: RECORD };
    assertMatches(await send("OWNER", "POST", `/disputes/${ID}/evidence?category=OTHER`, form()), { status, body: { code: type } });
  }
  assert.deepEqual(asked.uploads[0], { name: "prova – Übergabe.pdf", bytes: 8 });
  for (const type of ["frozen", "not_open", "deadline_passed"] as const) {
    said.removed = { type, dispute: RECORD };
    assertMatches(await send("OWNER", "DELETE", `/disputes/${ID}/evidence/dpf_1`), { status: 409, body: { code: type } });
  }
  for (const type of ["not_open", "deadline_passed"] as const) {
    said.saved = { type, dispute: RECORD };
    assertMatches(await send("OWNER", "PUT", `/disputes/${ID}/draft`, {}), { status: 409, body: { code: type } });
  }
  for (const [method, path] of [
    ["GET", "/disputes/dp_x"],
    ["GET", `/disputes/${ID}/evidence/dpf_2`],
    ["DELETE", `/disputes/${ID}/evidence/dpf_2`],
  ] as const) {
    assertMatches(await send("OWNER", method, path), { status: 404, body: { code: "not_found" } });
  }
  for (const body of [{}, { action: "CHALLENGE", statement: "x".repeat(10_001) }, { action: "ACCEPT", more: 1 }]) {
    assertMatches(await respond(body), { status: 400, body: { code: "invalid_request" } });
  }
});
