import assert from "node:assert/strict";
import { signNotification } from "../../../http/gateway/notification.ts";
import { SANDBOX_GATEWAY_ACCOUNT } from "../../../infra/sandbox/gateway/options.ts";
import { assertMatches, textMember } from "../../support/http/matches.ts";
import { eventually } from "../../support/within.ts";
import { test } from "../layouts.ts";
import type { LinkWorld } from "./link-world.ts";

const MINUTE_MS = 60_000;

/** What the gateway, or anyone in its name, tells about links. */
export function linkNotifications({ relay, gateway, advance, create, status, becomes, paidLink }: LinkWorld): void {
  const notify = (query: { [name: string]: string }) => relay.nobody().post(`/api/v1/gw/notify?${new URLSearchParams(query)}`);

  test("of unknown payments and with wrong signatures are answered like all others, and nothing comes of them", async () => {
    await gateway().faults({ notify: "never" });
    const txId = await create();
    const paymentId = textMember((await status(txId)).body, "paymentId");
    await gateway().act(txId, "pay");
    const forged = signNotification({ merId: SANDBOX_GATEWAY_ACCOUNT.merchantId, txId, paymentId }, "another secret");
    for (const query of [{ txId: "nobody" }, { txId: "%00/../x" }, { txId, signature: "" }, { txId, paymentId, signature: forged }]) {
      assertMatches(await notify(query), { status: 200, text: "" });
    }
    // What is notified rightly after them has been verified, and they have not.
    const other = await create();
    await gateway().act(other, "pay");
    await notify({ txId: other });
    await becomes(other, { status: "SUCCESS" });
    assert.equal(gateway().verifies(txId), 0);
    assertMatches((await status(txId)).body, { status: "PENDING" });
    assertMatches(await relay.nobody().post("/api/v1/gw/notify"), { status: 400, body: { status: "error", error: /txId/ } });
    const { merchantId: merId, secret } = SANDBOX_GATEWAY_ACCOUNT;
    assertMatches(await notify({ merId, txId, paymentId, signature: signNotification({ merId, txId, paymentId }, secret) }), {
      status: 200,
      text: "",
    });
    await becomes(txId, { status: "SUCCESS" });
  });

  test("without a signature are verified like any other, with one that the gateway signs wrongly not at all", async () => {
    await gateway().faults({ notifySignature: "absent" });
    const unsigned = await create();
    await gateway().act(unsigned, "pay");
    await becomes(unsigned, { status: "SUCCESS" });
    await gateway().faults({ notifySignature: "wrong" });
    const wrong = await create();
    await gateway().act(wrong, "pay");
    await eventually(() => assert.equal(gateway().notified(wrong), 1));
    assert.equal(gateway().verifies(wrong), 0);
    assertMatches((await status(wrong)).body, { status: "PENDING" });
    await advance(5 * MINUTE_MS);
    await becomes(wrong, { status: "SUCCESS" });
  });

  test("repeated a hundred times change nothing more", async () => {
    await gateway().faults({ notify: "twice" });
    const txId = await create();
    await gateway().act(txId, "pay");
    await becomes(txId, { status: "SUCCESS" });
    const before = (await status(txId)).body;
    for (let count = 0; count < 100; count += 1) assert.equal((await notify({ txId })).status, 200);
    assert.deepEqual((await status(txId)).body, before);
  });

  test("in a flood from one address are refused beyond the limit, and others come through", async () => {
    const flooding = relay.nobody();
    // More than twice as many as there may be in a second; a busy machine may take longer for them.
    const refused = await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 450 }, () => flooding.post("/api/v1/gw/notify?txId=nobody")));
      return answers.find(({ status }) => status === 429) ?? assert.fail("none was refused");
    });
    assertMatches(refused, { headers: { "retry-after": /^\d+$/ } });
    await paidLink();
  });
}
