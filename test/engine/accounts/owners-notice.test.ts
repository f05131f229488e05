import assert from "node:assert/strict";
import { test } from "node:test";
import type { MerchantRecord } from "../../../engine/partners/merchant.ts";
import type { KeysChange } from "../../../engine/partners/replace-keys.ts";
import type { WebhookEndpointRecord } from "../../../engine/webhooks/webhook-endpoint.ts";
import { ADMINISTRATOR, createTeamWorld, PASSWORD, SHOP, type TeamWorld } from "./team-world.ts";

const MERCHANT: MerchantRecord = {
  ...{ schema: 1, merchantId: SHOP, partnerId: 1, merchantName: "Bar Centrale", environment: "LIVE", active: true },
  ...{ createdAtMs: 1, updatedAtMs: 1, createdBy: "request", keys: { publishable: "digest-1", secret: "digest-2" }, services: {} },
};

const PARTNER = { type: "partner" } as const;
const LIVE = { environment: "LIVE", first: false, made: [] } as const;

/** Security notices since the last call, as `<to>: <text>` of the line that says what changed. */
function noticesOf(world: TeamWorld) {
  let seen = 0;
  return async (): Promise<string[]> => {
    const mails = (await world.sent()).filter(({ kind }) => kind === "security-notice");
    const fresh = mails.slice(seen);
    seen = mails.length;
    return fresh.map(({ to, text }) => `${to}: ${text.split("\n\n")[1]}`).sort();
  };
}

async function stored(world: TeamWorld, operations: Parameters<TeamWorld["kv"]["commit"]>[0]["operations"]): Promise<number> {
  assert.equal((await world.kv.commit({ checks: [], operations })).type, "committed");
  return operations.length;
}

test("the active owners of the merchant are told who made new keys, in their languages, and nobody else is", async () => {
  const world = await createTeamWorld();
  const { join, users, accounts, owners, sent } = world;
  const replaced = async (change: KeysChange) => stored(world, [...(await owners.ofKeys.told(MERCHANT, change)).operations]);
  await join("mara@example.com", "OWNER");
  await join("bruno@example.com", "OWNER");
  await join("ada@example.com", "ADMIN");
  await join("stranger@example.com", "OWNER", "SHOP-002");
  const gone = await join("gone@example.com", "OWNER");
  await users.change(SHOP, ADMINISTRATOR, gone, { state: "DISABLED" });
  const account = await accounts.byEmail("mara@example.com");
  assert.ok(account !== null);
  await accounts.commit({ account: { ...account, record: { ...account.record, locale: "en" } }, before: account.record });

  const before = (await sent()).length;
  await replaced({ type: "replaced", by: { type: "person", email: "ada@example.com" }, ...LIVE });
  const mails = (await sent()).slice(before);
  assert.deepEqual(mails.map(({ to, merchantId }) => `${to} ${merchantId}`).sort(), [
    `bruno@example.com ${SHOP}`,
    `mara@example.com ${SHOP}`,
  ]);
  const [bruno, mara] = ["bruno@example.com", "mara@example.com"].map((email) => mails.find(({ to }) => to === email));
  assert.equal(mara?.subject, "New API keys for Bar Centrale");
  assert.match(mara?.text ?? "", /ada@example\.com replaced/);
  assert.equal(bruno?.subject, "Nuove chiavi API per Bar Centrale");
  assert.equal(await owners.ofKeys.isAnyActive(SHOP), true);
  assert.equal(await owners.ofKeys.isAnyActive("SHOP-009"), false);
});

test("a merchant without people replaces its keys without a mail", async () => {
  const world = await createTeamWorld();
  const { operations } = await world.owners.ofKeys.told(MERCHANT, { type: "replaced", by: PARTNER, ...LIVE });
  assert.equal(await stored(world, [...operations]), 0);
});

