import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { MAIL_LEASE_MS } from "../../engine/mails/mail-record.ts";
import type { CloudConfig } from "../../engine/settings/cloud-config.ts";
import { CLOUD_CONFIGS, createRecordStore } from "../../engine/tables/record-store.ts";
import { partitionOf } from "../../engine/tables/table-versions.ts";
import { loadShopsSince } from "../../storage/feed/shops-since.ts";
import { ADMIN } from "../storage/clickhouse/clickhouse-world.ts";
import { kvOf } from "../storage/kv/redis-world.ts";
import { atEnd, type Scope, suiteScope } from "../storage/kv/world.ts";
import { listOf, member } from "../support/http/matches.ts";
import { kafkaMissing } from "../support/node/kafka.ts";
import { redisMissing } from "../support/node/redis.ts";
import { type SmtpServer, startSmtpServer } from "../support/node/smtp-server.ts";
import { startTcpProxy } from "../support/node/tcp-proxy.ts";
import { newMerchant } from "../support/people/new-merchant.ts";
import { newPartnerApi } from "../support/people/new-partner-api.ts";
import { eventually } from "../support/within.ts";
import { clusterOfSuite, type TestCluster } from "./cluster-world.ts";
import { addressOf, placeOf } from "./portal-world.ts";

const missing = (await redisMissing()) || (await kafkaMissing());

const SLEEP_MS = 20_000;

/** Mails while all nodes are well, and while one of them sleeps. */
const FIRST = 30;
const MEANWHILE = 10;

/** A team has no more. */
const USERS_OF_SHOP = 5;

/** Terminals with rows of before: a node is at them for longer than the two seconds after which it stores how far it has come. */
const TERMINALS = 1_000;

const LEASE = "shop/turn";

interface HeldMail {
  readonly node: number;
  release(): void;
}

/** Servers for mail, one for each node, so that it is known who sends what. */
interface MailServers {
  readonly servers: readonly SmtpServer[];
  /** The node that is sending a mail to this address: its server has not got the text yet, and says nothing before `release`. */
  hold(address: string): Promise<HeldMail>;
  /** How often a mail to the address came, at any of them. */
  countOf(address: string): number;
}

async function startMailServers(suite: Scope, count: number): Promise<MailServers> {
  const wanted = new Map<string, (held: HeldMail) => void>();
  const onRecipient = (node: number) => async (address: string) => {
    const held = wanted.get(address);
    wanted.delete(address);
    if (held !== undefined) await new Promise<void>((release) => held({ node, release }));
    return "250 2.1.5 ok";
  };
  const servers = await Promise.all(Array.from({ length: count }, (_, node) => startSmtpServer({ onRecipient: onRecipient(node) })));
  for (const server of servers) atEnd(suite, () => server.close());
  return {
    servers,
    hold: (address) => new Promise((resolve) => wanted.set(address, resolve)),
    countOf: (address) => servers.flatMap(({ mails }) => mails).filter(({ to }) => to.includes(address)).length,
  };
}

/** Invites addresses into teams. There are teams for `count` of them from the beginning: the node that makes them may be asleep or dead later. */
async function inviter(cluster: TestCluster, count: number): Promise<(address: string, node: number) => Promise<void>> {
  const partner = await newPartnerApi(placeOf(cluster, 0));
  const merchantIds = Array.from({ length: Math.ceil(count / USERS_OF_SHOP) }, () => `shop-${randomUUID()}`);
  for (const merchantId of merchantIds) {
    const made = await partner.call("POST", "/merchants", { merchantId });
    assert.equal(made.status, 201, made.text);
  }
  let users = 0;
  return async (email, node) => {
    const merchantId = merchantIds[Math.floor(users / USERS_OF_SHOP)];
    users += 1;
    const invited = await placeOf(cluster, node)
      .administrator()
      .post(`/admin/api/merchants/${merchantId}/portal-users`, { email, role: "OWNER" });
    assert.equal(invited.status, 201, invited.text);
  };
}

/** What the administrators' list says of the mail to an address. */
async function listedMail(cluster: TestCluster, node: number, address: string): Promise<unknown> {
  const listed = await placeOf(cluster, node).administrator().get("/admin/mails?limit=500");
  assert.equal(listed.status, 200, listed.text);
  const own = listOf(member(listed.body, "data")).filter((mail) => member(mail, "to") === address);
  assert.equal(own.length, 1, listed.text);
  return own[0];
}

