import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogoFile } from "../../../engine/branding/branding.ts";
import { type Mail, type Mailer, MailNotSent } from "../../../engine/mails/mail.ts";
import { createMailSender, type MailTold } from "../../../engine/mails/mail-sender.ts";
import { createMailStore, mailOperations, type OwedMail } from "../../../engine/mails/mail-store.ts";
import { createRendezvousHomes } from "../../../engine/routing/rendezvous.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { ManualClock, settle } from "../world.ts";
import { BOX, HOUR_MS, mail } from "./mail-world.ts";

/** What a mailer does with each mail in turn; the last one again and again. */
type Deed = "sent" | "refused" | "fails" | Promise<"sent" | "refused">;

function openMailWorld() {
  const [kv, clock] = [new MemoryKv(), new ManualClock()];
  const store = createMailStore(kv);
  const files = new Map<string, LogoFile>();
  const logos = { logo: async (id: string) => files.get(id) ?? null };
  const [attempts, told, failures]: [{ mail: Mail; atMs: number }[], MailTold[], string[]] = [[], [], []];

  function sender(deeds: readonly Deed[] | null, { self = "one", shards = ["one"], box = BOX } = {}) {
    let done = 0;
    const mailer: Mailer | null =
      deeds === null
        ? null
        : {
            send: async (one) => {
              attempts.push({ mail: one, atMs: clock.nowMs() });
              const deed = deeds[Math.min(done, deeds.length - 1)] ?? "sent";
              done += 1;
              if (deed === "fails") throw new MailNotSent("ECONNECTION");
              return deed;
            },
          };
    return createMailSender({
      ...{ store, box, logos, mailer, clock, self, homes: createRendezvousHomes(shards) },
      told: (event) => told.push(event),
      failed: (what) => failures.push(what),
    });
  }

  return {
    ...{ kv, clock, store, files, attempts, told, failures, sender },
    queue: async (one: OwedMail, expiresInMs = 72 * HOUR_MS) => {
      const atMs = clock.nowMs();
      await kv.commit({ checks: [], operations: mailOperations(one, { box: BOX, atMs, expiresAtMs: atMs + expiresInMs }) });
    },
    stateOf: async (id: string) => (await store.load(id))?.record.state,
    pass: async (ms: number, ...senders: { tick(): void }[]) => {
      const stepMs = ms > 600_000 ? 5_000 : 1_000;
      for (let left = ms; left > 0; left -= stepMs) {
        clock.advance(Math.min(left, stepMs));
        for (const { tick } of senders) tick();
        await settle();
      }
    },
  };
}

test("a mail is sent at once, once, and its text is forgotten", async () => {
  const world = openMailWorld();
  const sender = world.sender(["sent"]);
  await world.queue(mail("m1"));
  await world.pass(3_000, sender);
  assert.deepEqual(
    world.attempts.map((attempt) => attempt.mail),
    [mail("m1")],
  );
  await world.pass(10 * 60_000, sender);
  assert.equal(world.attempts.length, 1);
  const record = (await world.store.load("m1"))?.record;
  assert.deepEqual([record?.state, record?.sealed, record?.attempts], ["SENT", null, 1]);
  assert.deepEqual(world.told, [{ type: "sent", id: "m1", kind: "invitation", attempts: 1, reason: null }]);
  assert.deepEqual(world.failures, []);
});

test("it is tried after 1, 5, 15 and 60 minutes and every hour, as long as it is worth something", async () => {
  const world = openMailWorld();
  const sender = world.sender(["fails"]);
  await world.queue(mail("m1"), 4 * HOUR_MS);
  const startMs = world.clock.nowMs();
  await world.pass(5 * HOUR_MS, sender);
  const minutes = world.attempts.map(({ atMs }) => Math.floor((atMs - startMs) / 60_000));
  assert.deepEqual(minutes, [0, 1, 6, 21, 81, 141, 201]);
  assert.equal(await world.stateOf("m1"), "EXPIRED");
  assert.equal((await world.store.load("m1"))?.record.sealed, null);
  assert.deepEqual(
    world.told.map(({ type }) => type),
    [...Array.from({ length: 7 }, () => "failed"), "expired"],
  );
});

test("a reset, which is worth something for an hour, is not sent after it", async () => {
  const world = openMailWorld();
  await world.queue(mail("m1", { kind: "password-reset", merchantId: null }), HOUR_MS);
  // Nobody was there for the whole hour.
  world.clock.advance(HOUR_MS);
  const sender = world.sender(["sent"]);
  await world.pass(2 * 60_000, sender);
  assert.deepEqual([world.attempts.length, await world.stateOf("m1")], [0, "EXPIRED"]);
});

test("a refused address ends it, and a mail that fails and then goes is sent", async () => {
  const world = openMailWorld();
  const sender = world.sender(["refused", "fails", "sent"]);
  await world.queue(mail("m1"));
  await world.pass(3_000, sender);
  assert.equal(await world.stateOf("m1"), "FAILED");
  await world.queue(mail("m2"));
  await world.pass(2 * 60_000, sender);
  assert.equal(await world.stateOf("m2"), "SENT");
  assert.deepEqual(
    world.told.map(({ type, id, reason }) => [type, id, reason]),
    [
      ["refused", "m1", null],
      ["failed", "m2", "ECONNECTION"],
      ["sent", "m2", null],
    ],
  );
  await world.pass(2 * HOUR_MS, sender);
  assert.equal(world.attempts.length, 3);
});

