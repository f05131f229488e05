import assert from "node:assert/strict";
import { assertMatches, textMember } from "../../support/http/matches.ts";
import { newPartner } from "../../support/people/new-partner.ts";
import { bearer, callBy } from "../../support/people/new-partner-api.ts";
import { test, testOnNodes } from "../layouts.ts";
import type { LinkWorld } from "./link-world.ts";

/** Whose account a terminal's link is paid to, and who gets one for it. */
export function linksOfTerminals({ relay, gateway, status, becomes }: LinkWorld): void {
  test("a fresh terminal of the sandbox makes a link on the demo partner's account, without anything configured", async () => {
    const terminalId = relay.terminalId();
    const terminal = await relay.terminal(terminalId);
    for (const [path, caller] of [
      ["paybylink", terminal],
      ["paybpe", relay.fleet()],
    ] as const) {
      const created = await caller.post(`/api/v1/${terminalId}/${path}`, { amount: 12.34, reason: "Order 7" });
      assertMatches(created, { status: 200, body: { status: "ok", terminalID: terminalId, amount: "12.34", paymentUrl: /^http/ } });
      assertMatches(await status(textMember(created.body, "txId")), { status: 200, body: { status: "PENDING", terminalID: terminalId } });
      const stranger = await newPartner(relay);
      assert.equal((await status(textMember(created.body, "txId"), stranger.byKey)).status, 404);
    }
  });

  test("a terminal's link by a partner runs on the partner's account; a terminal makes none for another", async () => {
    const terminalId = relay.terminalId();
    const secret = { gwApiKey: "M8", gwSecretKey: "sandbox-gateway-secret" };
    const partner = await newPartner(relay, secret);
    const created = await partner.byPassword.post(`/api/v1/${terminalId}/paybylink`, { amount: "7.00" });
    assertMatches(created, { status: 200, body: { status: "ok", terminalID: terminalId, amount: "7.00" } });
    assertMatches(await status(textMember(created.body, "txId"), partner.byKey), { status: 200 });
    const bpe = await partner.byPassword.post(`/api/v1/${terminalId}/paybpe`, { amount: 7 });
    assert.match(await (await fetch(textMember(bpe.body, "paymentUrl"))).text(), /BANCOMAT Pay/);
    assertMatches(await partner.byPassword.post(`/api/v1/${terminalId}/paybylink`, { amount: 7, terminalID: "T1" }), { status: 400 });
    const terminal = await relay.terminal(terminalId);
    assertMatches(await terminal.post(`/api/v1/${relay.terminalId()}/paybylink`, { amount: 7 }), { status: 403 });
  });

  testOnNodes("a terminal's link runs for the partner of its merchant, as soon as both are known on any shard", async () => {
    const [terminalId, merchantId] = [relay.terminalId(), `m-${relay.uuid()}`];
    const partner = callBy(bearer(relay, "pk_partner_sandbox_0000000000000000000000000000"));
    const configure = () => relay.administrator().post("/admin/cloud-configs", { terminalId, merchantId });
    assert.equal((await configure()).status, 400);
    assert.equal((await partner("POST", "/merchants", { merchantId })).status, 201);
    const configured = await configure();
    assert.equal(configured.status, 200, configured.text);
    for (let round = 0; round < 4; round += 1) {
      const created = await relay.fleet().post(`/api/v1/${terminalId}/paybylink`, { amount: 1 });
      assert.equal(created.status, 200, created.text);
      // It is the partner's own: what is another's is not found.
      assertMatches(await status(textMember(created.body, "txId")), { status: 200, body: { status: "PENDING", terminalID: terminalId } });
    }
  });

  testOnNodes("a deactivated merchant's terminals get no new link, whoever asks; those that there are go on", async () => {
    const [terminalId, merchantId] = [relay.terminalId(), `m-${relay.uuid()}`];
    const partner = callBy(bearer(relay, "pk_partner_sandbox_0000000000000000000000000000"));
    assert.equal((await partner("POST", "/merchants", { merchantId })).status, 201);
    assert.equal((await relay.administrator().post("/admin/cloud-configs", { terminalId, merchantId })).status, 200);
    const headers = { "idempotency-key": relay.uuid() };
    const before = await relay.fleet().post(`/api/v1/${terminalId}/paybylink`, { amount: "12.34" }, headers);
    assert.equal(before.status, 200, before.text);
    const txId = textMember(before.body, "txId");
    assert.equal((await partner("DELETE", `/merchants/${merchantId}`)).status, 200);
    const refused = { status: 400, body: { status: "error", error: "The merchant of this terminal is deactivated" } };
    // Each request may meet another shard.
    for (let round = 0; round < 4; round += 1) {
      assertMatches(await relay.fleet().post(`/api/v1/${terminalId}/paybylink`, { amount: 1 }), refused);
      assertMatches(await relay.partner().post("/api/v1/paybylink", { amount: 1, terminalID: terminalId }), refused);
    }
    assertMatches(await relay.fleet().post(`/api/v1/${terminalId}/paybylink`, { amount: "12.34" }, headers), {
      status: 200,
      body: { txId },
    });
    await gateway().act(txId, "pay");
    await becomes(txId, { status: "SUCCESS" });
    assertMatches(await relay.partner().post(`/api/payment/cancel/${txId}`), { status: 200 });
    assert.equal((await partner("PATCH", `/merchants/${merchantId}`, { active: true })).status, 200);
    assertMatches(await relay.fleet().post(`/api/v1/${terminalId}/paybylink`, { amount: 1 }), { status: 200 });
  });

  test("a terminal that is not the partner's is refused", async () => {
    const partner = await newPartner(relay, {
      gwSecretKey: "sandbox-gateway-secret",
      gwApiKey: "M7",
      terminalRule: { ruleType: "LIST", ruleValue: "A1,A2" },
    });
    assertMatches(await partner.byKey.post("/api/v1/paybylink", { amount: 1, terminalID: "B1" }), {
      status: 400,
      body: { status: "error", error: /^terminalID: / },
    });
    assertMatches(await partner.byKey.post("/api/v1/paybylink", { amount: 1, terminalID: "A2" }), { status: 200 });
  });
}