test("owners are told once an hour of more changes than their queue takes, and no other mail takes its room", async () => {
  const world = await createTeamWorld();
  const change = { type: "replaced", by: PARTNER, ...LIVE } as const;
  const replaced = async () => stored(world, [...(await world.owners.ofKeys.told(MERCHANT, change)).operations]);
  await world.join("mara@example.com", "OWNER");
  const texts = async () => (await world.sent()).filter(({ kind }) => kind === "security-notice").map(({ text }) => text);
  for (let other = 0; other < 60; other += 1) {
    await world.users.invite(SHOP, ADMINISTRATOR, { email: `user-${other}@example.com`, role: "VIEWER" }).catch(() => undefined);
  }
  assert.ok((await replaced()) > 0, "invitations have another room");
  for (let round = 1; round < 1_000; round += 1) await replaced();
  assert.ok((await replaced()) > 0, "one mail says that there were more");
  assert.match((await texts()).at(-1) ?? "", /altre modifiche/);
  assert.equal(await replaced(), 0, "it says so once an hour");
  world.clock.advance(3_600_000);
  assert.ok((await replaced()) > 0, "and again in the next one");
});

test("owners are told of every change of an owner, and so is the one who is none any more", async () => {
  const world = await createTeamWorld();
  const { join, users } = world;
  const notices = noticesOf(world);
  await join("anna@example.com", "OWNER");
  assert.deepEqual(await notices(), [], "there was nobody to tell");
  const bruno = await join("bruno@example.com", "OWNER");
  assert.deepEqual(await notices(), [
    "anna@example.com: bruno@example.com ha accettato l'invito ed è ora titolare.",
    "anna@example.com: bruno@example.com è stato invitato come titolare.",
  ]);
  const carla = await join("carla@example.com", "ADMIN");
  await users.remove(SHOP, ADMINISTRATOR, carla);
  assert.deepEqual(await notices(), [], "she was no owner");
  const steps: [change: () => Promise<unknown>, text: string][] = [
    [() => users.change(SHOP, ADMINISTRATOR, bruno, { role: "ADMIN" }), "bruno@example.com non è più titolare."],
    [() => users.change(SHOP, ADMINISTRATOR, bruno, { role: "OWNER" }), "bruno@example.com è ora titolare."],
    [
      () => users.change(SHOP, ADMINISTRATOR, bruno, { state: "DISABLED" }),
      "bruno@example.com, titolare, è stato disattivato e non può più accedere.",
    ],
    [() => users.change(SHOP, ADMINISTRATOR, bruno, { state: "ACTIVE" }), "bruno@example.com, titolare, è stato riattivato."],
    [() => users.remove(SHOP, ADMINISTRATOR, bruno), "bruno@example.com, titolare, è stato rimosso dagli utenti."],
  ];
  for (const [change, text] of steps) {
    await change();
    assert.deepEqual(await notices(), [`anna@example.com: ${text}`, `bruno@example.com: ${text}`]);
  }
  const invited = await users.invite(SHOP, ADMINISTRATOR, { email: "dario@example.com", role: "OWNER" });
  assert.ok(invited.type === "done");
  await notices();
  await users.remove(SHOP, ADMINISTRATOR, invited.user.userId);
  const withdrawn = "L'invito di dario@example.com come titolare è stato ritirato.";
  assert.deepEqual(await notices(), [`anna@example.com: ${withdrawn}`, `dario@example.com: ${withdrawn}`]);
});

test("the partner replaces its invitation of the first owner, brings in no owner and no administrator after that, and owners are told of others", async () => {
  const world = await createTeamWorld();
  const { users, invitations, lastMailTo } = world;
  const invite = async (email: string, role: "OWNER" | "ADMIN" | "VIEWER" = "OWNER") => {
    const outcome = await users.invite(SHOP, PARTNER, { email, role });
    return outcome.type === "done" ? "done" : outcome.why;
  };
  const accept = async (token: string) => (await invitations.accept(token, { password: PASSWORD, ipAddress: "192.0.2.1" })).type;
  const notices = noticesOf(world);
  assert.equal(await invite("typo@example.com"), "done");
  const { token: typo } = await lastMailTo("typo@example.com");
  assert.equal(await invite("anna@example.com"), "done");
  assert.deepEqual(await notices(), ["typo@example.com: L'invito di typo@example.com come titolare è stato ritirato."]);
  assert.equal(await accept(typo), "used_or_expired");
  assert.equal(await invite("anna@example.com"), "user_exists", "her mail was sent a moment ago");
  world.clock.advance(60_000);
  assert.equal(await invite("anna@example.com"), "done");
  assert.equal((await users.list(SHOP)).length, 1);
  // Both are open when the first is accepted.
  const other = await users.invite(SHOP, ADMINISTRATOR, { email: "other@example.com", role: "OWNER" });
  assert.ok(other.type === "done");
  const { token: byAdministrator } = await lastMailTo("other@example.com");
  const { token: byPartner } = await lastMailTo("anna@example.com");
  assert.equal(await accept(byAdministrator), "joined");
  assert.equal(await accept(byPartner), "used_or_expired");

  await notices();
  for (const role of ["OWNER", "ADMIN"] as const) assert.equal(await invite("thief@example.com", role), "owner_active");
  assert.deepEqual(await notices(), []);
  assert.equal(await invite("viewer@example.com", "VIEWER"), "done");
  assert.equal(await accept((await lastMailTo("viewer@example.com")).token), "joined");
  assert.equal((await notices()).filter((one) => /^other@example\.com: .*viewer@example\.com/.test(one)).length, 2);
  const [owner] = (await users.list(SHOP)).filter(({ email }) => email === "other@example.com");
  assert.equal(
    (await users.invite(SHOP, { type: "member", userId: owner?.userId ?? "" }, { email: "anna@example.com", role: "OWNER" })).type,
    "done",
  );
});

