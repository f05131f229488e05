import assert from "node:assert/strict";
import { assertMatches, textMember } from "../../support/http/matches.ts";
import type { Relay } from "../../support/node/relay.ts";
import { test, testOnNodes } from "../layouts.ts";

const MINUTE_MS = 60_000;

/** A payment that was sent to a terminal which is online, and whose cancellation was asked for. */
async function cancelAfterSending(relay: Relay) {
  const [terminalId, uuid, partner] = [relay.terminalId(), relay.uuid(), relay.partner()];
  const terminal = await relay.online(terminalId);
  await partner.pay(terminalId, { uuid });
  assertMatches((await terminal.commands.next()).command, { uuid });
  const asked = await partner.cancel(uuid);
  assertMatches(asked, { status: 202, body: { status: "ok", data: { uuid, state: "sent" } } });
  const cancelUuid = textMember(asked.body, "data", "cancelUuid");
  const { command } = await terminal.commands.next();
  assertMatches(command, { uuid: cancelUuid, service: "CANCEL", amount: 0, terminalId, cancels: uuid, expiresAt: /Z$/ });
  return { terminalId, uuid, partner, terminal, cancelUuid };
}

export function cancellation(relay: Relay): void {
  test("a command that waits is cancelled at once and never handed out", async () => {
    const [terminalId, uuid, partner] = [relay.terminalId(), relay.uuid(), relay.partner()];
    await partner.pay(terminalId, { uuid });
    const waiting = partner.uuid(uuid, 30);
    assert.deepEqual((await partner.cancel(uuid)).body, { status: "ok", data: { uuid, state: "cancelled" } });
    assertMatches((await waiting).body, { status: "ok", data: null, message: "no_content" });
    assert.equal((await relay.fleet().poll(terminalId)).status, 204);
    assertMatches((await partner.life(uuid)).body, { data: { state: "cancelled", finishedAt: /Z$/, sentAt: undefined } });
    assertMatches(await partner.cancel(uuid), { status: 409, body: { status: "error", error: /cancelled/ } });
    assertMatches((await partner.pay(terminalId, { uuid })).headers, { "relay-command-state": "cancelled" });
  });

  testOnNodes("of a poll and a cancel at once, one wins and the other knows", async () => {
    for (let round = 0; round < 10; round += 1) {
      const [terminalId, uuid] = [relay.terminalId(), relay.uuid()];
      const [partner, fleet] = [relay.partner(), relay.fleet()];
      await partner.pay(terminalId, { uuid });
      const [polled, cancelled] = await Promise.all([fleet.poll(terminalId), partner.cancel(uuid)]);
      if (polled.status === 200) assertMatches([polled.body, cancelled.status], [{ uuid }, 202]);
      else assert.deepEqual([polled.status, cancelled.status], [204, 200]);
    }
  });

  testOnNodes("a sent command is cancelled when the terminal says that it did not execute it", async () => {
    const { terminalId, uuid, partner, terminal, cancelUuid } = await cancelAfterSending(relay);
    assertMatches((await partner.life(uuid)).body, { data: { state: "sent", cancelRequested: true } });
    assertMatches((await partner.cancel(uuid)).body, { data: { cancelUuid } });
    await terminal.result(terminalId, { uuid: cancelUuid, service: "CANCEL", result: "OK" });
    assertMatches((await partner.life(uuid)).body, { data: { state: "cancelled", result: null } });
    assertMatches((await partner.uuid(uuid)).body, { status: "ok", data: null, message: "no_content" });
  });

  test("a terminal that refuses to cancel goes on, and its result is taken", async () => {
    const { terminalId, uuid, partner, terminal, cancelUuid } = await cancelAfterSending(relay);
    await terminal.result(terminalId, { uuid: cancelUuid, service: "CANCEL", result: "KO" });
    assertMatches((await partner.life(uuid)).body, { data: { state: "sent" } });
    await terminal.result(terminalId, { uuid, result: "OK" });
    assertMatches((await partner.life(uuid)).body, { data: { state: "done", result: "OK" } });
  });

  test("a result that comes before the answer to the CANCEL wins", async () => {
    const { terminalId, uuid, partner, terminal, cancelUuid } = await cancelAfterSending(relay);
    await terminal.result(terminalId, { uuid, result: "OK" });
    await terminal.result(terminalId, { uuid: cancelUuid, service: "CANCEL", result: "OK" });
    assertMatches((await partner.life(uuid)).body, { data: { state: "done", result: "OK" } });
    assertMatches((await partner.uuid(uuid)).body, { data: { status: "OK" } });
    assertMatches(await partner.cancel(uuid), { status: 409 });
  });

  test("a result that comes after an OK to the CANCEL wins all the same, and operators see it", async () => {
    const { terminalId, uuid, partner, terminal, cancelUuid } = await cancelAfterSending(relay);
    await terminal.result(terminalId, { uuid: cancelUuid, service: "CANCEL", result: "OK" });
    await terminal.result(terminalId, { uuid, result: "OK" });
    assertMatches((await partner.life(uuid)).body, { data: { state: "done", result: "OK" } });
    assertMatches((await partner.status(terminalId)).body, { data: { uuid, status: "OK" } });
    assertMatches(await relay.attention(terminalId), [{ kind: "late", uuid }]);
  });

  test("a CANCEL without an answer leaves the command as it is", async () => {
    const { uuid, partner, cancelUuid } = await cancelAfterSending(relay);
    relay.advance(MINUTE_MS);
    await relay.lifeBecomes(cancelUuid, { state: "unknown" });
    assertMatches((await partner.life(uuid)).body, { data: { state: "sent" } });
  });

  test("an OK to the CANCEL settles a command that had become unknown meanwhile", async () => {
    const { terminalId, uuid, terminal, cancelUuid } = await cancelAfterSending(relay);
    relay.advance(5 * MINUTE_MS - 5_000);
    await terminal.ping(terminalId);
    relay.advance(5_000);
    await relay.lifeBecomes(uuid, { state: "unknown" });
    await terminal.result(terminalId, { uuid: cancelUuid, service: "CANCEL", result: "OK" });
    await relay.lifeBecomes(uuid, { state: "cancelled" });
  });

  test("what is not known, or not the caller's, cannot be cancelled", async () => {
    const [terminalId, uuid] = [relay.terminalId(), relay.uuid()];
    await relay.fleet().pay(terminalId, { uuid });
    assertMatches(await relay.partner().cancel(uuid), { status: 404, body: { status: "error", error: "Command not found" } });
    assertMatches(await relay.administrator().cancel(relay.uuid()), { status: 404 });
    assert.equal((await relay.nobody().cancel(uuid)).status, 401);
    assert.equal((await relay.administrator().cancel(uuid)).status, 200);
  });
}
