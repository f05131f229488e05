import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeysNotice } from "../../../engine/accounts/keys-notice.ts";
import { MERCHANT_MAILS_PER_HOUR_MAX } from "../../../engine/mails/mail-store.ts";
import type { MerchantRecord } from "../../../engine/partners/merchant.ts";
import type { KeysReplacedBy } from "../../../engine/partners/replace-keys.ts";
import { ABOVE, createTeamWorld, SHOP } from "./team-world.ts";

const MERCHANT: MerchantRecord = {
  ...{ schema: 1, merchantId: SHOP, partnerId: 1, merchantName: "Bar Centrale", environment: "LIVE", active: true },
  ...{ createdAtMs: 1, updatedAtMs: 1, createdBy: "request", keys: { publishable: "digest-1", secret: "digest-2" }, services: {} },
};

async function withTeam() {
  const world = await createTeamWorld();
  const { teams, accounts, mails, clock, kv } = world;
  const notice = createKeysNotice({ teams, accounts, mails, clock });
  /** Stored as in the commit that replaces the keys. */
  const replaced = async (by: KeysReplacedBy, merchant = MERCHANT) => {
    const { operations } = await notice(merchant, by);
    assert.equal((await kv.commit({ checks: [], operations: [...operations] })).type, "committed");
    return operations.length;
  };
  const told = async () => (await world.sent()).filter(({ kind }) => kind === "security-notice");
  return { ...world, replaced, told };
}

test("the active owners of the merchant are told who made new keys, in their languages, and nobody else is", async () => {
  const { join, users, accountOf, accounts, replaced, told } = await withTeam();
  await join("mara@example.com", "OWNER");
  const second = await join("bruno@example.com", "OWNER");
  await join("ada@example.com", "ADMIN");
  await join("stranger@example.com", "OWNER", "SHOP-002");
  const gone = await join("gone@example.com", "OWNER");
  await users.change(SHOP, ABOVE, gone, { state: "DISABLED" });
  assert.ok(second);
  const stored = await accounts.byEmail("mara@example.com");
  assert.ok(stored !== null);
  await accounts.commit({ account: { ...stored, record: { ...stored.record, locale: "en" } }, before: stored.record });
  assert.equal((await accountOf("mara@example.com")).locale, "en");

  await replaced({ type: "person", email: "ada@example.com" });
  const mails = await told();
  assert.deepEqual(mails.map(({ to, merchantId }) => `${to} ${merchantId}`).sort(), [
    `bruno@example.com ${SHOP}`,
    `mara@example.com ${SHOP}`,
  ]);
  const [bruno, mara] = ["bruno@example.com", "mara@example.com"].map((email) => mails.find(({ to }) => to === email));
  assert.equal(mara?.subject, "New API keys for Bar Centrale");
  assert.match(mara?.text ?? "", /by ada@example\.com/);
  assert.equal(bruno?.subject, "Nuove chiavi API per Bar Centrale");
  await replaced({ type: "partner" });
  assert.match((await told()).filter(({ to }) => to === "mara@example.com").at(-1)?.text ?? "", /by your payment provider/);
});

test("a merchant without people, and one that had too many mails written, replace their keys without a mail", async () => {
  const { join, users, replaced, told, clock } = await withTeam();
  assert.equal(await replaced({ type: "partner" }), 0);
  await join("mara@example.com", "OWNER");
  const invited = await users.invite(SHOP, ABOVE, { email: "later@example.com", role: "VIEWER" });
  assert.ok(invited.type === "done");
  for (let mail = 2; mail < MERCHANT_MAILS_PER_HOUR_MAX; mail += 1) {
    clock.advance(60_000);
    await users.inviteAgain(SHOP, ABOVE, invited.user.userId);
    if (mail % 45 === 0) break;
  }
  const before = (await told()).length;
  for (let round = 0; round < MERCHANT_MAILS_PER_HOUR_MAX; round += 1) await replaced({ type: "partner" });
  const written = (await told()).length - before;
  assert.ok(written > 0 && written < MERCHANT_MAILS_PER_HOUR_MAX, `${written} mails`);
});
