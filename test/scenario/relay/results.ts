import assert from "node:assert/strict";
import { assertMatches, member } from "../../support/http/matches.ts";
import type { Relay } from "../../support/node/relay.ts";
import { test, testOnNodes } from "../layouts.ts";

const NO_CONTENT = { status: "ok", data: null, error: null, message: "no_content" };

/** A payment of a partner that was handed to its terminal. */
async function sentPayment(relay: Relay, terminalId = relay.terminalId()) {
  const [uuid, partner, fleet] = [relay.uuid(), relay.partner(), relay.fleet()];
  await partner.pay(terminalId, { uuid });
  assertMatches((await fleet.take(terminalId)).body, { uuid });
  return { terminalId, uuid, partner, fleet };
}

export function results(relay: Relay): void {
  test("the same result again is acknowledged and changes nothing", async () => {
    const { terminalId, uuid, partner, fleet } = await sentPayment(relay);
    const result = { uuid, result: "OK", amount: 1_050, authCode: "1", timestamp: "2026-11-21T10:00:00Z" };
    await fleet.receipt(terminalId, result);
    const first = await partner.uuid(uuid);
    const again = await fleet.receipt(terminalId, { ...result, timestamp: "2026-11-21T10:09:00Z" });
    assert.deepEqual([again.status, again.body], [200, { status: "ok", data: "Result was recorded before" }]);
    assert.deepEqual((await partner.uuid(uuid)).body, first.body);
    assert.deepEqual(await relay.attention(terminalId), []);
  });

  test("a different result is kept as a conflict, and the first one stands", async () => {
    const { terminalId, uuid, partner, fleet } = await sentPayment(relay);
    await fleet.receipt(terminalId, { uuid, result: "OK", authCode: "1" });
    const second = await fleet.receipt(terminalId, { uuid, result: "KO", pan: "4111111111111111" });
    assertMatches(second, { status: 200, body: { status: "ok", data: /kept as a conflict/ } });
    assertMatches((await partner.uuid(uuid)).body, { data: { status: "OK", auth: { authCode: "1" } } });
    assertMatches(await relay.attention(terminalId), [{ kind: "conflict", uuid, raw: /411111\*{6}1111/ }]);
  });

  test("a result with a number beyond all numbers is the same when it comes again", async () => {
    const { terminalId, uuid, fleet } = await sentPayment(relay);
    const result = `{"uuid":"${uuid}","result":"OK","service":"PAYBP","amount":1050,"voucher":{"a":1e400,"b":[-1e400]}}`;
    assertMatches((await fleet.post(`/api/v1/${terminalId}/receipt`, result)).body, { data: "Result recorded" });
    assertMatches((await fleet.post(`/api/v1/${terminalId}/receipt`, result)).body, { data: "Result was recorded before" });
    assert.deepEqual(await relay.attention(terminalId), []);
  });

  test("a result is stored however deep it is nested, also as deep as fits into it", async () => {
    for (const levels of [40, 32_000]) {
      const { terminalId, uuid, partner, fleet } = await sentPayment(relay);
      const deep = `${"[".repeat(levels)}1${"]".repeat(levels)}`;
      const posted = await fleet.post(`/api/v1/${terminalId}/receipt`, `{"uuid":"${uuid}","result":"OK","extra":${deep}}`);
      assert.deepEqual([posted.status, posted.body], [200, { status: "ok", data: "Result recorded" }], `${levels} levels`);
      assertMatches((await partner.uuid(uuid)).body, { data: { status: "OK" } });
    }
    const unfinished = await relay.fleet().post(`/api/v1/${relay.terminalId()}/receipt`, "[".repeat(65_000));
    assertMatches(unfinished, { status: 400, body: { error: /not JSON/ } });
  });

  testOnNodes("of two different results at once one stands and the other is a conflict", async () => {
    const { terminalId, uuid, partner } = await sentPayment(relay);
    const [ok, ko] = await Promise.all(["OK", "KO"].map((result) => relay.fleet().receipt(terminalId, { uuid, result })));
    assert.deepEqual([ok?.status, ko?.status], [200, 200]);
    const stored = (await partner.uuid(uuid)).body;
    assertMatches(stored, { data: { status: /^(OK|KO)$/ } });
    assertMatches(await relay.attention(terminalId), [{ kind: "conflict", uuid }]);
    assert.deepEqual((await partner.status(terminalId)).body, stored);
  });

  testOnNodes("a result for another terminal's uuid is a conflict and overwrites nothing", async () => {
    const { terminalId, uuid, partner } = await sentPayment(relay);
    const stranger = relay.terminalId();
    const posted = await (await relay.terminal(stranger)).receipt(stranger, { uuid, result: "OK" });
    assertMatches(posted, { status: 200, body: { data: /kept as a conflict/ } });
    assert.deepEqual((await partner.uuid(uuid)).body, NO_CONTENT);
    assertMatches((await partner.life(uuid)).body, { data: { state: "sent", terminalId } });
    assertMatches(await relay.attention(stranger), [{ kind: "conflict", uuid }]);
  });

  test("a result that nobody asked for is stored, and operators see it", async () => {
    const [terminalId, uuid, fleet] = [relay.terminalId(), relay.uuid(), relay.fleet()];
    await fleet.poll(terminalId);
    assert.equal((await fleet.receipt(terminalId, { uuid, service: "PAYCC", result: "OK", amount: 300 })).status, 200);
    assertMatches((await fleet.uuid(uuid)).body, { status: "ok", data: { uuid, method: "CARD", status: "OK", amountCents: 300 } });
    assertMatches((await fleet.status(terminalId)).body, { data: { uuid } });
    assertMatches(await relay.attention(terminalId), [{ kind: "unsolicited", uuid }]);
    assertMatches((await fleet.life(uuid)).body, { data: { state: "done", service: null } });
    // It is nobody's, so that a partner does not learn of it.
    assertMatches(await relay.partner().pay(terminalId, { uuid }), { status: 400, headers: { "relay-command-state": undefined } });
    assertMatches(await fleet.pay(terminalId, { uuid }), { status: 400, headers: { "relay-command-state": "done" } });
    assertMatches((await relay.partner().uuid(uuid)).body, { status: "error" });
  });

  test("a result that nobody asked for keeps no other terminal from a payment of its uuid, and its own from one", async () => {
    const [terminalId, stranger, uuid] = [relay.terminalId(), relay.terminalId(), relay.uuid()];
    const [strange, partner, administrator] = [await relay.terminal(stranger), relay.partner(), relay.administrator()];
    const unasked = { uuid: uuid.toUpperCase(), service: "PAYCC", result: "OK", amount: 1 };
    assertMatches(await strange.receipt(stranger, unasked), { status: 200, body: { data: "Result recorded" } });
    for (const caller of [strange, administrator]) assertMatches((await caller.uuid(uuid)).body, { data: { terminalId: stranger } });
    assertMatches(await partner.pay(stranger, { uuid }), { status: 400, body: { error: /already processed/ } });

    assert.equal((await partner.pay(terminalId, { uuid })).status, 200);
    assertMatches((await relay.fleet().take(terminalId)).body, { uuid });
    // The command is what the uuid is from now on, but for the terminal that sees nothing else of it.
    for (const caller of [partner, administrator]) {
      assertMatches((await caller.life(uuid)).body, { data: { uuid, terminalId, state: "sent" } });
      assert.deepEqual((await caller.uuid(uuid)).body, NO_CONTENT);
    }
    assertMatches((await strange.uuid(uuid)).body, { data: { terminalId: stranger, amountCents: 1 } });
    assertMatches(await strange.cancel(uuid), { status: 404 });
    assertMatches((await strange.receipt(stranger, unasked)).body, { data: "Result was recorded before" });
    assertMatches((await partner.life(uuid)).body, { data: { state: "sent", cancelRequested: false } });

    await relay.fleet().receipt(terminalId, { uuid, result: "KO", amount: 1_050 });
    assertMatches((await partner.uuid(uuid)).body, { data: { uuid, terminalId, status: "KO", amountCents: 1_050 } });
    assertMatches((await strange.status(stranger)).body, { data: { uuid: uuid.toUpperCase(), status: "OK" } });
    assert.deepEqual(await relay.attention(terminalId), []);
    assertMatches(await relay.attention(stranger), [{ kind: "unsolicited", uuid: uuid.toUpperCase() }]);
  });

  testOnNodes("of unsolicited results of several terminals under one uuid, each sees its own, and who sees all the oldest", async () => {
    const uuid = relay.uuid();
    const terminals = await Promise.all(
      [1, 2, 3].map(async (amount) => {
        const terminalId = relay.terminalId();
        return { terminalId, amount, terminal: await relay.terminal(terminalId) };
      }),
    );
    for (const { terminalId, amount, terminal } of terminals.toReversed()) {
      await terminal.receipt(terminalId, { uuid, service: "PAYCC", result: "OK", amount });
      relay.advance(10);
    }
    for (const { terminalId, amount, terminal } of terminals) {
      assertMatches((await terminal.uuid(uuid)).body, { data: { terminalId, amountCents: amount } });
      assertMatches(await relay.attention(terminalId), [{ kind: "unsolicited", uuid }]);
    }
    const oldest = terminals[2]?.terminalId;
    assertMatches((await relay.administrator().uuid(uuid)).body, { data: { terminalId: oldest, amountCents: 3 } });
    assertMatches((await relay.administrator().life(uuid)).body, { data: { terminalId: oldest, service: null, state: "done" } });
    assertMatches((await relay.partner().uuid(uuid)).body, { status: "error", data: null });
  });

  test("a result whose amount differs is kept as it is and flagged", async () => {
    const { terminalId, uuid, partner, fleet } = await sentPayment(relay);
    await fleet.receipt(terminalId, { uuid, result: "OK", amount: 999 });
    assertMatches((await partner.uuid(uuid)).body, { data: { amountCents: 999 } });
    assertMatches((await partner.life(uuid)).body, { data: { amountDiffers: true } });
    assertMatches(await relay.attention(terminalId), [{ kind: "amount_differs", uuid }]);
  });

  test("a result in another currency than the payment's is kept as it is and flagged, and one without takes the payment's", async () => {
    const [terminalId, partner, fleet] = [relay.terminalId(), relay.partner(), relay.fleet()];
    const results = [
      { result: { currency: "EUR" }, kept: "EUR", amountDiffers: true },
      { result: {}, kept: "USD", amountDiffers: undefined },
    ];
    for (const { result, kept, amountDiffers } of results) {
      const uuid = relay.uuid();
      assert.equal((await partner.pay(terminalId, { uuid, currency: "USD" })).status, 200);
      assertMatches((await fleet.take(terminalId)).body, { uuid, currency: "USD" });
      assert.equal((await fleet.receipt(terminalId, { uuid, result: "OK", amount: 1_050, ...result })).status, 200);
      assertMatches((await partner.uuid(uuid)).body, { data: { amountCents: 1_050, currency: kept } });
      assertMatches((await partner.life(uuid)).body, { data: { state: "done", amountDiffers } });
    }
    assertMatches(await relay.attention(terminalId), [{ kind: "amount_differs", detail: /currency/ }]);
  });

  test("a result that says two things of its payment is kept for operators; one that repeats anything else is recorded", async () => {
    const said = (uuid: string, other: string) => [
      `"uuid":"${other}","uuid":"${uuid}","result":"OK"`,
      `"uuid":"${uuid}","result":"OK","amount":100,"amount":1050`,
      `"uuid":"${uuid}","result":"KO","result":"OK","amount":1050`,
      `"uuid":"${uuid}","result":"OK","currency":"USD","currency":"EUR"`,
      `"uuid":"${uuid}","result":"OK","data":{"status":"KO","status":"OK"}`,
    ];
    for (const way of ["rest", "stomp"] as const) {
      for (const index of said("", "").keys()) {
        const { terminalId, uuid, partner } = await sentPayment(relay);
        const body = `{${said(uuid, relay.uuid())[index]},"pan":"4111111111111111"}`;
        if (way === "rest") {
          const refused = await relay.fleet().post(`/api/v1/${terminalId}/receipt`, body);
          assertMatches(refused, { status: 400, body: { status: "error", error: /is given more than once$/ } }, body);
        } else {
          const terminal = await relay.online(terminalId);
          terminal.client.publish({ destination: `/app/terminal/${terminalId}/receipt`, body, headers: { receipt: "r-1" } });
          assertMatches((await terminal.errors.next()).headers, {
            code: "invalid_request",
            "receipt-id": "r-1",
            message: /more than once/,
          });
        }
        assert.deepEqual((await partner.uuid(uuid)).body, NO_CONTENT);
        assertMatches((await partner.life(uuid)).body, { data: { state: "sent", unreadableAnswerAt: /./ } });
        assertMatches(await relay.attention(terminalId), [{ kind: "unreadable", uuid, raw: /\[.*\]/ }], body);
        assert.ok(!JSON.stringify(await relay.attention(terminalId)).includes("4111111111111111"));
      }
      const { terminalId, uuid, partner } = await sentPayment(relay);
      const body = `{"uuid":"${uuid}","uuid":"${uuid}","result":"OK","result":"OK","authCode":"1","authCode":"2","card":{"brand":"A","brand":"B"}}`;
      if (way === "rest") assert.equal((await relay.fleet().post(`/api/v1/${terminalId}/receipt`, body)).status, 200);
      else {
        const terminal = await relay.online(terminalId);
        await terminal.send(`/app/terminal/${terminalId}/receipt`, body);
      }
      assertMatches((await partner.uuid(uuid)).body, { data: { status: "OK", auth: { authCode: "2" }, card: { brand: "B" } } });
      assert.deepEqual(await relay.attention(terminalId), []);
    }
  });

  test("a result's currency is read by its number; one that is not known is kept as it came, and flagged", async () => {
    const known = await sentPayment(relay);
    await known.fleet.receipt(known.terminalId, { uuid: known.uuid, result: "OK", amount: 1_050, currency: 985 });
    assertMatches((await known.partner.uuid(known.uuid)).body, { data: { amountCents: 1_050, currency: "PLN" } });
    assertMatches((await known.partner.life(known.uuid)).body, { data: { state: "done", currencyUnknown: undefined } });
    assert.deepEqual(await relay.attention(known.terminalId), []);

    const { terminalId, uuid, partner, fleet } = await sentPayment(relay);
    await fleet.receipt(terminalId, { uuid, result: "OK", amount: 1_050, currency: "191" });
    assertMatches((await partner.uuid(uuid)).body, { data: { amountCents: 1_050, currency: "191" } });
    assertMatches((await partner.life(uuid)).body, { data: { state: "done", currencyUnknown: true } });
    assertMatches(await relay.attention(terminalId), [{ kind: "currency_unknown", uuid }]);
  });

  test("a posting without a certain outcome is kept for operators, answered 400, and leaves the command open", async () => {
    const { terminalId, uuid, partner, fleet } = await sentPayment(relay);
    const postings = [
      { uuid },
      { uuid, result: "TIMEOUT" },
      { uuid, result: "OK", status: "KO" },
      { uuid, status: "OK", data: { result: "KO" } },
      { uuid, authCode: "1", pan: "4111111111111111" },
    ];
    for (const posting of postings) {
      assertMatches(await fleet.receipt(terminalId, posting), { status: 400, body: { status: "error", error: /./ } });
      const kept = await relay.attention(terminalId);
      const raw = JSON.stringify(posting).replace("4111111111111111", "411111******1111");
      assert.ok(
        kept.some((item) => member(item, "raw") === raw),
        `${raw} is not kept`,
      );
    }
    assertMatches(await fleet.receipt(terminalId, { result: "OK" }), { status: 400, body: { error: /uuid/ } });
    assert.deepEqual((await partner.uuid(uuid)).body, NO_CONTENT);
    assertMatches((await partner.life(uuid)).body, { data: { state: "sent" } });
    const items = await relay.attention(terminalId);
    assert.ok(!JSON.stringify(items).includes("4111111111111111"));
    assertMatches(items[0], { kind: "unreadable", terminalId, raw: /./ });
    await fleet.receipt(terminalId, { uuid, result: "KO" });
    assertMatches((await partner.uuid(uuid)).body, { data: { status: "KO" } });
  });

  test("over STOMP such a posting ends the session with an ERROR that names the receipt", async () => {
    const [terminalId, uuid] = [relay.terminalId(), relay.uuid()];
    const terminal = await relay.online(terminalId);
    terminal.client.publish({
      destination: `/app/terminal/${terminalId}/receipt`,
      body: JSON.stringify({ uuid, result: "MAYBE" }),
      headers: { receipt: "r-9" },
    });
    assertMatches((await terminal.errors.next()).headers, { code: "invalid_request", "receipt-id": "r-9", message: /outcome/i });
    assertMatches(await relay.attention(terminalId), [{ kind: "unreadable", uuid }]);
  });

  test("methods come from the command or the result: CARD, SATISPAY, VOUCHER, RECEIPT, UNKNOWN", async () => {
    const cases = [
      {
        pay: { service: "PAYSAT" },
        result: { satispay: { paymentId: "p-1", status: "ACCEPTED" } },
        item: { method: "SATISPAY", satispay: { paymentId: "p-1" } },
      },
      { pay: { service: "PAYBP" }, result: { voucher: { count: 2 } }, item: { method: "VOUCHER", voucher: { count: 2 } } },
      {
        pay: { service: "PAYCC", type: "RECEIPT" },
        result: { receipt: { number: "0001-0002" } },
        item: { method: "RECEIPT", receipt: { number: "0001-0002" } },
      },
      {
        pay: { service: "PAYCC" },
        result: { entry: "chip", message: "Approved" },
        item: { method: "CARD", card: { entry: "ICC" }, message: "Approved" },
      },
      { pay: null, result: { amount: 1 }, item: { method: "UNKNOWN", amountCents: 1, currency: "EUR" } },
    ];
    for (const { pay, result, item } of cases) {
      const [terminalId, uuid, fleet] = [relay.terminalId(), relay.uuid(), relay.fleet()];
      if (pay !== null) {
        assert.equal((await fleet.pay(terminalId, { uuid, ...pay })).status, 200);
        await fleet.poll(terminalId);
      }
      assert.equal((await fleet.receipt(terminalId, { uuid, result: "OK", ...result })).status, 200);
      assertMatches((await fleet.uuid(uuid)).body, { data: item });
    }
  });

  test("status is null from a pay's acceptance to its result, and an older OK never stands for it", async () => {
    const { terminalId, uuid, partner, fleet } = await sentPayment(relay);
    await fleet.receipt(terminalId, { uuid, result: "OK" });
    assertMatches((await partner.status(terminalId)).body, { data: { uuid, status: "OK" } });
    const next = relay.uuid();
    await partner.pay(terminalId, { uuid: next });
    assert.deepEqual((await partner.status(terminalId)).body, NO_CONTENT);
    // A result that nobody asked for does not stand for it either.
    await fleet.receipt(terminalId, { uuid: relay.uuid(), result: "OK" });
    assert.deepEqual((await fleet.status(terminalId)).body, NO_CONTENT);
    await partner.cancel(next);
    assert.deepEqual((await partner.status(terminalId)).body, NO_CONTENT);
    const third = await sentPayment(relay, terminalId);
    assert.deepEqual((await partner.status(terminalId)).body, NO_CONTENT);
    await fleet.receipt(terminalId, { uuid: third.uuid, result: "KO" });
    assertMatches((await partner.status(terminalId)).body, { data: { uuid: third.uuid, status: "KO" } });
  });

  test("card numbers are masked in everything that is answered, in lists for operators and in logs", async () => {
    const { terminalId, uuid, partner, fleet } = await sentPayment(relay);
    const pan = "5500 0000 0000 0004";
    await fleet.receipt(terminalId, {
      uuid,
      result: "OK",
      pan,
      receipt: `CARD ${pan}`,
      message: `paid with ${pan}`,
      track2: "5500000000000004=99",
    });
    await fleet.receipt(terminalId, { uuid, result: "KO", note: pan });
    const device = { "x-device-serial": "5500000000000004", "x-manufacturer": `PAX ${pan}` };
    const log = await fleet.post(`/api/v1/${terminalId}/logs`, { text: `read ${pan}`, card: { pan } }, device);
    assert.equal(log.status, 200);
    const answers = [
      (await partner.uuid(uuid)).text,
      (await partner.status(terminalId)).text,
      (await fleet.get(`/api/v1/${terminalId}/logs`)).text,
      JSON.stringify(await relay.attention(terminalId)),
    ];
    for (const text of answers) {
      assert.ok(!/5500 ?0000 ?0000 ?0004/.test(text), text);
      assert.match(text, /5500 ?00/);
    }
  });

  test("logs of a terminal are kept newest first, shown and deleted", async () => {
    const [terminalId, nobody] = [relay.terminalId(), relay.nobody()];
    const headers = { "x-terminal-id": terminalId, "x-device-model": "A920", "x-app-version": "3.1", "x-manufacturer": "PAX" };
    for (const line of [1, 2, 3]) {
      const kept = await nobody.post(`/api/v1/${terminalId}/logs`, { line, level: "INFO" }, headers);
      assertMatches(kept, { status: 200, body: { status: "ok", data: { terminalID: terminalId, id: /./ } } });
    }
    const shown = await relay.administrator().get(`/api/v1/${terminalId}/logs?limit=2`);
    assertMatches(shown.body, {
      status: "ok",
      data: {
        terminalID: terminalId,
        logs: [
          { log: { line: 3, level: "INFO" }, device: { "x-device-model": "A920" }, receivedAt: /Z$/ },
          { log: { line: 2, level: "INFO" }, device: headers },
        ],
      },
    });
    const cleared = await nobody.send(`/api/v1/${terminalId}/logs`, { method: "DELETE" });
    assert.deepEqual(cleared.body, { status: "ok", data: { terminalID: terminalId, deleted: 3 } });
    assertMatches((await nobody.get(`/api/v1/${terminalId}/logs`)).body, { data: { logs: [] } });
  });

  test("a log is kept however deep it is nested; what lies deeper than 32 levels is replaced", async () => {
    const [terminalId, nobody] = [relay.terminalId(), relay.nobody()];
    const depth = 5_000;
    const kept = await nobody.send(`/api/v1/${terminalId}/logs`, {
      method: "POST",
      body: `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`,
    });
    assert.equal(kept.status, 200, kept.text);
    const shown = await nobody.get(`/api/v1/${terminalId}/logs`);
    assert.match(shown.text, /"log":\{"a":\[{31}"\*{4}"\]{31}\}/);
  });

  test("a log of a device that says much of itself is kept, and what it says is cut", async () => {
    const [terminalId, nobody] = [relay.terminalId(), relay.nobody()];
    const kept = await nobody.post(`/api/v1/${terminalId}/logs`, { line: 1 }, { "x-manufacturer": "x".repeat(2_000) });
    assert.equal(kept.status, 200, kept.text);
    assertMatches((await nobody.get(`/api/v1/${terminalId}/logs`)).body, {
      data: { logs: [{ log: { line: 1 }, device: { "x-manufacturer": "x".repeat(256) } }] },
    });
  });

  test("a log's headers in UTF-8 are shown as they are", async () => {
    const [terminalId, nobody] = [relay.terminalId(), relay.nobody()];
    const headers = { "x-device-model": Buffer.from("Modèl").toString("latin1") };
    // As bytes: of a body that is a text node's client writes the headers in UTF-8 too, once more.
    assert.equal((await nobody.post(`/api/v1/${terminalId}/logs`, Buffer.from('{"line":1}'), headers)).status, 200);
    assertMatches((await nobody.get(`/api/v1/${terminalId}/logs`)).body, {
      data: { logs: [{ log: { line: 1 }, device: { "x-device-model": "Modèl" } }] },
    });
  });
}
