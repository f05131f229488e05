import assert from "node:assert/strict";
import type { HttpRequest } from "../../support/http/http-client.ts";
import { assertMatches, member } from "../../support/http/matches.ts";
import type { Relay } from "../../support/node/relay.ts";
import { newMerchant } from "../../support/people/new-merchant.ts";
import { newPartnerApi } from "../../support/people/new-partner-api.ts";
import { eventually } from "../../support/within.ts";
import { test, testOnNodes } from "../layouts.ts";

/** Half of an emoji, which JSON can escape and UTF-8 cannot hold. */
const HALF = "\ud83d";
const WHOLE = "\ufffd";

let partners = 0;

/** Identifiers that a body brings; with half of a character in it, each is refused. */
const IDENTIFIERS: { who: "partner" | "administrator" | "fleet"; method?: HttpRequest["method"]; path: string; body: object }[] = [
  { who: "partner", path: "/api/v1/T1/pay", body: { uuid: `u${HALF}`, amount: 1, service: "PAYCC" } },
  { who: "fleet", path: "/api/v1/pay", body: { uuid: "u-half", amount: 1, service: "PAYCC", terminalId: `T${HALF}` } },
  { who: "partner", path: "/api/v1/T1/scan", body: { uuid: `u-scan${HALF}` } },
  { who: "partner", path: "/api/v1/T1/print", body: { uuid: `u-print${HALF}`, text: "x" } },
  { who: "fleet", path: "/api/v1/T1/receipt", body: { uuid: `u-result${HALF}`, result: "OK" } },
  { who: "administrator", path: "/admin/terminal/T1/command", body: { service: `LOGCAT${HALF}` } },
  { who: "administrator", path: "/admin/cloud-configs", body: { terminalId: `T${HALF}` } },
  { who: "administrator", path: "/admin/cloud-configs", body: { terminalId: "T1", merchantId: `M${HALF}` } },
  { who: "administrator", path: "/admin/cloud-configs", body: { terminalId: "T1", group: `G${HALF}` } },
  { who: "administrator", path: "/admin/cloud-configs", body: { terminalId: "T1", settings: { [`k${HALF}`]: 1 } } },
  { who: "administrator", path: "/admin/subscription-rules", body: { terminalId: `T${HALF}` } },
  { who: "administrator", path: "/admin/subscription-rules", body: { terminalId: "T1", ruleType: "LIST", ruleValue: `T2,T${HALF}` } },
  { who: "administrator", path: "/admin/subscription-rules", body: { terminalId: "T1", ruleType: "REGEX", ruleValue: `T.${HALF}` } },
  {
    who: "administrator",
    path: "/admin/subscription-rules/test",
    body: { authenticatedTerminalId: `T${HALF}`, topicDestination: "/topic" },
  },
  { who: "administrator", path: "/admin/terminal-groups", body: { name: `g${HALF}`, terminalIds: ["T1"], managerTerminalIds: [] } },
  { who: "administrator", path: "/admin/terminal-groups", body: { name: "g", terminalIds: [`T${HALF}`], managerTerminalIds: [] } },
  { who: "administrator", path: "/admin/terminal-groups/test", body: { managerTerminalId: "T1", terminalId: `T${HALF}` } },
  { who: "administrator", path: "/admin/api/partners", body: partnerWith({ username: `p${HALF}` }) },
  { who: "administrator", path: "/admin/api/partners", body: partnerWith({ gwTml: `g${HALF}` }) },
  { who: "administrator", path: "/admin/api/partners", body: partnerWith({ allowedOrigins: { shop: `https://shop${HALF}.example` } }) },
  { who: "administrator", path: "/admin/api/partners", body: partnerWith({ partnerApi: { partnerCode: `C${HALF}`, maxMerchants: 1 } }) },
  { who: "administrator", path: "/admin/api/partners", body: partnerWith({ terminalRule: { ruleType: "LIST", ruleValue: `T${HALF}` } }) },
  { who: "partner", path: "/api/v1/paybylink", body: { amount: 1, terminalID: `T${HALF}` } },
  { who: "partner", path: "/api/payment/finalize/no-voucher", body: { txId: `t${HALF}` } },
  { who: "partner", path: "/api/payment/finalize/no-voucher", body: { paymentId: `t${HALF}` } },
  { who: "partner", path: "/api/payment/finalize/no-voucher", body: { origTranId: `t${HALF}` } },
];

