import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { SANDBOX_MERCHANT, SANDBOX_OWNER, SIMULATED_TERMINAL_ID } from "../../../infra/node/boot/sandbox-names.ts";
import { AdapterClient } from "../../support/http/adapter-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { TestGateway } from "../../support/node/gateway.ts";
import { Relay } from "../../support/node/relay.ts";
import { newMerchant } from "../../support/people/new-merchant.ts";
import { lastMailTo, mailsTo, PortalPerson } from "../../support/people/portal-person.ts";
import { eventually } from "../../support/within.ts";
import { assertRefused, BASE, DAY_MS, DisputeWorld, pdf } from "./dispute-world.ts";

const MB = 1_048_576;
const PAGE = "<!doctype html><html><body><script>alert(1)</script></body></html>";

let gateway: TestGateway;
let relay: Relay;
let world: DisputeWorld;

describe("the disputes", () => {
  before(async () => {
    gateway = await TestGateway.start();
    relay = new Relay({ shards: 2, environment: { RELAY_GATEWAY_URL: gateway.url } });
    await relay.start();
    world = new DisputeWorld(relay, gateway);
    await world.unlimited();
  });
  beforeEach(() => world.another());
  after(async () => {
    await relay.stop();
    await gateway.stop();
  });

  test("receives a case once, mails it, lists it, shows it to operators, and names it in its payment", async () => {
    const uuid = await world.paid();
    const given = world.caseOf({ uuid });
    const administrator = relay.administrator();
    const fed = await administrator.post("/admin/disputes", given);
    assertMatches(fed, { status: 201, body: { data: { status: "OPEN", uuid, terminalId: /./, merchantId: SANDBOX_MERCHANT.merchantId } } });
    const id = textMember(fed.body, "data", "id");
    assert.deepEqual((await administrator.post("/admin/disputes", given)).body, fed.body);
    assert.equal((await administrator.post("/admin/disputes", { ...given, amountMinor: 1 })).status, 409);
    assertMatches(await world.dispute(id), {
      id,
      status: "OPEN",
      answerable: true,
      holdsRefunds: true,
      files: [],
      responses: [],
      outcome: null,
    });
    for (const query of [
      `q=${id}`,
      `q=${uuid}`,
      `q=${member(given, "networkCaseId")}`,
      "status=OPEN&dueWithinDays=15",
      "category=NOT_RECEIVED",
    ]) {
      const listed = await world.shop.get(`${BASE}/disputes?${query}`);
      const ids = listOf(member(listed.body, "data", "items")).map((item) => textMember(item, "id"));
      assert.ok(ids.includes(id), `${query}: ${listed.text}`);
    }
    for (const query of [`q=${id}&status=WON`, "dueWithinDays=2", "stage=INQUIRY", "terminalId=ELSEWHERE", "status=ALERT"]) {
      const listed = await world.shop.get(`${BASE}/disputes?${query}`);
      assertMatches(listed, { status: 200, body: { data: { items: [] } } });
    }
    assertMatches(await administrator.get(`/admin/search?uuid=${id}`), {
      body: { data: { items: [{ kind: "dispute", id, state: "OPEN", merchantId: SANDBOX_MERCHANT.merchantId }] } },
    });
    assertMatches(await administrator.get(`/admin/disputes?merchantId=${SANDBOX_MERCHANT.merchantId}&order=due`), {
      body: { data: { items: [{ id }] } },
    });
    const mails = await mailsTo(relay, SANDBOX_OWNER.email);
    assert.ok(mails.some(({ kind, text }) => kind === "dispute-received" && text.includes(`/portal/disputes/${id}`)));
    await eventually(async () => {
      const detail = await world.shop.get(`${BASE}/transactions/${uuid}`);
      assertMatches(detail, {
        body: { data: { disputes: [{ id, status: "OPEN" }], alerts: [], refund: { possible: false, reason: "under_dispute" } } },
      });
    });
    assertMatches(await world.shop.get(`${BASE}/disputes/stats`), {
      body: { data: { counts: { OPEN: 1 }, month: { count: 1 }, complete: true } },
    });
  });

  test("shows a dispute that is due within a week as a task, the most urgent first", async () => {
    const later = await world.disputed({ respondBy: world.inDays(3) });
    const sooner = await world.disputed({ respondBy: world.inDays(1) });
    await eventually(async () => {
      const tasks = listOf(member((await world.shop.get(`${BASE}/overview`)).body, "data", "tasks"));
      const due = tasks.filter((task) => textMember(task, "kind") === "dispute_due").map((task) => textMember(task, "subject"));
      assert.deepEqual(due.slice(0, 2), [sooner, later]);
    });
    assertMatches(await world.shop.get(`${BASE}/disputes/stats`), { body: { data: { dueSoon: 2 } } });
    for (const id of [later, sooner]) assert.equal((await world.respond(id, { action: "ACCEPT" })).status, 200);
  });

  test("freezes a submitted response, brings it to the network, and frees the refund after WON", async () => {
    const uuid = await world.paid();
    const id = await world.disputed({ uuid });
    const draft = { statement: "It was handed over. 4111111111111111", fields: { trackingNumber: "1Z999" } };
    const saved = await world.shop.send(`${BASE}/disputes/${id}/draft`, { method: "PUT", body: draft });
    assertMatches(saved, { status: 200, body: { data: { draft: { fields: { trackingNumber: "1Z999" } } } } });
    assert.ok(!saved.text.includes("4111111111111111"), "a card number is kept");
    const contents = pdf(48_213);
    const added = await world.upload(id, "Übergabe – 20.pdf", contents);
    assertMatches(added, {
      status: 201,
      body: { data: { fileId: /^dpf_[a-z0-9]{24}$/, dispute: { files: [{ name: "Übergabe – 20.pdf", type: "application/pdf" }] } } },
    });
    const fileId = textMember(added.body, "data", "fileId");
    const other = textMember((await world.upload(id, "list.csv", Buffer.from("a;b\n1;2\n"))).body, "data", "fileId");
    assertMatches(await world.shop.send(`${BASE}/disputes/${id}/evidence/${other}`, { method: "DELETE" }), {
      status: 200,
      body: { data: { files: [{ id: fileId }] } },
    });
    const read = await world.shop.get(`${BASE}/disputes/${id}/evidence/${fileId}`);
    assert.deepEqual([read.status, read.bytes.equals(contents)], [200, true]);
    assertMatches(read.headers, {
      ...{ "content-type": "application/octet-stream", "content-security-policy": /^sandbox;/, "x-content-type-options": "nosniff" },
      "content-disposition": /^attachment; filename="_bergabe _ 20\.pdf"; filename\*=UTF-8''%C3%9Cbergabe%20%E2%80%93%2020\.pdf$/,
    });
    assert.equal((await relay.administrator().get(`/admin/disputes/${id}/evidence/${fileId}`)).status, 404, "it was not submitted");
    const key = relay.uuid();
    const submitted = await world.respond(id, { action: "CHALLENGE" }, key);
    assertMatches(submitted, {
      status: 200,
      body: {
        data: {
          status: "UNDER_REVIEW",
          answerable: false,
          files: [{ submitted: true }],
          responses: [{ by: "API key", fileIds: [fileId] }],
        },
      },
    });
    assert.deepEqual((await world.respond(id, { action: "CHALLENGE" }, key)).body, submitted.body);
    assertRefused(await world.respond(id, { action: "ACCEPT" }), "not_open");
    assertRefused(await world.upload(id, "late.pdf", pdf(100)), "not_open");
    assertRefused(await world.shop.send(`${BASE}/disputes/${id}/evidence/${fileId}`, { method: "DELETE" }), "frozen");
    const brought = await relay.administrator().get(`/admin/disputes/${id}`);
    assertMatches(brought, {
      status: 200,
      body: { data: { responses: [{ statement: /handed over/, files: [{ id: fileId, bytes: 48_213 }] }] } },
    });
    assert.equal((await relay.administrator().get(`/admin/disputes/${id}/evidence/${fileId}`)).bytes.equals(contents), true);
    await world.disputeBecomes(id, { responses: [{ state: "taken" }] });
    assertRefused(await world.refund(uuid), "under_dispute");
    assertMatches(await world.said(id, "verdict", { result: "WON" }), { status: 200, body: { data: { status: "WON" } } });
    assertMatches(await world.dispute(id), { status: "WON", holdsRefunds: false, outcome: { result: "WON", by: "network" } });
    assertMatches(await world.refund(uuid), { status: 200, body: { data: { amountMinor: 1_050 } } });
  });

  test("keeps a refused response immutable, and accepts another when the network asks again", async () => {
    const id = await world.disputed();
    const fileId = textMember((await world.upload(id, "proof.pdf", pdf(100))).body, "data", "fileId");
    assert.equal((await world.respond(id, { action: "CHALLENGE" })).status, 200);
    await world.disputeBecomes(id, { responses: [{ state: "taken" }] });
    assertMatches(await world.said(id, "refused"), { status: 200, body: { data: { status: "EVIDENCE_REQUIRED" } } });
    assertRefused(await world.shop.send(`${BASE}/disputes/${id}/evidence/${fileId}`, { method: "DELETE" }), "frozen");
    assert.equal((await world.respond(id, { action: "CHALLENGE", statement: "Once more" })).status, 200);
    assertMatches(await world.said(id, "verdict", { result: "LOST" }), { body: { data: { status: "LOST" } } });
    assert.equal((await world.said(id, "refused")).status, 409);
    const asked = await world.said(id, "evidence-requested", { respondBy: world.inDays(5), stage: "PRE_ARBITRATION" });
    assertMatches(asked, { status: 200, body: { data: { status: "EVIDENCE_REQUIRED", stage: "PRE_ARBITRATION" } } });
  });

  test("needs a statement or a file to submit, and submits nothing with ACCEPT", async () => {
    const id = await world.disputed();
    assertRefused(await world.respond(id, { action: "CHALLENGE" }), "no_evidence");
    assertRefused(await world.respond(id, { action: "ACCEPT", statement: "?" }), "invalid_request", 400);
    assertRefused(
      await world.respond(id, { action: "CHALLENGE", statement: "x", fileIds: ["dpf_000000000000000000000000"] }),
      "invalid_request",
      400,
    );
    for (const fields of [{ "no-name": "x" }, { a4111111111111111: "x" }]) {
      assertRefused(await world.respond(id, { action: "CHALLENGE", statement: "x", fields }), "invalid_request", 400);
      const saved = await world.shop.send(`${BASE}/disputes/${id}/draft`, { method: "PUT", body: { fields } });
      assertRefused(saved, "invalid_request", 400);
    }
    assertRefused(await world.respond(id, { action: "SURRENDER" }), "invalid_request", 400);
    assertMatches(await world.respond(id, { action: "ACCEPT" }), {
      status: 200,
      body: { data: { status: "LOST", outcome: { by: "accepted" } } },
    });
  });

  test("accepts files by content and extension, up to 10 MB", async () => {
    const id = await world.disputed();
    assert.equal((await world.upload(id, "large.pdf", pdf(9.9 * MB))).status, 201);
    assert.equal((await world.upload(id, "exact.pdf", pdf(10 * MB))).status, 201);
    assertRefused(await world.upload(id, "more.pdf", pdf(10 * MB + 1)), "payload_too_large", 413);
    // For a much larger file, the connection is not read to its end.
    await world.upload(id, "much.pdf", pdf(10.1 * MB)).then(
      (answer) => assertRefused(answer, "payload_too_large", 413),
      (error: unknown) => assertMatches(error, { code: /^(EPIPE|ECONNRESET)$/ }),
    );
    assert.equal((await world.upload(id, "rows.csv", Buffer.from("day;sum\n20;10,50\n"))).status, 201);
    const office = (name: string) => Buffer.concat([Buffer.from([0x50, 0x4b, 0x03, 0x04]), Buffer.from(name)]);
    for (const [name, contents] of [
      ["page.html", Buffer.from(PAGE)],
      ["page.pdf", Buffer.from(PAGE)],
      ["page.csv", Buffer.from(PAGE)],
      ["page.txt", Buffer.from(PAGE)],
      ["macro.xlsm", office("xl/workbook.xml xl/vbaProject.bin")],
      ["macro.xlsx", office("xl/workbook.xml xl/vbaProject.bin")],
      ["drawing.svg", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>")],
      ["run.exe", Buffer.from("MZ")],
      ["proof", pdf(100)],
      ["binary.csv", Buffer.from([0x61, 0x00, 0x62])],
    ] as const) {
      assertRefused(await world.upload(id, name, contents), "file_type", 415);
    }
    assertRefused(await world.upload(id, "empty.pdf", Buffer.alloc(0)), "invalid_request", 400);
    assertRefused(await world.upload(id, "other.pdf", pdf(100), { category: "NOVEL" }), "invalid_request", 400);
    const json = await world.shop.post(`${BASE}/disputes/${id}/evidence?category=OTHER`, { file: "x" });
    assertRefused(json, "unsupported_media_type", 415);
    assertMatches(await world.dispute(id), { files: [{ name: "large.pdf" }, { name: "exact.pdf" }, { name: "rows.csv" }] });
    for (const name of ["3.pdf", "4.pdf", "5.pdf"]) assert.equal((await world.upload(id, name, pdf(10 * MB))).status, 201);
    assertRefused(await world.upload(id, "6.pdf", pdf(10 * MB)), "too_many_files");
  });

  test("expires a dispute after a restart if its deadline passed while the node was down", async () => {
    const id = await world.disputed({ respondBy: world.inDays(2) });
    const watched = await world.disputed({ respondBy: world.inDays(2) });
    assert.equal((await world.upload(id, "proof.pdf", pdf(100))).status, 201);
    await relay.restart(async () => {
      relay.advance(2 * DAY_MS + 1);
    });
    world.another();
    assertRefused(await world.respond(id, { action: "CHALLENGE" }), "deadline_passed");
    assertMatches(await world.dispute(id), { status: "EXPIRED", answerable: false, files: [{ name: "proof.pdf" }] });
    // No request reads this dispute, so the node must process it on its own.
    await eventually(async () =>
      assertMatches(await relay.administrator().get(`/admin/disputes/${watched}`), { body: { data: { status: "EXPIRED" } } }),
    );
    assertRefused(await world.upload(id, "late.pdf", pdf(100)), "deadline_passed");
    assertMatches(await world.said(id, "verdict", { result: "WON" }), { body: { data: { status: "WON" } } });
  });

  test("blocks every kind of refund during a dispute, with the error of each interface", async () => {
    const answers = () => gateway.answers("refund") + gateway.answers("reversal");
    const before = answers();
    const portal = await world.paid();
    await world.disputed({ uuid: portal });
    assertRefused(await world.refund(portal), "under_dispute");

    const pay = async (members: object): Promise<string> => {
      const made = await world.shop.post("/v1/payment_intents", { amount: 1_050, currency: "eur", ...members });
      const intent = textMember(made.body, "id");
      assert.equal(
        (await world.shop.post(`/v1/payment_intents/${intent}/confirm`, { return_url: "https://shop.example/done" })).status,
        200,
      );
      await gateway.act(`${intent}.1`, "pay");
      const status = Object.hasOwn(members, "capture_method") ? "requires_capture" : "succeeded";
      await eventually(async () => assertMatches((await world.shop.get(`/v1/payment_intents/${intent}`)).body, { status }));
      return intent;
    };
    const taken = await pay({});
    await world.disputed({ uuid: `${taken}.1` });
    const disputed = { status: 400, body: { error: { code: "charge_disputed", type: "invalid_request_error" } } };
    assertMatches(await world.shop.post("/v1/refunds", { payment_intent: taken }), disputed);
    assertRefused(await world.refund(`${taken}.1`), "under_dispute");
    const held = await pay({ capture_method: "manual" });
    await world.disputed({ uuid: `${held}.1` });
    assertMatches(await world.shop.post(`/v1/payment_intents/${held}/cancel`), disputed);
    assertRefused(await world.refund(`${held}.1`), "under_dispute");
    assert.equal((await world.shop.post(`/v1/payment_intents/${held}/capture`)).status, 200, "what is taken is no refund");

    const partner = relay.partner();
    for (const operation of ["refund", "cancel"]) {
      const created = await partner.post("/api/v1/paybylink", { amount: 10.5, reason: "Order 7", terminalID: SIMULATED_TERMINAL_ID });
      const txId = textMember(created.body, "txId");
      await gateway.act(txId, "pay");
      await eventually(async () =>
        assertMatches((await partner.get(`/api/v1/payment/status/${txId}`)).body, { status: /success|paid|OK/i }),
      );
      await world.disputed({ uuid: txId });
      const refused = await partner.post(`/api/payment/${operation}/${txId}`);
      assertMatches(refused, { status: 409, body: { status: "error", error: /under dispute/ } });
    }

    const adapter = new AdapterClient(() => relay.node.url);
    for (const operation of ["refund", "reversal"]) {
      const txId = `order-${relay.uuid()}`;
      const begun = await adapter.post("/pgw/payment/init", {
        txHead: { merId: adapter.merId, txId },
        txReq: { txOp: "SALE", amount: { value: 1_050, currency: "EUR" }, description: "Order 7", terminalId: SIMULATED_TERMINAL_ID },
        poiInfo: { pitype: "CC" },
      });
      const paymentId = textMember(begun.body, "paymentId");
      await gateway.act(paymentId, "pay");
      const verified = await adapter.verify({ paymentId });
      const uuid = textMember(
        listOf(member((await relay.administrator().get(`/admin/search?uuid=${paymentId}`)).body, "data", "items"))[0],
        "id",
      );
      await world.disputed({ uuid });
      const refused = await adapter.post(`/pgw/payment/${operation}`, {
        txHead: { merId: adapter.merId, txId: `${operation}-${txId}` },
        txReq: { origTranId: textMember(verified.body, "txRes", "tranId") },
      });
      assertMatches(refused, { status: 409, body: { resultCode: /^GW_/, txHead: { errDescription: /under dispute/ } } });
    }
    assert.equal(answers(), before, "the gateway was asked");
  });

  test("answers a repeated refund from before the dispute in the same way", async () => {
    const uuid = await world.paid();
    const key = relay.uuid();
    const refunded = await world.refund(uuid, key);
    assert.equal(refunded.status, 200, refunded.text);
    await world.disputed({ uuid });
    assert.deepEqual((await world.refund(uuid, key)).body, refunded.body);
    assertRefused(await world.refund(uuid), "already_refunded");
  });

  test("hides disputes from other merchants, and rejects a dispute about another merchant's payment", async () => {
    const uuid = await world.paid();
    const id = await world.disputed({ uuid });
    const fileId = textMember((await world.upload(id, "proof.pdf", pdf(100))).body, "data", "fileId");
    const other = await newMerchant(relay);
    const stranger = relay.client({ authorization: `Bearer ${other.secretKey}` });
    for (const [method, path, body] of [
      ["GET", `/disputes/${id}`],
      ["PUT", `/disputes/${id}/draft`, { statement: "mine" }],
      ["GET", `/disputes/${id}/evidence/${fileId}`],
      ["DELETE", `/disputes/${id}/evidence/${fileId}`],
      ["POST", `/disputes/${id}/respond`, { action: "ACCEPT" }],
    ] as const) {
      const answer = await stranger.send(BASE + path, { method, ...(body === undefined ? {} : { body }) });
      assertRefused(answer, "not_found", 404);
    }
    assertRefused(await world.upload(id, "x.pdf", pdf(100), { by: stranger }), "not_found", 404);
    for (const query of ["", `?q=${id}`, `?q=${uuid}`]) {
      assertMatches(await stranger.get(`${BASE}/disputes${query}`), { body: { data: { items: [] } } });
    }
    const administrator = relay.administrator();
    assert.equal((await administrator.post("/admin/disputes", world.caseOf({ merchantId: other.merchantId, uuid }))).status, 404);
    assert.equal((await administrator.post("/admin/disputes", world.caseOf({ merchantId: "NOBODY" }))).status, 404);
    // The store rejects these keys.
    for (const merchantId of ["üÝ", "\u009e", ".."]) {
      assert.equal((await administrator.post("/admin/disputes", world.caseOf({ merchantId }))).status, 400, merchantId);
      for (const what of ["disputes", "alerts"]) {
        assert.equal((await administrator.get(`/admin/${what}?merchantId=${encodeURIComponent(merchantId)}`)).status, 400, merchantId);
      }
    }
    for (const wrong of [
      { respondBy: "tomorrow" },
      { respondBy: world.inDays(-1) },
      { respondBy: world.inDays(500) },
      { currency: "XYZ" },
      { network: "visa" },
      { alertId: "al_000000000000000000000000" },
    ]) {
      assert.equal((await administrator.post("/admin/disputes", world.caseOf(wrong))).status, 400, JSON.stringify(wrong));
    }
  });

  test("keeps the deadlines of a deactivated merchant's disputes, and mails its people although they cannot sign in", async () => {
    const { merchantId, partner, secretKey } = await newMerchant(relay);
    const email = `owner.${relay.uuid()}@example.com`;
    assert.equal((await partner.call("POST", `/merchants/${merchantId}/portal-users`, { email, locale: "en" })).status, 201);
    const owner = new PortalPerson(relay, email);
    assert.equal((await owner.accept((await lastMailTo(relay, email)).token)).status, 200);
    await owner.enrol();
    assert.equal((await partner.call("DELETE", `/merchants/${merchantId}`)).status < 300, true);
    const id = await world.disputed({ merchantId, respondBy: world.inDays(2) });
    assert.equal((await owner.send("GET", `/disputes/${id}`)).status, 401);
    assert.equal((await relay.client({ authorization: `Bearer ${secretKey}` }).get(`${BASE}/disputes/${id}`)).status, 401);
    assert.equal((await lastMailTo(relay, email)).kind, "dispute-received");
    const administrator = relay.administrator();
    assertMatches(await administrator.get(`/admin/disputes?merchantId=${merchantId}&order=due`), { body: { data: { items: [{ id }] } } });
    relay.advance(DAY_MS + 1);
    await eventually(async () => assert.equal((await lastMailTo(relay, email)).kind, "dispute-reminder"));
    relay.advance(DAY_MS);
    await eventually(async () =>
      assertMatches(await administrator.get(`/admin/disputes/${id}`), { body: { data: { status: "EXPIRED" } } }),
    );
  });

  test("continues a list where its page ended, with alerts among the disputes", async () => {
    const other = await newMerchant(relay);
    const shop = relay.client({ authorization: `Bearer ${other.secretKey}` });
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const members = { merchantId: other.merchantId };
      ids.push(count % 2 === 0 ? await world.disputed(members) : await world.alerted(members));
      relay.advance(1_000);
    }
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await shop.get(`${BASE}/disputes?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`);
      assert.equal(page.status, 200, page.text);
      const items = listOf(member(page.body, "data", "items"));
      assert.ok(items.length <= 2);
      seen.push(...items.map((item) => textMember(item, "id")));
      const next: unknown = member(page.body, "data", "next");
      cursor = typeof next === "string" ? next : null;
    } while (cursor !== null);
    assert.deepEqual(seen, ids.toReversed());
    const urgent = await shop.get(`${BASE}/disputes?dueWithinDays=400`);
    const kinds = listOf(member(urgent.body, "data", "items")).map((item) => textMember(item, "status"));
    assert.deepEqual(kinds, ["ALERT", "ALERT", "OPEN", "OPEN", "OPEN"]);
    assertMatches(await shop.get(`${BASE}/disputes?includeAlerts=false`), { body: { data: { items: [{ kind: "dispute" }, {}, {}] } } });
    assertMatches(await shop.get(`${BASE}/disputes?cursor=nonsense`), { status: 400 });
  });
});
