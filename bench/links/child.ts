/** One shard's links over LevelDB, with a gateway in memory that answers after some time; forked by run.ts. */
import { setTimeout as delay } from "node:timers/promises";
import type { CardGateway } from "../../engine/gateway/card-gateway.ts";
import type { GatewayCredentials, GatewayOrder, GatewayPaymentState } from "../../engine/gateway/gateway.ts";
import { LINK_GRACE_MS, LINK_LIFETIME_MS, LINK_VERIFY_MS } from "../../engine/kernel/limits.ts";
import { createLinkStore } from "../../engine/links/link-store.ts";
import { createShardLinks } from "../../engine/links/shard-links.ts";
import { createRendezvousHomes } from "../../engine/routing/rendezvous.ts";
import { openEmbeddedKv } from "../../storage/kv/embedded.ts";

export interface LinksTask {
  /** Folder of the store; filled by the first task, found filled by the second. */
  directory: string;
  /** 0: the links are there already, and their deadlines have passed. */
  create: number;
  /** Of the measured window. */
  seconds: number;
}

export interface LinksResult {
  createdPerSecond: number;
  /** Resident memory after a full collection, before and after the links, and after the window. */
  rssBefore: number;
  rssPending: number;
  rssVerified: number;
  heapBefore: number;
  heapPending: number;
  openMs: number;
  /** Verifies by second of the window. */
  perSecond: number[];
  /** Seconds after the start of the second task until each link was verified once; null in the first. */
  caughtUpSeconds: number | null;
  /** Of the window: share of one core that the process took. */
  cpuShare: number;
  /** Links in memory because they were due, at most. */
  heldMax: number;
  failures: number;
}

const TICK_MS = 50;
const GATEWAY_MS = 50;
const AT_ONCE = 256;
const CREDENTIALS: GatewayCredentials = { terminalId: "TML1", merchantId: "M1", secret: "s" };

process.once("message", (task: LinksTask) => {
  measure(task).then(
    (result) => process.send?.(result, () => process.disconnect()),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

async function measure({ directory, create, seconds }: LinksTask): Promise<LinksResult> {
  let aheadMs = create === 0 ? LINK_GRACE_MS + 600_000 : 0;
  const clock = { nowMs: () => Date.now() + aheadMs, monotonicMs: () => performance.now() + aheadMs };
  const verified: { txId: string; atMs: number }[] = [];
  let failures = 0;

  const openedAt = performance.now();
  const kv = await openEmbeddedKv({ directory, nowMs: clock.nowMs });
  const openMs = performance.now() - openedAt;
  const links = createShardLinks({
    store: createLinkStore({ kv, retentionMs: 400 * 86_400_000, writer: `bench-${Date.now().toString(36)}` }),
    gateway: gatewayThatAnswers((txId) => verified.push({ txId, atMs: performance.now() })),
    accounts: { ofPartner: () => CREDENTIALS, ofTerminal: () => null, isMerchantInactive: () => false, ofPayment: () => CREDENTIALS },
    signature: { matches: () => false },
    clock,
    homes: createRendezvousHomes(["shard-0"]),
    self: "shard-0",
    notifyUrl: () => "https://relay.example/api/v1/gw/notify",
    failed: () => {
      failures += 1;
    },
  });

  await settle();
  const before = memory();
  let createdPerSecond = 0;
  if (create > 0) {
    const startedAt = performance.now();
    let next = 0;
    const creators = Array.from({ length: AT_ONCE }, async () => {
      while (next < create) {
        next += 1;
        await links.links.create(orderOf(`${crypto.randomUUID()}`, clock.nowMs()));
      }
    });
    await Promise.all(creators);
    createdPerSecond = create / ((performance.now() - startedAt) / 1_000);
    await settle();
  }
  const pending = memory();

  let heldMax = 0;
  const timer = setInterval(() => {
    links.tick();
    heldMax = Math.max(heldMax, links.counts().due);
  }, TICK_MS);
  // All graces end, as they would have, within the time that the creation took and the pacer's slack.
  if (create > 0) {
    aheadMs += LINK_GRACE_MS;
    await delay(2 * LINK_VERIFY_MS + (create / createdPerSecond) * 1_000);
  }
  const windowStart = performance.now();
  const cpuBefore = process.cpuUsage();
  await delay(seconds * 1_000);
  const cpu = process.cpuUsage(cpuBefore);
  const windowMs = performance.now() - windowStart;
  clearInterval(timer);
  await links.stop();
  await settle();
  const after = memory();

  const perSecond: number[] = Array.from({ length: seconds }, () => 0);
  const seen = new Set<string>();
  let caughtUpSeconds: number | null = null;
  for (const { txId, atMs } of verified) {
    const second = Math.floor((atMs - windowStart) / 1_000);
    if (second >= 0 && second < seconds) perSecond[second] = (perSecond[second] ?? 0) + 1;
    if (create === 0 && !seen.has(txId)) {
      seen.add(txId);
      caughtUpSeconds = (atMs - windowStart) / 1_000;
    }
  }
  await kv.close();
  return {
    createdPerSecond,
    rssBefore: before.rss,
    rssPending: pending.rss,
    rssVerified: after.rss,
    heapBefore: before.heap,
    heapPending: pending.heap,
    openMs,
    perSecond,
    caughtUpSeconds,
    cpuShare: (cpu.user + cpu.system) / 1_000 / windowMs,
    heldMax,
    failures,
  };
}

/** Everything is pending for ever. */
function gatewayThatAnswers(verified: (txId: string) => void): CardGateway {
  const unavailable = async () => ({ type: "unavailable", reason: "not in this benchmark" }) as const;
  return {
    init: async (_credentials: GatewayCredentials, { txId }: GatewayOrder) => ({
      type: "done",
      value: { paymentId: `g-${txId}`, redirectUrl: `https://gateway.example/pay/${txId}` },
    }),
    verify: async (_credentials: GatewayCredentials, { txId }: { txId: string }) => {
      verified(txId);
      await delay(GATEWAY_MS);
      const value: GatewayPaymentState = { type: "pending", paymentId: `g-${txId}`, redirectUrl: null };
      return { type: "done", value };
    },
    capture: unavailable,
    reversal: unavailable,
    refund: unavailable,
  };
}

function orderOf(txId: string, createdAtMs: number) {
  return {
    txId,
    terminalId: "T1",
    partnerId: 1,
    owner: "partner:1",
    amount: "12.34",
    amountMinor: 1_234,
    currency: "EUR",
    description: "Order 7 of a benchmark",
    merchantReference: "R7",
    customerEmail: "buyer@example.org",
    instrument: "card",
    capture: "now",
    returnUrl: null,
    createdAtMs,
    expiresAtMs: createdAtMs + LINK_LIFETIME_MS,
    attachment: null,
  } as const;
}

function memory(): { rss: number; heap: number } {
  const { rss, heapUsed } = process.memoryUsage();
  return { rss, heap: heapUsed };
}

/** Lets what is under way end, and collects what is left of it. */
async function settle(): Promise<void> {
  await delay(1_000);
  for (let count = 0; count < 3; count += 1) {
    globalThis.gc?.();
    await delay(100);
  }
}