test("two senders that both believe to be home send a mail once", async () => {
  const world = openMailWorld();
  const senders = [world.sender(["sent"]), world.sender(["sent"], { self: "two", shards: ["two"] })];
  for (let index = 0; index < 50; index += 1) await world.queue(mail(`m${index}`));
  await world.pass(30_000, ...senders);
  assert.equal(world.attempts.length, 50);
  assert.equal(new Set(world.attempts.map((attempt) => attempt.mail.id)).size, 50);
});

test("a node that dies between the claim and the sending leaves it to another, after the lease", async () => {
  const world = openMailWorld();
  const dies = world.sender([new Promise<"sent">(() => undefined)]);
  await world.queue(mail("m1"));
  await world.pass(3_000, dies);
  assert.equal(world.attempts.length, 1);
  const claimedAtMs = world.clock.nowMs();
  const other = world.sender(["sent"]);
  await world.pass(100_000, other);
  assert.equal(world.attempts.length, 1, "it may still be under way");
  await world.pass(60_000, other);
  assert.equal(world.attempts.length, 2);
  assert.ok((world.attempts[1]?.atMs ?? 0) - claimedAtMs >= 115_000);
  assert.equal(await world.stateOf("m1"), "SENT");
});

test("one that was sent while the store did not answer is not sent again", async () => {
  const world = openMailWorld();
  let finish: (outcome: "sent") => void = () => undefined;
  const sender = world.sender([
    new Promise<"sent">((resolve) => {
      finish = resolve;
    }),
  ]);
  await world.queue(mail("m1"));
  await world.pass(3_000, sender);
  world.kv.unreadable = true;
  finish("sent");
  await world.pass(60_000, sender);
  assert.ok(world.failures.includes("mail.deadline"));
  world.kv.unreadable = false;
  await world.pass(10 * 60_000, sender);
  assert.deepEqual([world.attempts.length, await world.stateOf("m1")], [1, "SENT"]);
});

test("without a mailer mails wait until they expire, and are sent if one comes before", async () => {
  const world = openMailWorld();
  const nothing = world.sender(null);
  await world.queue(mail("m1"));
  await world.queue(mail("m2"), HOUR_MS);
  await world.pass(2 * HOUR_MS, nothing);
  assert.deepEqual([await world.stateOf("m1"), await world.stateOf("m2")], ["QUEUED", "EXPIRED"]);
  assert.equal((await world.store.load("m1"))?.record.attempts, 0);
  await nothing.stop();
  await world.pass(16 * 60_000, world.sender(["sent"]));
  assert.deepEqual([await world.stateOf("m1"), world.attempts.length], ["SENT", 1]);
});

test("one whose text cannot be opened is tried again, and sent once the key is back", async () => {
  const world = openMailWorld();
  const keyless = { ...BOX, open: () => assert.fail("no key fits") };
  const sender = world.sender(["sent"], { box: keyless });
  await world.queue(mail("m1"));
  await world.pass(3_000, sender);
  assert.deepEqual(
    [world.attempts.length, world.told.map(({ reason }) => reason)],
    [0, ["the encrypted text of the mail cannot be decrypted"]],
  );
  await sender.stop();
  await world.pass(2 * 60_000, world.sender(["sent"]));
  assert.equal(await world.stateOf("m1"), "SENT");
});

test("few are under way at once, however many wait", async () => {
  const world = openMailWorld();
  const sender = world.sender([new Promise<"sent">(() => undefined)]);
  for (let index = 0; index < 30; index += 1) await world.queue(mail(`m${index}`));
  await world.pass(10_000, sender);
  assert.equal(world.attempts.length, 4);
});

test("a mail is sent as HTML too, with the logo as it is when the mail is sent", async () => {
  const logo = { id: "a".repeat(32), type: "image/png", width: 24, height: 16, bytes: 3 } as const;
  const shop = { name: "Bar Centrale", color: "#ffcc00", logo };
  const body = { locale: "en", blocks: ["Hello"] } as const;
  const contents = new Uint8Array([1, 2, 3]);
  for (const isThere of [true, false]) {
    const world = openMailWorld();
    const sender = world.sender(["sent"]);
    if (isThere) world.files.set(logo.id, { type: "image/png", contents });
    await world.queue({ ...mail("m1"), body, shop });
    await world.pass(3_000, sender);
    const sent = world.attempts[0]?.mail;
    assert.deepEqual(sent?.logo, isThere ? { type: "image/png", contents } : undefined);
    assert.equal(sent?.html?.includes('<img src="cid:logo@relay" alt="Bar Centrale"'), isThere);
    assert.match(String(sent?.html), /Bar Centrale<\/p>/);
    assert.doesNotMatch(String(sent?.html), isThere ? /undefined/ : /<img|cid:/);
  }
});

test("a mail that an older version queued has no HTML, and is sent as plain text", async () => {
  const world = openMailWorld();
  const sender = world.sender(["sent"]);
  await world.queue(mail("m1"));
  await world.pass(3_000, sender);
  assert.deepEqual(world.attempts[0]?.mail, mail("m1"));
});
