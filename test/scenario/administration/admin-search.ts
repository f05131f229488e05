import assert from "node:assert/strict";
import type { Answer } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import type { Relay } from "../../support/node/relay.ts";
import { newAdministrator } from "../../support/people/new-administrator.ts";
import { eventually } from "../../support/within.ts";
import { test } from "../layouts.ts";

/** What operators find by a uuid or an id, and items that they take away. */
export function adminSearch(relay: Relay): void {
  const search = (text: string): Promise<Answer> => relay.administrator().get(`/admin/search?uuid=${encodeURIComponent(text)}`);
  const itemsOf = (answer: Answer) => listOf(member(answer.body, "data", "items"));
  const said = (item: unknown) => listOf(member(item, "timeline")).map((entry) => member(entry, "what"));

  test("nothing is found under what nobody had, and what can be no uuid is refused", async () => {
    assertMatches(await search(relay.uuid()), { status: 200, body: { status: "ok", data: { items: [] } } });
    for (const text of ["", "a b", "x".repeat(65), "pi_%"]) assert.equal((await search(text)).status, 400, text);
    assert.equal((await relay.client({}).get(`/admin/search?uuid=${relay.uuid()}`)).status, 401);
  });

  test("a command is found with what became of it, in any case of letters", async () => {
    const [terminalId, uuid] = [relay.terminalId(), relay.uuid()];
    assert.equal((await relay.partner().pay(terminalId, { uuid, amount: 1_250 })).status, 200);
    const waiting = itemsOf(await search(uuid));
    assertMatches(waiting, [{ kind: "command", id: uuid, terminalId, state: "QUEUED", amountMinor: 1_250, attention: [] }]);
    assert.deepEqual(said(waiting[0]), ["accepted"]);
    await eventually(async () => assert.equal((await relay.fleet().poll(terminalId)).status, 200));
    assertMatches(itemsOf(await search(uuid)), [{ state: "SENT" }]);
    assert.equal((await relay.fleet().receipt(terminalId, { uuid, result: "OK", amount: 1_250 })).status, 200);
    const [paid] = itemsOf(await search(uuid.toUpperCase()));
    assertMatches(paid, { kind: "command", id: uuid, state: "OK", amountMinor: 1_250, currency: "EUR" });
    assert.deepEqual(said(paid).slice(0, 3), ["accepted", "sent", "result"]);
  });

  test("a result that nobody asked for is found at each of its terminals, with its attention; an operator takes that away", async () => {
    const uuid = relay.uuid();
    const terminalIds = [relay.terminalId(), relay.terminalId()];
    for (const terminalId of terminalIds)
      assert.equal((await relay.fleet().receipt(terminalId, { uuid, result: "OK", amount: 5 })).status, 200);
    const found = itemsOf(await search(uuid));
    assert.deepEqual(found.map((item) => member(item, "terminalId")).sort(), [...terminalIds].sort());
    for (const item of found) assertMatches(item, { kind: "result", id: uuid, state: "OK", attention: ["unsolicited"] });
    const [first = ""] = terminalIds;
    const path = `/admin/attention/${encodeURIComponent(`unsolicited/${first}/${uuid}`)}`;
    const reader = await newAdministrator(relay, "read-only");
    assert.equal((await reader.client.send(path, { method: "DELETE" })).status, 403);
    assertMatches(await relay.administrator().send(path, { method: "DELETE" }), { status: 200 });
    assert.equal((await relay.administrator().send(path, { method: "DELETE" })).status, 404);
    assert.deepEqual(await relay.attention(first), []);
    assertMatches(
      itemsOf(await search(uuid)).find((item) => member(item, "terminalId") === first),
      { attention: [] },
    );
  });

  test("a link is found by its id, and by the gateway's", async () => {
    const created = await relay
      .partner()
      .post("/api/v1/paybylink", { amount: 12.34, reason: "Order of Anna", customerEmail: "anna@example.com" });
    const txId = textMember(created.body, "txId");
    const answer = await search(txId);
    assertMatches(itemsOf(answer), [{ kind: "link", id: txId, amountMinor: 1_234, currency: "EUR", createdAt: /Z$/ }]);
    assert.doesNotMatch(answer.text, /anna|Order of/i);
    const paymentId = member(created.body, "paymentId");
    if (typeof paymentId === "string")
      await eventually(async () => assertMatches(itemsOf(await search(paymentId)), [{ kind: "link", id: txId }]));
  });
}
