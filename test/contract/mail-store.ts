import assert from "node:assert/strict";
import { describe } from "node:test";
import { duePartitionOf } from "../../engine/kernel/due-index-store.ts";
import { type Mail, roomOf } from "../../engine/mails/mail.ts";
import { claimed, ended, type MailRecord, postponed } from "../../engine/mails/mail-record.ts";
import { type MailPlace, type MailStore, type MailTerms, mailOperations, mailText } from "../../engine/mails/mail-store.ts";
import { BOX, DAY_MS, HOUR_MS, mail } from "../engine/mails/mail-world.ts";
import type { OpenKv } from "./engines.ts";
import { ownWorldTest } from "./own-world.ts";

export interface OpenMailStore {
  store: MailStore;
  opened: OpenKv;
  close(): Promise<void>;
}

const SHOP = { merchantId: "SHOP-001" };

/** The contract of engine/mails/mail-store.ts; each engine's test file calls this. */
export function testMailStore(name: string, open: () => Promise<OpenMailStore>): void {
  describe(`${name} keeps the contract of the mail store`, () => {
    const test = ownWorldTest(open);

    async function queue({ opened }: OpenMailStore, one: Mail, terms: Partial<MailTerms> = {}): Promise<void> {
      const atMs = opened.nowMs();
      const operations = mailOperations(one, { box: BOX, atMs, expiresAtMs: atMs + 72 * HOUR_MS, ...terms });
      assert.equal((await opened.kv.commit({ checks: [], operations })).type, "committed");
    }

    async function recordOf(store: MailStore, id: string): Promise<{ record: MailRecord; version: number }> {
      const stored = await store.load(id);
      assert.ok(stored !== null, `${id} is not there`);
      return stored;
    }

    test("a mail is queued with others' entries, due at once, and its text is sealed", async (world) => {
      const { store, opened } = world;
      const atMs = opened.nowMs();
      await queue(world, mail("m1"));
      const { record } = await recordOf(store, "m1");
      assert.deepEqual(
        [record.state, record.to, record.attempts, record.nextAtMs, record.expiresAtMs],
        ["QUEUED", "ada@shop.example", 0, atMs, atMs + 72 * HOUR_MS],
      );
      assert.deepEqual(mailText(BOX, record), { subject: mail("m1").subject, text: mail("m1").text });
      assert.deepEqual(await store.pageDue(duePartitionOf("m1"), null, atMs + 1, 10), [{ id: "m1", atMs }]);
      assert.equal(await store.anyDue(), true);
      assert.equal(await store.queued("invitation"), 1);
      const everything = await opened.kv.scan({ from: " ", to: "\u007f", limit: 100 });
      for (const { key, value } of everything) assert.doesNotMatch(`${key} ${value}`, /token-of-ada|You are invited/);
    });

    test("of twenty claims of one version one is stored", async (world) => {
      const { store } = world;
      await queue(world, mail("m1"));
      const stored = await recordOf(store, "m1");
      const claims = await Promise.all(Array.from({ length: 20 }, () => store.replace(stored, claimed(stored.record, 5))));
      assert.equal(claims.filter((claim) => claim !== null).length, 1);
      assert.equal((await recordOf(store, "m1")).record.attempts, 1);
    });

    test("it is due at its latest time only, and no longer once it has ended; then its text is gone", async (world) => {
      const { store, opened } = world;
      const atMs = opened.nowMs();
      await queue(world, mail("m1"));
      const first = await recordOf(store, "m1");
      const taken = await store.replace(first, claimed(first.record, atMs));
      assert.ok(taken !== null);
      const later = await store.replace(taken, postponed(taken.record, atMs));
      assert.ok(later !== null);
      const all = () => store.pageDue(duePartitionOf("m1"), null, Number.MAX_SAFE_INTEGER, 10);
      assert.deepEqual(await all(), [{ id: "m1", atMs: atMs + 60_000 }]);
      assert.ok((await store.replace(later, ended(later.record, "SENT", atMs + 1_000))) !== null);
      assert.deepEqual(await all(), []);
      assert.equal(await store.anyDue(), false);
      assert.equal(await store.queued("invitation"), 0);
      const { record } = await recordOf(store, "m1");
      assert.deepEqual([record.state, record.sealed, mailText(BOX, record)], ["SENT", null, null]);
    });

    test("what has ended is kept for thirty days, what waits until after its time", async (world) => {
      const { store, opened } = world;
      await queue(world, mail("ended"));
      await queue(world, mail("waits"));
      const { record, version } = await recordOf(store, "ended");
      await store.replace({ record, version }, ended(record, "SENT", opened.nowMs()));
      opened.advance(30 * DAY_MS - 1);
      assert.equal((await store.page(null, 10)).length, 2);
      opened.advance(2);
      assert.equal(await store.load("ended"), null);
      assert.deepEqual(
        (await store.page(null, 10)).map(({ id }) => id),
        ["waits"],
      );
    });

    test("all are listed, newest first and page by page", async (world) => {
      const { store, opened } = world;
      for (let index = 0; index < 7; index += 1) {
        await queue(world, mail(`m${index}`));
        opened.advance(index % 2);
      }
      const seen: string[] = [];
      for (let after: MailPlace | null = null; ; ) {
        const page: MailRecord[] = await store.page(after, 3);
        seen.push(...page.map(({ id }) => id));
        after = page.at(-1) ?? null;
        if (page.length < 3) break;
      }
      assert.deepEqual(seen, ["m6", "m5", "m4", "m3", "m2", "m1", "m0"]);
    });

    test("a merchant has so many sent in an hour, and its other mails wait for their turn", async (world) => {
      const { store, opened } = world;
      const perHour = roomOf("invitation").perHourMax ?? 0;
      const startMs = opened.nowMs();
      for (let index = 0; index < 2 * perHour; index += 1) {
        const sendAtMs = await store.room("invitation", SHOP, startMs);
        assert.equal(sendAtMs, startMs + (index < perHour ? 0 : HOUR_MS), `${index}`);
        await queue(world, mail(`m${index}`), { sendAtMs: sendAtMs ?? 0 });
      }
      assert.equal(await store.room("payment-link", SHOP, startMs), startMs + 2 * HOUR_MS);
      for (const kind of ["security-notice", "dispute-received", "password-reset", "subscription-failed"] as const)
        assert.equal(await store.room(kind, SHOP, startMs), startMs, kind);
      assert.equal(await store.room("invitation", { merchantId: "SHOP-00" }, startMs), startMs);
      opened.advance(3 * HOUR_MS + 1);
      assert.equal(await store.room("invitation", SHOP, opened.nowMs()), opened.nowMs());
    });

    test("so many of a merchant or an address wait, and as many more once one has ended", async (world) => {
      const { store, opened } = world;
      const atMs = opened.nowMs();
      const { waitingMax } = roomOf("password-reset");
      const to = "Ada@shop.example";
      for (let index = 0; index < waitingMax; index += 1) {
        assert.equal(await store.room("password-reset", { merchantId: null, to }, atMs), atMs);
        await queue(world, mail(`m${index}`, { kind: "password-reset", merchantId: null, to }));
      }
      assert.equal(await store.room("password-reset", { merchantId: null, to: to.toLowerCase() }, atMs), null);
      assert.equal(await store.room("password-reset", { merchantId: null, to: "bob@shop.example" }, atMs), atMs);
      const stored = await store.load("m0");
      assert.ok(stored !== null);
      await store.replace(stored, ended(stored.record, "SENT", atMs));
      assert.equal(await store.room("password-reset", { merchantId: null, to }, atMs), atMs);
    });

    test("a mail whose turn comes after its end is looked at once, at its end", async (world) => {
      await queue(world, mail("late"), { sendAtMs: world.opened.nowMs() + 30 * DAY_MS });
      const record = (await world.store.load("late"))?.record;
      assert.equal(record?.nextAtMs, record?.expiresAtMs);
    });

    test("an id that is none is not looked up", async ({ store }) => {
      for (const id of ["", "a/b", "é", "x".repeat(101)]) assert.equal(await store.load(id), null);
    });
  });
}
