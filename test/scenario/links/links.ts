import assert from "node:assert/strict";
import { after, afterEach, before, describe } from "node:test";
import { SANDBOX_GATEWAY_ACCOUNT } from "../../../infra/sandbox/gateway/options.ts";
import { type Answer, CREDENTIALS, type HttpClient } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { TestGateway } from "../../support/node/gateway.ts";
import { Relay, type RelayOptions } from "../../support/node/relay.ts";
import { newPartner } from "../../support/people/new-partner.ts";
import { eventually } from "../../support/within.ts";
import { test, testEverywhere, testOnNodes } from "../layouts.ts";
import { linkFollowUps } from "./link-follow-ups.ts";
import { linkNotifications } from "./link-notifications.ts";
import { linkRequests } from "./link-requests.ts";
import { linksOfTerminals } from "./link-terminals.ts";
import type { LinkWorld } from "./link-world.ts";

/** With three threads all are met by so many connections, but for one case in a hundred million. */
const REQUESTS_TO_ALL_THREADS = 48;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const LOCAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/;

/** Paying takes a gateway; its relay is its own, whose clock goes hours ahead. `clickhouse` false where there is none. */
export function paymentLinks(startable: RelayOptions, clickhouse: boolean): void {
  const needsClickHouse = { skip: clickhouse ? false : "chdb, an optional dependency, is not installed" };
  const options = { ...startable, environment: { ...startable.environment } };
  const relay = new Relay(options);
  let gateway: TestGateway;
  before(async () => {
    gateway = await TestGateway.start();
    options.environment["RELAY_GATEWAY_URL"] = gateway.url;
    await relay.start();
  });
  after(async () => {
    await relay.stop();
    await gateway.stop();
  });
  afterEach(() => gateway.faults({ outage: "none", notify: "once", notifySignature: "right", notifyDelayMs: 0, latencyMs: 0 }));

  /** Time passes for the relay and for the gateway. */
  async function advance(ms: number): Promise<void> {
    relay.advance(ms);
    await gateway.advance(ms);
  }

  /** Links that are due then are verified before more time passes, whether or not the gateway answers. */
  async function verifiedAfter(pass: () => Promise<void> | void): Promise<void> {
    const verifies = () => relay.metric("relay_link_verifies_total");
    // Before the first verify there is no such series.
    const before = await verifies().catch(() => 0);
    await pass();
    await eventually(async () => assert.ok((await verifies()) > before, "nothing was verified"));
  }

  async function create(caller: HttpClient = relay.partner(), members: object = {}): Promise<string> {
    const answer = await caller.post("/api/v1/paybylink", { amount: 12.34, reason: "Order 7", ...members });
    assert.equal(answer.status, 200, answer.text);
    return textMember(answer.body, "txId");
  }

  /** After an outage each thread's breaker finds out for itself that the gateway is back; each request may come to another thread. */
  async function allThreadsReachTheGateway(): Promise<void> {
    await eventually(async () => {
      for (let request = 0; request < REQUESTS_TO_ALL_THREADS; request += 1) await create();
    }, 30_000);
  }

  function status(txId: string, caller: HttpClient = relay.partner()): Promise<Answer> {
    return caller.get(`/api/v1/payment/status/${txId}`);
  }

  async function becomes(txId: string, expected: object): Promise<void> {
    await eventually(async () => assertMatches((await status(txId)).body, expected));
  }

  /** Lets time pass in steps of half a minute, in which verifies come and go, until the link stands so. */
  async function becomesIn(txId: string, expected: object, steps: number): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      await advance(30_000);
      const found = await eventually(async () => assertMatches((await status(txId)).body, expected), 700).then(
        () => true,
        () => false,
      );
      if (found) return;
    }
    // A busy machine takes longer for a verify; for the relay hardly any time passes here.
    await becomes(txId, expected);
  }

  async function paidLink(caller?: HttpClient, members?: object): Promise<string> {
    const txId = await create(caller, members);
    await gateway.act(txId, "pay");
    await eventually(async () => assertMatches((await status(txId, caller)).body, { status: "SUCCESS" }));
    return txId;
  }

  test("credentials are tested against the gateway: taken, or refused with its reason", async () => {
    const { merchantId: gwApiKey, secret: gwSecretKey } = SANDBOX_GATEWAY_ACCOUNT;
    const demo = relay.client(CREDENTIALS.partnerByPassword);
    const check = async (caller: HttpClient, path: string, body?: object) => (await caller.post(path, body)).body;
    const accepted = { status: "ok", data: { accepted: true, message: "Credentials accepted" } };
    for (const [caller, path] of [
      [demo, "/api/partner/gw-credentials/test"],
      [relay.administrator(), "/admin/gw-credentials/test"],
    ] as const) {
      assert.deepEqual(await check(caller, path, { gwTml: "T", gwApiKey, gwSecretKey }), accepted);
      const wrong = await check(caller, path, { gwTml: "T", gwApiKey, gwSecretKey: "another secret" });
      assertMatches(wrong, { data: { accepted: false, message: /refused/ } });
    }
    assert.deepEqual(await check(demo, "/api/partner/gw-credentials/test"), accepted);
    assert.deepEqual(await gateway.payments(), []);
  });

  testEverywhere("a link is created, its page paid, the gateway notifies, and its status is SUCCESS", async () => {
    const partner = relay.partner();
    const answer = await partner.post("/api/v1/paybylink", {
      amount: 12.34,
      reason: "Order 7",
      terminalID: "T77",
      customerEmail: "buyer@example.org",
      merchantReference: "R7",
    });
    assertMatches(answer, {
      status: 200,
      body: {
        status: "ok",
        txId: /^[0-9a-f-]{36}$/,
        paymentId: /./,
        paymentUrl: /^http/,
        createdAt: LOCAL_TIME,
        expiresAt: LOCAL_TIME,
        amount: "12.34",
        currency: "EUR",
        terminalID: "T77",
        reason: "Order 7",
        description: "Order 7",
        customerEmail: "buyer@example.org",
        merchantReference: "R7",
      },
    });
    const [createdAt, expiresAt] = ["createdAt", "expiresAt"].map((name) => Date.parse(`${textMember(answer.body, name)}Z`));
    assert.equal(Number(expiresAt) - Number(createdAt), HOUR_MS);
    const [txId, paymentUrl] = [textMember(answer.body, "txId"), textMember(answer.body, "paymentUrl")];
    assert.equal(textMember(answer.body, "qrCodeData"), paymentUrl);
    assertMatches((await status(txId)).body, { status: "PENDING", txId, resultCode: undefined });

    const page = await fetch(paymentUrl);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /Order 7/);
    const form = new URLSearchParams({
      action: "pay",
      number: "4111 1111 1111 1111",
      expiry: "12/49",
      code: "123",
      holder: "Ada Lovelace",
    });
    assert.equal((await fetch(paymentUrl, { method: "POST", body: form, redirect: "manual" })).status, 303);
    await becomes(txId, {
      status: "SUCCESS",
      resultCode: "GW_000",
      tranId: /./,
      authCode: /./,
      maskedPan: /\*+1111$/,
      cardBrand: /./,
      payerName: "Ada",
      payerLastName: "Lovelace",
      lateSuccess: undefined,
      amountDiffers: undefined,
      paidAmount: undefined,
    });
    for (const id of [txId, txId.toUpperCase(), textMember(answer.body, "paymentId")]) {
      const path = `/api/payment/status/${id}`;
      assertMatches(await partner.get(path), { status: 200, body: { status: "SUCCESS", txId } });
    }
    assertMatches(await partner.post(`/api/v1/payment/verify/${txId}`), {
      status: 200,
      text: "SUCCESS",
      headers: { "content-type": /^text\/plain/ },
    });
  });

  test("one that was paid with another amount says so wherever it is told, is flagged, and undone as it was paid", async () => {
    const terminalID = relay.terminalId();
    const partner = relay.partner();
    const txId = await create(partner, { terminalID });
    await gateway.act(txId, "pay", { amount: { value: 1000, currency: "EUR" } });
    const expected = { status: "SUCCESS", amount: "12.34", amountDiffers: true, paidAmount: "10.00", paidCurrency: "EUR" };
    await becomes(txId, expected);
    assertMatches(await partner.post(`/api/v1/payment/verify/${txId}`), { text: "SUCCESS", headers: { "relay-amount-differs": "true" } });
    assertMatches(await relay.attention(terminalID), [{ kind: "amount_differs", uuid: txId, detail: /10\.00 EUR.*12\.34 EUR/ }]);
    assertMatches(await partner.post(`/api/payment/cancel/${txId}`), { status: 200, body: { amount: "10.00", currency: "EUR" } });
    assertMatches(await gateway.payment(txId), { reversedValue: 1000 });
  });

  const ENDS: [what: string, end: (txId: string) => Promise<void>, expected: object][] = [
    [
      "cancelled by the buyer",
      (txId) => gateway.act(txId, "cancel"),
      { status: "FAILED", resultCode: "GW_20090", message: /./, tranId: undefined },
    ],
    ["declined", (txId) => gateway.act(txId, "pay", { card: "4000000000000002" }), { status: "FAILED", resultCode: "GW_10001" }],
    ["without funds", (txId) => gateway.act(txId, "pay", { card: "4000000000009995" }), { status: "FAILED", resultCode: "GW_10002" }],
    [
      "ended by the gateway's own time limit",
      (txId) => gateway.act(txId, "pay", { card: "4000000000000069" }),
      { status: "EXPIRED", resultCode: "GW_20002" },
    ],
    [
      "refused with a code that nobody has named",
      (txId) => gateway.act(txId, "pay", { card: "4000000000000119" }),
      { status: "FAILED", resultCode: "GW_10099" },
    ],
  ];
  for (const [what, end, expected] of ENDS) {
    test(`a payment that is ${what}`, async () => {
      const txId = await create();
      await end(txId);
      await becomes(txId, expected);
    });
  }

  testOnNodes("without a notification what was paid is found when the grace of five minutes ends", async () => {
    await gateway.faults({ notify: "never" });
    const earlier = await create();
    await advance(MINUTE_MS);
    const txId = await create();
    for (const paid of [earlier, txId]) await gateway.act(paid, "pay");
    // Between the ends of the two, and far enough from both for a machine that is busy meanwhile.
    await advance(5 * MINUTE_MS - 30_000);
    await becomes(earlier, { status: "SUCCESS" });
    assert.equal(gateway.verifies(txId), 0);
    assertMatches((await status(txId)).body, { status: "PENDING" });
    await advance(30_000);
    await becomes(txId, { status: "SUCCESS" });
  });

  test("a caller that asks for a verify need not wait for it", async () => {
    await gateway.faults({ notify: "never" });
    const txId = await create();
    assert.equal((await relay.partner().post(`/api/v1/payment/verify/${txId}`)).text, "PENDING");
    await gateway.act(txId, "pay");
    await advance(4_000);
    assert.equal((await relay.partner().post(`/api/v1/payment/verify/${txId}`)).text, "SUCCESS");
  });

  test("a verify says when the gateway last answered, and that it cannot be asked now", async () => {
    await gateway.faults({ notify: "never" });
    const txId = await create();
    const verified = () => relay.partner().post(`/api/v1/payment/verify/${txId}`);
    const fresh = await verified();
    assertMatches(fresh, { text: "PENDING", headers: { "relay-answer-stale": undefined, "relay-verified-at": /Z$/ } });
    await gateway.act(txId, "pay");
    await gateway.faults({ outage: "error" });
    await advance(4_000);
    const heard = fresh.headers["relay-verified-at"];
    assertMatches(await verified(), { text: "PENDING", headers: { "relay-answer-stale": "true", "relay-verified-at": heard } });
    await gateway.faults({ outage: "none" });
    await allThreadsReachTheGateway();
    await advance(4_000);
    assertMatches(await verified(), { text: "SUCCESS", headers: { "relay-answer-stale": undefined, "relay-verified-at": /Z$/ } });
  });

  test("a notification before the payment: verified as pending, and again within thirty seconds", async () => {
    await gateway.faults({ notify: "never" });
    const txId = await create();
    assert.equal((await relay.nobody().post(`/api/v1/gw/notify?txId=${txId}`)).status, 200);
    await eventually(() => assert.equal(gateway.verifies(txId), 1));
    await gateway.act(txId, "pay");
    await becomesIn(txId, { status: "SUCCESS" }, 2);
  });

  test("a gateway that is away for twenty minutes fails nothing, and what was paid is found afterwards", async () => {
    await gateway.faults({ notify: "never" });
    const [paid, unpaid] = [await create(), await create()];
    await gateway.act(paid, "pay");
    await gateway.faults({ outage: "error" });
    await verifiedAfter(() => advance(6 * MINUTE_MS));
    for (let minute = 6; minute < 20; minute += 1) await verifiedAfter(() => advance(MINUTE_MS));
    for (const txId of [paid, unpaid]) assertMatches((await status(txId)).body, { status: "PENDING" });
    const refused = await relay.partner().post("/api/v1/paybylink", { amount: 1 });
    assertMatches(refused, { status: 500, body: { status: "error", message: /./, txId: /./ } });
    await gateway.faults({ outage: "none" });
    await becomesIn(paid, { status: "SUCCESS", resultCode: "GW_000" }, 20);
    assertMatches((await status(unpaid)).body, { status: "PENDING" });
    await allThreadsReachTheGateway();
  });

  testOnNodes("a restart in the middle loses no deadline", async () => {
    await gateway.faults({ notify: "never" });
    const txId = await create();
    await gateway.act(txId, "pay");
    await advance(MINUTE_MS);
    await relay.restart();
    assertMatches((await status(txId)).body, { status: "PENDING" });
    await advance(10 * MINUTE_MS);
    await becomes(txId, { status: "SUCCESS" });
  });

  test("unpaid for an hour it expires, and a payment that is found after that is recorded and flagged", async () => {
    await gateway.faults({ notify: "never" });
    const txId = await create();
    // The gateway's clock stays behind: it takes a payment that the relay holds for expired.
    await verifiedAfter(() => relay.advance(6 * MINUTE_MS));
    for (let step = 0; step < 11; step += 1) await verifiedAfter(() => relay.advance(5 * MINUTE_MS));
    await becomes(txId, { status: "EXPIRED", resultCode: "GW_20002" });
    await gateway.act(txId, "pay");
    assert.equal((await relay.nobody().post(`/api/v1/gw/notify?txId=${txId}`)).status, 200);
    relay.advance(MINUTE_MS + 1_000);
    await becomes(txId, { status: "SUCCESS", resultCode: "GW_000", lateSuccess: true });
    const { body } = await relay.administrator().get("/admin/attention?limit=500");
    const flagged = listOf(member(body, "data")).filter((item) => member(item, "uuid") === txId);
    assertMatches(flagged, [{ kind: "link_late" }]);
    await gateway.advance(HOUR_MS);
  });

  test("an answer to a creation that is lost is found by a verify, and the same key gets the link that there is", async () => {
    const headers = { "idempotency-key": relay.uuid() };
    const partner = relay.partner();
    await gateway.faults({ outage: "drop_answer", outageOf: ["init"] });
    const lost = await partner.post("/api/v1/paybylink", { amount: 5 }, headers);
    assertMatches(lost, { status: 500, body: { status: "error", txId: /./, paymentUrl: undefined } });
    await gateway.faults({ outage: "none", outageOf: ["init", "verify", "capture", "reversal", "refund"] });
    const txId = textMember(lost.body, "txId");
    await becomesIn(txId, { status: "PENDING", paymentUrl: /^http/ }, 3);
    assertMatches(await partner.post("/api/v1/paybylink", { amount: 5 }, headers), { status: 200, body: { txId, paymentUrl: /^http/ } });
    assert.equal((await gateway.payments()).filter((payment) => member(payment, "txId") === txId).length, 1);
  });

  testOnNodes("the same creation with its Idempotency-Key is one link; another body is refused", async () => {
    const headers = { "idempotency-key": relay.uuid() };
    const first = await relay.partner().post("/api/v1/paybylink", { amount: 5, reason: "a" }, headers);
    const again = await relay.partner().post("/api/v1/paybylink", { reason: "a", amount: 5 }, headers);
    assert.deepEqual(again.body, first.body);
    assertMatches(again, { status: 200, headers: { "idempotent-replayed": "true" } });
    const other = await relay.partner().post("/api/v1/paybylink", { amount: 6, reason: "a" }, headers);
    assertMatches(other, { status: 409, body: { status: "error", error: /Idempotency-Key/ } });
  });

  const world: LinkWorld = { relay, gateway: () => gateway, advance, create, status, becomes, becomesIn, paidLink };
  describe("notifications", () => linkNotifications(world));
  describe("captures, reversals and refunds", () => linkFollowUps(world));
  describe("of a terminal", () => linksOfTerminals(world));
  describe("as they are asked for", () => linkRequests(world));

  test("the QR code is an SVG, or a PNG where that is asked for", async () => {
    const txId = await create();
    const svg = await relay.partner().get(`/api/v1/payment/qr/${txId}`);
    assertMatches(svg, { status: 200, headers: { "content-type": "image/svg+xml" }, text: /^<svg/ });
    const png = { status: 200, headers: { "content-type": "image/png" }, text: /PNG/ };
    assertMatches(await relay.partner().get(`/api/v1/payment/qr/${txId}?format=png`), png);
    assertMatches(await relay.partner().get(`/api/v1/payment/qr/${txId}`, { accept: "image/png" }), png);
    assert.equal((await relay.partner().get(`/api/v1/payment/qr/${txId}?format=gif`)).status, 400);
    assert.equal((await relay.partner().get("/api/v1/payment/qr/nobody")).status, 404);
  });

  test("a partner sees its own links only, by its key only", async () => {
    const secret = { gwApiKey: "M9", gwSecretKey: "sandbox-gateway-secret" };
    const [one, other] = [await newPartner(relay, secret), await newPartner(relay, secret)];
    const txId = await create(one.byKey);
    assertMatches(await status(txId, one.byKey), { status: 200, body: { terminalID: "GWT1" } });
    const missing = { status: 404, body: { status: "error", txId, message: "Payment not found" } };
    assertMatches(await status(txId, other.byKey), missing);
    assertMatches(await other.byKey.post(`/api/v1/payment/verify/${txId}`), missing);
    assertMatches(await other.byKey.get(`/api/v1/payment/qr/${txId}`), missing);
    for (const path of ["cancel", "refund"]) assertMatches(await other.byKey.post(`/api/payment/${path}/${txId}`), missing);
    for (const caller of [relay.nobody(), one.byPassword, relay.client({ "api-key": "pk_live_wrong" })]) {
      assertMatches(await status(txId, caller), { status: 401, body: { status: "error", error: "Invalid API Key" } });
      assert.equal((await caller.post("/api/v1/paybylink", { amount: 1 })).status, 401);
    }
  });

  test("a link is followed on the account that it was created on, also after its partner has got another one", async () => {
    const secret = { gwApiKey: "M10", gwSecretKey: "sandbox-gateway-secret" };
    const partner = await newPartner(relay, secret);
    const txId = await create(partner.byKey);
    const body = { gwApiKey: "M11", gwSecretKey: "another" };
    assert.equal((await relay.administrator().send(`/admin/api/partners/${partner.id}`, { method: "PUT", body })).status, 200);
    await gateway.act(txId, "pay");
    await eventually(async () => assertMatches((await status(txId, partner.byKey)).body, { status: "SUCCESS" }));
    assertMatches(await partner.byKey.post(`/api/payment/cancel/${txId}`), { status: 200, body: { operation: "reversal" } });
  });

  testOnNodes("a link is found by its id like any transaction: nothing until it has ended, and nothing for others", async () => {
    const terminalID = relay.terminalId();
    const [txId, failing] = [await create(relay.partner(), { terminalID }), await create(relay.partner(), { terminalID })];
    const partner = relay.partner();
    const pending = { status: "ok", data: null, error: null, message: "no_content" };
    for (const path of [`/api/v1/${txId}/uuid`, `/uuid/${txId.toUpperCase()}`])
      assertMatches(await partner.get(path), { status: 200, body: pending });
    await gateway.act(txId, "pay");
    await becomes(txId, { status: "SUCCESS" });
    await gateway.act(failing, "cancel");
    await becomes(failing, { status: "FAILED" });
    const item = { uuid: txId, method: "PAYBYLINK", status: "OK", amountCents: 1_234, currency: "EUR", terminalId: terminalID };
    const found = await partner.get(`/api/v1/${txId}/uuid`);
    assertMatches(found, { status: 200, body: { status: "ok", data: item, error: null } });
    assert.ok(!found.text.includes("payer"), "personal data of the buyer are for the link's owner");
    assertMatches(await partner.get(`/api/v1/${failing}/uuid`), { body: { data: { method: "PAYBYLINK", status: "KO" } } });
    const named = await newPartner(relay, { terminalRule: { ruleType: "LIST", ruleValue: terminalID } });
    for (const caller of [named.byKey, await relay.terminal(terminalID), relay.administrator()]) {
      assertMatches(await caller.get(`/api/v1/${txId}/uuid`), { body: { data: item } });
    }
    const unknown = { status: 200, body: { status: "error", data: null, message: "Transaction not found" } };
    const stranger = await newPartner(relay);
    for (const caller of [stranger.byKey, stranger.byPassword, await relay.terminal(relay.terminalId())]) {
      assertMatches(await caller.get(`/api/v1/${txId}/uuid`), unknown);
    }
  });

  test("a filter that matches nothing at a link's terminal gives an empty list to who may see the link", needsClickHouse, async () => {
    await relay.clickhouse();
    const terminalID = relay.terminalId();
    const [empty, unknown] = [
      { status: 200, body: { status: "ok", data: [], error: null } },
      { status: 200, body: { status: "error", data: null, message: "Transaction not found" } },
    ];
    const list = (caller: HttpClient, query: string, terminalId = terminalID) => caller.get(`/api/v1/${terminalId}/transactions${query}`);
    assertMatches(await list(relay.partner(), ""), unknown);
    assertMatches(await list(relay.partner(), "", SANDBOX_GATEWAY_ACCOUNT.terminalId), { status: 200, body: { status: "ok" } });
    const txId = await create(relay.partner(), { terminalID });
    await gateway.act(txId, "pay");
    await becomes(txId, { status: "SUCCESS" });
    for (const query of ["?status=KO", "?type=CARD", "?date=2020-01-01", "?offset=5"])
      assertMatches(await list(relay.partner(), query), empty);
    const stranger = await newPartner(relay);
    assertMatches(await list(stranger.byKey, "?status=KO"), unknown);
  });

  testOnNodes("ended links are in the terminal's transactions, as PAYBYLINK, at once; pending ones are not", needsClickHouse, async () => {
    await relay.clickhouse();
    const [terminalID, partner] = [relay.terminalId(), relay.partner()];
    await relay.fleet().poll(terminalID);
    const paid = await paidLink(partner, { terminalID });
    const failed = await create(partner, { terminalID });
    await gateway.act(failed, "cancel");
    await becomes(failed, { status: "FAILED" });
    await create(partner, { terminalID });
    const list = async (query: string) => {
      const answer = await partner.get(`/api/v1/${terminalID}/transactions${query}`);
      assert.equal(answer.status, 200, answer.text);
      return listOf(member(answer.body, "data"));
    };
    await eventually(async () => {
      for (const query of ["", "?type=PAYBYLINK", "?type=ALL&status=OK"]) {
        assertMatches(await list(query), [
          {
            uuid: paid,
            method: "PAYBYLINK",
            status: "OK",
            amountCents: 1234,
            currency: "EUR",
            terminalId: terminalID,
            card: { maskedPan: /1111$/ },
          },
        ]);
      }
      assertMatches(await list("?status=KO&type=PAYBYLINK"), [
        { uuid: failed, method: "PAYBYLINK", status: "KO", auth: { actionCode: "GW_20090" } },
      ]);
      assert.deepEqual(await list("?type=CARD"), []);
    });
    assert.equal(JSON.stringify(await list("")).includes("Lovelace"), false, "the payer's name is in the list");
  });
}