function partnerWith(members: object): object {
  partners += 1;
  return { username: `half-${partners}`, gwTml: "GW1", gwApiKey: "KEY1", gwSecretKey: "a-secret", ...members };
}

export function halfCharacters(relay: Relay): void {
  testOnNodes("half of a character in a result's texts, names and raw text is replaced; the same result again is the same", async () => {
    const [terminalId, uuid, fleet, administrator] = [relay.terminalId(), relay.uuid(), relay.fleet(), relay.administrator()];
    await relay.partner().pay(terminalId, { uuid });
    await fleet.take(terminalId);
    const posting = (half: string, result: string) =>
      `{"uuid":"${uuid}","result":"${result}","message":"ok ${half}","authCode":"${half}","receipt":{"a${half}":["${half}","😀"]},"more":"${half}"}`;
    const first = await fleet.post(
      `/api/v1/${terminalId}/receipt`,
      posting("\\ud83d", "OK").replace('"receipt"', '"type":"RECEIPT","receipt"'),
    );
    assert.deepEqual([first.status, first.body], [200, { status: "ok", data: "Result recorded" }]);
    const data = { message: `ok ${WHOLE}`, auth: { authCode: WHOLE }, receipt: { [`a${WHOLE}`]: [WHOLE, "😀"] } };
    assertMatches((await relay.partner().uuid(uuid)).body, { data });
    const again = posting("\\uDBFF", "OK").replace('"receipt"', '"type":"RECEIPT","receipt"');
    assertMatches(await fleet.post(`/api/v1/${terminalId}/receipt`, again), { body: { data: /already recorded/ } });
    assertMatches(await fleet.post(`/api/v1/${terminalId}/receipt`, posting("\\uDC00", "KO")), { body: { data: /stored as a conflict/ } });
    const [conflict] = await relay.attention(terminalId);
    assertMatches(conflict, { kind: "conflict" });
    const raw = String(member(conflict, "raw"));
    assert.ok(raw.includes(`"more":"${WHOLE}"`) && !/\\u[dD]/.test(raw), raw);
    assert.ok(!/\\u[dD]/.test((await administrator.get("/admin/attention?limit=500")).text));
  });

  test("over STOMP, too", async () => {
    const [terminalId, uuid] = [relay.terminalId(), relay.uuid()];
    const terminal = await relay.online(terminalId);
    await relay.partner().pay(terminalId, { uuid });
    await terminal.commands.next();
    await terminal.result(terminalId, { uuid, result: "OK", message: `ok ${HALF}`, provider: { name: HALF } });
    assertMatches((await relay.partner().uuid(uuid)).body, { data: { message: `ok ${WHOLE}`, provider: { name: WHOLE } } });
  });

  test("in a posting that cannot be read, too, also where it is cut", async () => {
    const [terminalId, fleet] = [relay.terminalId(), relay.fleet()];
    // The text is cut within the last of these characters.
    const body = `{"message":"\\ud83d","filler":"${"😀".repeat(3_000)}"}`;
    assert.equal((await fleet.post(`/api/v1/${terminalId}/receipt`, body)).status, 400);
    const body2 = body.replace("filler", "filler2");
    assert.equal((await fleet.post(`/api/v1/${terminalId}/receipt`, body2)).status, 400);
    const items = await relay.attention(terminalId);
    assert.equal(items.length, 2);
    for (const item of items) assert.equal(Buffer.from(String(member(item, "raw"))).toString(), member(item, "raw"));
  });

  test("in logs, rules, configurations, install reports and merchants, too", async () => {
    const [terminalId, administrator, fleet] = [relay.terminalId(), relay.administrator(), relay.fleet()];
    await fleet.post(`/api/v1/${terminalId}/logs`, { line: `x${HALF}`, [`n${HALF}`]: 1 }, { "x-device-model": "A920" });
    const logs = await fleet.get(`/api/v1/${terminalId}/logs`);
    assertMatches(logs.body, { data: { logs: [{ log: { line: `x${WHOLE}`, [`n${WHOLE}`]: 1 } }] } });

    const rule = await administrator.post("/admin/subscription-rules", { terminalId, ruleType: "ANY", notes: `n${HALF}` });
    assertMatches(rule.body, { data: { notes: `n${WHOLE}` } });
    const group = { name: `half ${terminalId}`, terminalIds: [terminalId], managerTerminalIds: [], notes: HALF };
    assertMatches((await administrator.post("/admin/terminal-groups", group)).body, { data: { notes: WHOLE } });
    const config = await administrator.post("/admin/cloud-configs", { terminalId, settings: { greeting: `v${HALF}` } });
    assertMatches(config, { status: 200, body: { data: { settings: { greeting: `v${WHOLE}` } } } });

    const { call } = await newPartnerApi(relay);
    const merchantId = `half-${relay.uuid()}`;
    assertMatches(await call("POST", "/merchants", { merchantId, merchantName: `Bar ${HALF}` }), {
      status: 201,
      body: { merchant: { merchantName: `Bar ${WHOLE}` } },
    });
    assertMatches(await call("PATCH", `/merchants/${merchantId}`, { merchantName: `${HALF} Bar` }), {
      status: 200,
      body: { merchant: { merchantName: `${WHOLE} Bar` } },
    });
    // A secret is never changed: what cannot be one is refused.
    const paypal = { mode: "sandbox", clientId: "client", clientSecret: `a-secret-of-this-merchant${HALF}` };
    assertMatches(await call("PUT", `/merchants/${merchantId}/services/PAYPAL/config`, paypal), { status: 400 });
  });

  test("in an identifier it is 400", async () => {
    await newMerchant(relay, "Mx");
    const callers = { partner: relay.partner, administrator: relay.administrator, fleet: relay.fleet };
    for (const { who, method = "POST", path, body } of IDENTIFIERS) {
      const answer = await callers[who]().send(path, { method, body });
      assert.equal(answer.status, 400, `${path} ${JSON.stringify(body)}: ${answer.status} ${answer.text}`);
      // Without it, the same is taken; or refused for another reason, which is not 400.
      const whole = await callers[who]().send(path, {
        method,
        body: JSON.stringify(body).replaceAll(/\\ud83d/g, path === "/admin/terminal/T1/command" ? "X" : "x"),
      });
      assert.notEqual(whole.status, 400, `${path} ${JSON.stringify(body)}: ${whole.text}`);
    }
    for (const path of ["/api/v1/T%ED%A0%80/status", "/api/v1/T1/transactions?type=%ED%A0%80", "/admin/attention?after=%ED%A0%80"]) {
      assert.equal((await relay.administrator().get(path)).status, 400, path);
    }
  });

  testOnNodes("a payload reaches its terminal to the unit, and is echoed to the byte", async () => {
    const [terminalId, partner, fleet] = [relay.terminalId(), relay.partner(), relay.fleet()];
    const uuid = relay.uuid();
    const body = `{"uuid":"${uuid}", "amount":1050,"service":"PAYCC","note\\uDBFF":"\\uD83D and \\ud83d\\ude00"}`;
    const sent = await partner.post(`/api/v1/${terminalId}/pay`, body);
    assert.ok(sent.status === 200 && sent.text.includes(body), sent.text);
    assertMatches((await fleet.take(terminalId)).body, { uuid, "note\udbff": `${HALF} and 😀` });
    await fleet.receipt(terminalId, { uuid, result: "OK" });
    await partner.post(`/api/v1/${terminalId}/print`, { text: `slip ${HALF}` });
    assertMatches((await fleet.take(terminalId)).body, { service: "PRINT", text: `slip ${HALF}` });
    await relay.administrator().post(`/admin/terminal/${terminalId}/command`, { service: "LOGCAT", filter: HALF });
    assertMatches((await fleet.take(terminalId)).body, { service: "LOGCAT", filter: HALF });
  });

  test("bytes of headers that are no UTF-8 are texts all the same", async () => {
    const [terminalId, fleet] = [relay.terminalId(), relay.fleet()];
    // The three bytes that half of a character would have, if UTF-8 had any.
    const model = Buffer.from([0x41, 0xed, 0xa0, 0xbd, 0x42]).toString("latin1");
    await fleet.poll(terminalId, { "x-device-model": model, "user-agent": model });
    // The shard that answered the poll tells the terminal's home a moment later.
    await eventually(async () => {
      const shown = await relay.administrator().get(`/admin/terminals/${terminalId}`);
      assertMatches(shown, { status: 200, body: { data: { device: { deviceModel: model } } } });
      assert.ok(!/\\u[dD][89abAB]/.test(shown.text), shown.text);
    });
  });
}