test("owners are told of second factors of a user, at each merchant where it is one, and the person is not told twice", async () => {
  const world = await createTeamWorld();
  const notices = noticesOf(world);
  await world.join("anna@example.com", "OWNER");
  await world.join("bruno@example.com", "VIEWER");
  await world.join("bruno@example.com", "OWNER", "SHOP-002");
  await world.join("carla@example.com", "OWNER", "SHOP-002");
  await notices();
  await stored(world, [...(await world.owners.ofFactors(await world.accountOf("bruno@example.com"), "passkey added"))]);
  const text = "L'accesso di bruno@example.com è stato modificato. È stata aggiunta una passkey.";
  assert.deepEqual(await notices(), [`anna@example.com: ${text}`, `carla@example.com: ${text}`]);
  await world.resetFactors("bruno@example.com");
  assert.deepEqual(
    (await notices()).map((one) => one.split(":")[0]),
    ["anna@example.com", "bruno@example.com", "carla@example.com"],
  );
});

const ENDPOINT: WebhookEndpointRecord = {
  ...{
    schema: 1,
    id: "we_1",
    owner: { type: "merchant", merchantId: SHOP },
    format: "portal",
    livemode: true,
    url: "https://shop.example/secret-path",
  },
  ...{ events: ["payment_link.paid"], apiVersion: null, description: null, metadata: {}, status: "enabled", disabledReason: null },
  ...{ secrets: [], rolls: [], createdAtMs: 1, updatedAtMs: 1 },
};

test("owners are told of webhooks by the host of their address alone, and not of what changes nothing about them", async () => {
  const world = await createTeamWorld();
  await world.join("anna@example.com", "OWNER");
  const notices = noticesOf(world);
  const other = { ...ENDPOINT, url: "https://attacker.example/collect" };
  const table: [before: WebhookEndpointRecord | null, after: WebhookEndpointRecord | null, said: RegExp | null][] = [
    [null, ENDPOINT, /creato un webhook.*shop\.example/],
    [ENDPOINT, other, /sono cambiati.*attacker\.example/],
    [ENDPOINT, { ...ENDPOINT, events: ["*"] }, /sono cambiati/],
    [ENDPOINT, { ...ENDPOINT, status: "disabled" }, /disattivato/],
    [{ ...ENDPOINT, status: "disabled" }, ENDPOINT, /riattivato/],
    [ENDPOINT, { ...ENDPOINT, rolls: ["roll-1"] }, /segreto/],
    [ENDPOINT, null, /rimosso/],
    [ENDPOINT, { ...ENDPOINT, description: "Order system" }, null],
    [null, { ...ENDPOINT, owner: { type: "partner", partnerId: 1 } }, null],
  ];
  for (const [before, after, said] of table) {
    await stored(world, [...(await world.owners.ofWebhook(before, after))]);
    const told = await notices();
    if (said === null) assert.deepEqual(told, []);
    else assert.match(told.join(), said);
    assert.doesNotMatch(told.join(), /secret-path|collect/);
  }
});
