import assert from "node:assert/strict";
import { assertMatches, textMember } from "../../support/http/matches.ts";
import type { Relay } from "../../support/node/relay.ts";
import { test, testOnNodes } from "../layouts.ts";

const DUPLICATE = { status: 400, body: { error: "Duplicate payment request - UUID already processed" } };

/** A uuid as its sender writes it, and as others do. */
function spellings(relay: Relay, sender: "capitals" | "small letters") {
  const small = relay.uuid();
  const [capitals, mixed] = [small.toUpperCase(), small.slice(0, 18) + small.slice(18).toUpperCase()];
  return sender === "capitals" ? { sent: capitals, other: small, mixed } : { sent: small, other: capitals, mixed };
}

export function uuids(relay: Relay): void {
  for (const sender of ["capitals", "small letters"] as const) {
    test(`a uuid that is sent in ${sender} is the same one in others, and shown as it was sent`, async () => {
      const [terminalId, partner] = [relay.terminalId(), relay.partner()];
      const { sent, other, mixed } = spellings(relay, sender);
      const terminal = await relay.online(terminalId);
      assertMatches(await partner.pay(terminalId, { uuid: sent }), { status: 200, body: { data: { received: { uuid: sent } } } });
      assertMatches((await terminal.commands.next()).command, { uuid: sent });
      for (const uuid of [other, mixed, sent]) {
        const again = await partner.pay(terminalId, { uuid });
        assertMatches(again, { ...DUPLICATE, headers: { "relay-command-state": "sent", location: `/api/v1/commands/${sent}` } });
        assertMatches(await relay.fleet().pay(relay.terminalId(), { uuid }), DUPLICATE);
        assertMatches(await partner.post(`/api/v1/${terminalId}/scan`, { uuid }), DUPLICATE);
      }
      await terminal.result(terminalId, { uuid: other, result: "OK", amount: 1_050, authCode: "7" });
      for (const uuid of [sent, other, mixed]) {
        assertMatches((await partner.uuid(uuid)).body, { status: "ok", data: { uuid: sent, status: "OK", auth: { authCode: "7" } } });
        assertMatches((await partner.life(uuid)).body, { data: { uuid: sent, state: "done", attempt: 1, result: "OK" } });
      }
      assertMatches((await partner.status(terminalId)).body, { data: { uuid: sent, status: "OK" } });
      assert.deepEqual(await relay.attention(terminalId), []);
    });

    test(`a result for a uuid that was sent in ${sender} is the same in others, and a different one is a conflict`, async () => {
      const [terminalId, partner, fleet] = [relay.terminalId(), relay.partner(), relay.fleet()];
      const { sent, other, mixed } = spellings(relay, sender);
      await partner.pay(terminalId, { uuid: sent });
      assertMatches((await fleet.take(terminalId)).body, { uuid: sent });
      assertMatches((await fleet.receipt(terminalId, { uuid: mixed, result: "OK" })).body, { data: "Result recorded" });
      for (const uuid of [other, sent, mixed]) {
        assertMatches((await fleet.receipt(terminalId, { uuid, result: "OK" })).body, { data: "Result was recorded before" });
      }
      for (const uuid of [other, sent, mixed]) {
        assertMatches((await fleet.receipt(terminalId, { uuid, result: "KO" })).body, { data: /kept as a conflict/ });
        assertMatches(await relay.attention(terminalId), [{ kind: "conflict", uuid: sent }]);
      }
      assertMatches((await partner.uuid(other)).body, { data: { uuid: sent, status: "OK" } });
    });

    test(`a command that was sent in ${sender} is cancelled by its uuid in others`, async () => {
      const [terminalId, partner] = [relay.terminalId(), relay.partner()];
      const waiting = spellings(relay, sender);
      await partner.pay(terminalId, { uuid: waiting.sent });
      assertMatches(await partner.cancel(waiting.other), { status: 200, body: { data: { uuid: waiting.sent, state: "cancelled" } } });
      assertMatches((await partner.life(waiting.other)).body, { data: { uuid: waiting.sent, state: "cancelled" } });

      const { sent, other, mixed } = spellings(relay, sender);
      const terminal = await relay.online(terminalId);
      await partner.pay(terminalId, { uuid: sent });
      assertMatches((await terminal.commands.next()).command, { uuid: sent });
      const asked = await partner.cancel(other);
      assertMatches(asked, { status: 202, body: { data: { uuid: sent, state: "sent" } } });
      const cancelUuid = textMember(asked.body, "data", "cancelUuid");
      assertMatches((await terminal.commands.next()).command, { uuid: cancelUuid, service: "CANCEL", cancels: sent });
      // Asked once more, and in yet another way, it is the same CANCEL.
      assertMatches(await partner.cancel(mixed), { status: 202, body: { data: { uuid: sent, cancelUuid } } });
      await terminal.result(terminalId, { uuid: cancelUuid.toUpperCase(), result: "OK" });
      assertMatches((await partner.life(other)).body, { data: { uuid: sent, state: "cancelled", sentAt: /Z$/ } });
    });
  }

  test("a lookup that waits by a uuid in capitals is answered by the result in small letters", async () => {
    const [terminalId, partner, fleet] = [relay.terminalId(), relay.partner(), relay.fleet()];
    const { sent, other } = spellings(relay, "small letters");
    await partner.pay(terminalId, { uuid: sent });
    await fleet.take(terminalId);
    const waiting = partner.uuid(other, 30);
    await fleet.receipt(terminalId, { uuid: sent, result: "OK" });
    assertMatches((await waiting).body, { data: { uuid: sent, status: "OK" } });
  });

  testOnNodes("of many pays with one uuid at once, each in other letters, one is accepted", async () => {
    const { sent, other, mixed } = spellings(relay, "small letters");
    const answers = await Promise.all(
      [sent, other, mixed, other, mixed, sent].map((uuid) => relay.partner().pay(relay.terminalId(), { uuid })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400, 400]);
  });

  test("a uuid that has not the form of one is another in capitals", async () => {
    const [terminalId, partner] = [relay.terminalId(), relay.partner()];
    const word = `order-${relay.uuid().slice(0, 8)}-x`;
    assert.equal((await partner.pay(terminalId, { uuid: word })).status, 200);
    assert.equal((await partner.pay(terminalId, { uuid: word.toUpperCase() })).status, 200);
    assertMatches((await partner.life(word.toUpperCase())).body, { data: { uuid: word.toUpperCase(), state: "queued" } });
  });
}