describe("the portal where nodes fail", { skip: missing }, () => {
  const suite = suiteScope();
  let mails: MailServers;
  before(async () => {
    mails = await startMailServers(suite, 3);
  });
  let ofFirst: { [name: string]: string } = {};
  const threeNodes = clusterOfSuite({
    ...{ nodes: 3, environment: { RELAY_MAIL_FROM: "Terminal Relay <relay@example.com>", RELAY_LOG_LEVEL: "info" } },
    environmentOf: (node) => ({
      RELAY_SMTP_URL: `smtp://127.0.0.1:${mails.servers[node]?.port}`,
      ...(node === 0 ? ofFirst : {}),
    }),
  });

  it("a mail is sent once though every node looks; again only where its node died while it was sending", {
    timeout: 400_000,
  }, async (test) => {
    const cluster = await threeNodes();
    const invite = await inviter(cluster, FIRST + 1 + 1 + MEANWHILE);
    const addresses = (count: number) => Array.from({ length: count }, () => addressOf("anna"));
    const allSentOnce = (sent: readonly string[], deadlineMs?: number) =>
      eventually(
        async () => {
          assert.deepEqual(
            sent.map((address) => mails.countOf(address)),
            sent.map(() => 1),
          );
          for (const [index, address] of sent.entries()) {
            const { state } = Object(await listedMail(cluster, index % 2, address));
            assert.equal(state, "SENT");
          }
        },
        deadlineMs,
        200,
      );

    const first = addresses(FIRST);
    for (const [index, address] of first.entries()) await invite(address, index % 3);
    await allSentOnce(first);
    const senders = mails.servers.map((server) => server.mails.length);
    test.diagnostic(`sent by the nodes: ${senders.join(", ")}`);
    assert.ok(senders.filter((count) => count > 0).length > 1, "one node was home to all mails");

    // A node dies between its claim and the end of the mail: nobody knows that it was not sent until the claim is over.
    const unlucky = addressOf("unlucky");
    const unluckyMail = mails.hold(unlucky);
    const invitedAt = performance.now();
    // The answer comes first: the node that gives it may be the one that sends.
    await invite(unlucky, 0);
    const { node: dead } = await unluckyMail;
    await cluster.nodes[dead]?.kill();
    await cluster.start(dead);

    // Another sleeps while it sends, for longer than its membership lasts.
    const slow = addressOf("slow");
    const slowMail = mails.hold(slow);
    await invite(slow, 1);
    const { node: sleeper, release } = await slowMail;
    cluster.nodes[sleeper]?.signal("SIGSTOP");
    release();
    const sleptAt = performance.now();
    const meanwhile = addresses(MEANWHILE);
    const awake = [0, 1, 2].filter((node) => node !== sleeper);
    for (const [index, address] of meanwhile.entries()) await invite(address, awake[index % 2] ?? 0);
    await eventually(() =>
      assert.deepEqual(
        meanwhile.map((address) => mails.countOf(address)),
        meanwhile.map(() => 1),
      ),
    );
    test.diagnostic(`what the node that sleeps was home to is sent within ${Math.round(performance.now() - sleptAt)} ms`);
    assert.equal(mails.countOf(slow), 0);
    await delay(Math.max(0, SLEEP_MS - (performance.now() - sleptAt)));
    assert.equal(mails.countOf(slow), 0, "another node sent what the one that sleeps has claimed");
    cluster.nodes[sleeper]?.signal("SIGCONT");
    await allSentOnce([slow], MAIL_LEASE_MS + 60_000);
    test.diagnostic(`what it was sending was sent ${Math.round(performance.now() - sleptAt)} ms after it fell asleep`);

    await allSentOnce([unlucky], MAIL_LEASE_MS + 60_000);
    const tookMs = performance.now() - invitedAt;
    test.diagnostic(`what the dead node was sending was sent ${Math.round(tookMs)} ms after its invitation`);
    assert.ok(tookMs > MAIL_LEASE_MS, `sent again after ${tookMs} ms`);
    assert.equal(member(await listedMail(cluster, 0, unlucky), "attempts"), 2);
    await allSentOnce([...first, ...meanwhile, slow, unlucky]);
  });

  it("rows of before are filled by one node, and by another when it dies, from where it was", { timeout: 600_000 }, async (test) => {
    const cluster = await threeNodes();
    const { merchantId } = await newMerchant(placeOf(cluster, 0));
    const clickhouse = new URL(cluster.clickhouse.url);
    const ask = async (query: string): Promise<string> => {
      const headers = { "x-clickhouse-user": ADMIN.username, "x-clickhouse-key": ADMIN.password };
      const response = await fetch(clickhouse.origin, { method: "POST", headers, body: query });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      return text.trim();
    };
    await Promise.all(
      cluster.nodes.map(async (node) => {
        node.signal("SIGTERM");
        await node.exited;
      }),
    );

    // As a version has left it that did not keep whose a payment is.
    const kv = await kvOf(test, { url: cluster.redis.url, deadlineMs: 10_000 });
    const configs = createRecordStore<CloudConfig>(kv, CLOUD_CONFIGS);
    const shared = { schema: 1, merchantId, group: null, family: null, settings: {}, updatedAtMs: 0 } as const;
    for (let number = 0; number < TERMINALS; number += 1) {
      const terminalId = terminalOf(number);
      await configs.save(terminalId, { ...shared, terminalId });
    }
    await ask(`INSERT INTO relay.transactions (terminal_id, day, uuid, version, created_at, method, status, amount_cents, currency, merchant_id, command_kind)
      SELECT concat('F', leftPad(toString(number), 5, '0')), toDate(now64(3, 'UTC')), toString(generateUUIDv4()), 1, now64(3, 'UTC'), 'CARD', 'OK', 100, 'EUR', '${merchantId}', 'payment'
      FROM numbers(${TERMINALS})`);
    const sinceMs = Date.now() + 1_000;
    await kv.commit({
      checks: [],
      operations: [
        { type: "delete", key: LEASE },
        { type: "put", key: "shop/since", value: JSON.stringify({ schema: 1, sinceMs, filled: null }) },
      ],
    });

    const lease = async () => {
      const entry = await kv.get(LEASE);
      const { holder = null, cursor = null } = entry === null ? {} : JSON.parse(entry.value);
      return { holder, terminalId: String(cursor).split("/")[2] ?? "" };
    };
    // Its ClickHouse says nothing more once it is at the last of them, in their order: it is among them for as long as it takes to kill it.
    const proxy = await startTcpProxy(Number(clickhouse.port));
    atEnd(test, () => proxy.stop());
    proxy.holdAnswersFrom(`param_terminalId=${lastTerminal()}`);
    ofFirst = { RELAY_CLICKHOUSE_URL: cluster.clickhouse.url.replace(`:${clickhouse.port}`, `:${proxy.port}`) };
    await cluster.start(0);
    const { holder } = await eventually(async () => {
      const now = await lease();
      assert.ok(now.holder !== null && now.terminalId !== "", "it has not come anywhere yet");
      return now;
    }, 60_000);
    await cluster.nodes[0]?.kill();
    const left = await lease();
    assert.equal(left.holder, holder);
    assert.equal((await loadShopsSince(kv))?.record.filled, null, "it was done before it was killed");
    const copied = "SELECT uniqExact(terminal_id) FROM relay.merchant_transactions WHERE merchant_id";
    const before = Number(await ask(`${copied} = '${merchantId}'`));
    // Nobody says that it is gone: whoever finds the lease as it was takes it over, and the other one leaves it to that.
    await Promise.all([cluster.start(1), cluster.start(2)]);
    const startedAt = performance.now();
    await eventually(async () => assert.notEqual((await loadShopsSince(kv))?.record.filled, null), 240_000, 100);
    test.diagnostic(
      `${before} terminals were done by the first; all were ${Math.round(performance.now() - startedAt)} ms after the others had started`,
    );

    const told = await eventually(() => {
      const lines = [0, 1, 2].flatMap((node) =>
        (cluster.nodes[node]?.output() ?? "").split("\n").filter((line) => line.includes("merchant rows filled")),
      );
      assert.equal(lines.length, 1, lines.join("\n"));
      return JSON.parse(lines[0] ?? "");
    });
    test.diagnostic(`the second copied the rows of ${member(told, "terminals")} terminals`);
    // What was copied after the first had last stored how far it was is copied again, and is there once.
    assert.ok(Number(member(told, "terminals")) < TERMINALS, "it began anew");
    assert.ok(before > 0 && before + Number(member(told, "terminals")) >= TERMINALS);
    const filled = (columns: string) => ask(`SELECT ${columns} FROM relay.merchant_transactions FINAL WHERE merchant_id = '${merchantId}'`);
    assert.equal(await filled("count(), uniqExact(terminal_id), uniqExact(uuid)"), [TERMINALS, TERMINALS, TERMINALS].join("\t"));
  });
});

/** Of the order in which a node fills their rows. */
function lastTerminal(): string {
  const terminals = Array.from({ length: TERMINALS }, (_, number) => terminalOf(number));
  const places = terminals.map((terminalId) => ({ terminalId, partition: partitionOf(terminalId, CLOUD_CONFIGS.partitions) }));
  places.sort((one, other) => one.partition - other.partition || (one.terminalId < other.terminalId ? -1 : 1));
  return places.at(-1)?.terminalId ?? assert.fail("there are no terminals");
}

function terminalOf(number: number): string {
  return `F${String(number).padStart(5, "0")}`;
}
