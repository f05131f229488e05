/** What a merchant reads, on a server by itself, over ports that answer what a test says. */

import type { MerchantUserGrant } from "../../../../engine/access/merchant-user-grant.ts";
import type { DisputeTask } from "../../../../engine/cases/case-tasks.ts";
import type { CallEntry, WorkflowEntry } from "../../../../engine/kernel/activity-log.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { createMinuteCounts } from "../../../../engine/kernel/minute-counts.ts";
import type { LinkRecord } from "../../../../engine/links/link.ts";
import type { AuditEntry } from "../../../../engine/operators/audit-entry.ts";
import { type AuditLog, createAuditStore } from "../../../../engine/operators/audit-store.ts";
import { createMerchantAudit } from "../../../../engine/operators/merchant-audit.ts";
import type { Logged, LogQuery } from "../../../../engine/operators/merchant-logs.ts";
import { createMerchantCalls } from "../../../../engine/partners/merchant-calls.ts";
import type {
  MerchantDay,
  MerchantTransaction,
  MerchantTransactionFilter,
  MerchantTransactions,
  TransactionKey,
} from "../../../../engine/payments/merchant-transactions.ts";
import type { PortalLinkTask } from "../../../../engine/portal-links/link-tasks.ts";
import type { MerchantFound } from "../../../../engine/search/merchant-search.ts";
import type { SearchText } from "../../../../engine/search/search-text.ts";
import type { MerchantAttentionItem } from "../../../../engine/settings/merchant-attention.ts";
import type { MerchantTerminal } from "../../../../engine/settings/merchant-terminals.ts";
import type { OfflineTask } from "../../../../engine/settings/offline-tasks.ts";
import type { OpeningSource } from "../../../../engine/settings/opening-hours.ts";
import type { SubscriptionTask } from "../../../../engine/subscriptions/subscription-tasks.ts";
import type { CommandView, Sight, TerminalView } from "../../../../engine/terminals/terminals.ts";
import { createAuthenticator } from "../../../../http/auth/authenticator.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { portalCookie } from "../../../../http/auth/portal-session.ts";
import { bind } from "../../../../http/endpoint/endpoint.ts";
import { merchantEnvelope } from "../../../../http/surfaces/merchant/envelope.ts";
import { readEndpoints } from "../../../../http/surfaces/merchant/read-endpoints.ts";
import type { ReadOperations } from "../../../../http/surfaces/merchant/reads.ts";
import { type SearchOperations, searchMerchant } from "../../../../http/surfaces/merchant/search/search.ts";
import { MERCHANT_BASE } from "../../../../http/surfaces/merchant/surface.ts";
import { createLocalTime } from "../../../../http/surfaces/parts/time.ts";
import { MemoryKv } from "../../../engine/kernel/memory-kv.ts";
import { ManualClock } from "../../../engine/world.ts";
import { NO_LOGINS, OWNER } from "../../auth/portal-people.ts";
import { monotonicMs, startWorld } from "../../server/world.ts";

/** Keys and people, with the names that tests call them by. */
export type Who = "key" | "other key" | "publishable" | MerchantUserGrant["role"] | "nobody";

const KEYS: Partial<Record<Who, string>> = { key: "sk_merchant_1", "other key": "sk_merchant_2", publishable: "pk_merchant_1" };

/** 43 characters, as a token has. */
const tokenOf = (who: Who) => who.padEnd(43, "_").replaceAll(" ", "-");

export const EMPTY_DAY: MerchantDay = { sums: [], hours: [], byMethod: [], byTerminal: [] };

export interface Asked {
  merchantId: string;
  filter: MerchantTransactionFilter;
  after: TransactionKey | null;
  limit: number;
  order?: string;
}

/** The time of the world: a Wednesday. */
export const NOW_MS = Date.parse("2026-11-25T10:20:42.500Z");

export function transaction(
  change: Partial<MerchantTransaction["transaction"]> = {},
  rest: Partial<MerchantTransaction> = {},
): MerchantTransaction {
  return {
    transaction: {
      ...{ uuid: "u-1", createdAtMs: NOW_MS - 60_000, method: "CARD", status: "OK", amountCents: 1_050, currency: "EUR", terminalId: "T1" },
      ...{
        auth: { authCode: "123456", stan: "000123", actionCode: "000" },
        card: { brand: "VISA", maskedPan: "************1111", entry: "NFC" },
      },
      ...change,
    },
    ...{ amountDiffers: false, unsolicited: false, isPayment: true, refundedMinor: 0, ...rest },
  };
}

export function terminal(terminalId: string, change: Partial<TerminalView> = {}, group: string | null = null): MerchantTerminal {
  const view = { terminalId, connectionStatus: "NEVER_CONNECTED", connected: false, sessions: 0, device: {}, queued: 0, sent: 0 } as const;
  return { view: { ...view, ...change }, group };
}

export async function open(t: { after(close: () => void): void }) {
  const clock = new ManualClock();
  clock.wallMs = NOW_MS;
  const said = {
    /** By merchant. */
    rows: new Map<string, MerchantTransaction[]>(),
    days: new Map<string, MerchantDay>(),
    terminals: new Map<string, MerchantTerminal[]>(),
    attention: new Map<string, MerchantAttentionItem[]>(),
    linkTasks: new Map<string, PortalLinkTask[]>(),
    pastDue: new Map<string, SubscriptionTask[]>(),
    disputeTasks: [] as DisputeTask[],
    lives: new Map<string, CommandView>(),
    links: new Map<string, LinkRecord>(),
    offline: new Map<string, OfflineTask[]>(),
    openingSource: "payments" as OpeningSource,
    fails: null as Error | null,
    next: null as TransactionKey | null,
    workflow: new Map<string, Logged<WorkflowEntry>[]>(),
    calls: new Map<string, Logged<CallEntry>[]>(),
    nextEntry: null as string | null,
    found: { groups: [], near: [] } as MerchantFound,
  };
  /** Of the files of rows: after how many batches one breaks, and how many have ended. */
  const streams = { breaksAfter: Number.POSITIVE_INFINITY, ended: 0 };
  let held = false;
  const asked: Asked[] = [];
  const searched: { merchantId: string; livemode: boolean; wanted: SearchText }[] = [];
  const askedLogs: ({ merchantId: string } & LogQuery)[] = [];
  const ranges: { merchantId: string; fromMs: number; untilMs: number }[] = [];
  const places = new Map<string, number>();
  const timeouts: (() => void)[] = [];
  const rowsOf = (merchantId: string) => said.rows.get(merchantId) ?? [];

  const transactions: MerchantTransactions = {
    page: async (merchantId, query) => {
      if (said.fails !== null) throw said.fails;
      asked.push({ merchantId, ...query });
      return { items: rowsOf(merchantId).slice(0, query.limit), next: said.next };
    },
    find: async (merchantId, uuid) => {
      if (said.fails !== null) throw said.fails;
      return rowsOf(merchantId).find((row) => row.transaction.uuid === uuid) ?? null;
    },
    sums: async (merchantId, range) => {
      if (said.fails !== null) throw said.fails;
      ranges.push({ merchantId, ...range });
      return said.days.get(`${merchantId} ${new Date(range.fromMs).toISOString()}`) ?? EMPTY_DAY;
    },
    latestByTerminal: async (merchantId) => {
      if (held) await new Promise(() => {});
      if (said.fails !== null) throw said.fails;
      return new Map(rowsOf(merchantId).map((row) => [row.transaction.terminalId, row]));
    },
    stream: async function* (merchantId, filter) {
      if (said.fails !== null) throw said.fails;
      asked.push({ merchantId, filter, after: null, limit: 0 });
      const rows = rowsOf(merchantId);
      try {
        for (let first = 0; first < rows.length; first += 1_000) {
          if (first === streams.breaksAfter * 1_000) throw new RelayError("unavailable", "ClickHouse does not answer");
          yield rows.slice(first, first + 1_000);
        }
      } finally {
        streams.ended += 1;
      }
    },
  };
  const log: AuditLog = createAuditStore({ kv: new MemoryKv(), writer: "w", failed: () => {} });
  const operations: ReadOperations & SearchOperations & { merchantCalls: ReturnType<typeof createMerchantCalls> } = {
    merchantTransactions: transactions,
    merchantSearch: async ({ merchantId, livemode }, wanted) => {
      searched.push({ merchantId, livemode, wanted });
      return said.found;
    },
    merchantTerminals: {
      count: (merchantId) => said.terminals.get(merchantId)?.length ?? 0,
      ids: (merchantId) => (said.terminals.get(merchantId) ?? []).map(({ view }) => view.terminalId),
      all: async (merchantId) => said.terminals.get(merchantId) ?? [],
      find: async (merchantId, id) => said.terminals.get(merchantId)?.find(({ view }) => view.terminalId === id) ?? null,
    },
    disputeTasks: async () => said.disputeTasks,
    offlineTasks: async (merchantId) => ({ source: said.openingSource, tasks: said.offline.get(merchantId) ?? [] }),
    disputes: { ofPayment: async () => [] },
    alerts: { ofPayment: async () => [] },
    merchantAttention: async (merchantId) => said.attention.get(merchantId) ?? [],
    portalLinkTasks: async ({ merchantId, livemode }) => (livemode ? [] : (said.linkTasks.get(merchantId) ?? [])),
    subscriptionTasks: async ({ merchantId, livemode }) => (livemode ? [] : (said.pastDue.get(merchantId) ?? [])),
    merchantAudit: createMerchantAudit(log),
    merchantLogs: {
      workflow: async (merchantId, query) => {
        if (said.fails !== null) throw said.fails;
        askedLogs.push({ merchantId, ...query });
        return { items: said.workflow.get(merchantId) ?? [], next: said.nextEntry };
      },
      calls: async (merchantId, query) => {
        if (said.fails !== null) throw said.fails;
        askedLogs.push({ merchantId, ...query });
        return { items: said.calls.get(merchantId) ?? [], next: said.nextEntry };
      },
    },
    merchantName: async (merchantId) => `The shop ${merchantId}`,
    terminals: {
      command: async (uuid: string, _waitMs: number, maySee: Sight = () => true) => {
        const life = said.lives.get(uuid);
        return life !== undefined && maySee(life.terminalId, life.command?.sender ?? null) ? life : null;
      },
    },
    links: { byTxId: async (txId) => said.links.get(txId) ?? null },
    downloads: {
      take: (merchantId) => {
        const running = places.get(merchantId) ?? 0;
        if (running < 2) places.set(merchantId, running + 1);
        return running < 2;
      },
      giveBack: (merchantId) => places.set(merchantId, (places.get(merchantId) ?? 0) - 1),
    },
    localTime: createLocalTime("Europe/Rome"),
    clock,
    timers: {
      set: (_ms, work) => {
        timeouts.push(work);
        return { clear: () => void timeouts.splice(timeouts.indexOf(work), 1) };
      },
    },
    merchantCalls: createMerchantCalls({ merchants: createMinuteCounts(monotonicMs), pages: createMinuteCounts(monotonicMs) }),
  };
  const cookie = portalCookie({ isSecure: false });
  const people = new Map(
    (["OWNER", "ADMIN", "FINANCE", "DEVELOPER", "VIEWER"] as const).map((role) => [sha256Hex(tokenOf(role)), { ...OWNER, role }] as const),
  );
  const authenticator = createAuthenticator(
    NO_LOGINS,
    monotonicMs,
    undefined,
    undefined,
    async (key) => {
      const grant = { partnerId: 7, livemode: false, kind: "secret", keyId: "key-1", requestsPerMinute: 10_000, services: [] } as const;
      if (key === KEYS.key) return { ...grant, merchantId: "SHOP-001" };
      if (key === KEYS["other key"]) return { ...grant, merchantId: "SHOP-002" };
      return key === KEYS.publishable ? { ...grant, merchantId: "SHOP-001", kind: "publishable" } : null;
    },
    { cookie, nowMs: clock.nowMs, find: async (digest) => people.get(digest) ?? null },
  );
  const world = await startWorld(t, {
    endpoints: [...bind(readEndpoints, operations), ...bind([searchMerchant], operations)],
    authenticator,
    envelopes: [{ under: MERCHANT_BASE, envelope: merchantEnvelope }],
  });

  function headersOf(who: Who): { [name: string]: string } {
    const key = KEYS[who];
    if (key !== undefined) return { authorization: `Bearer ${key}` };
    return who === "nobody" ? {} : { cookie: `${cookie.name}=${tokenOf(who)}` };
  }

  async function get(path: string, who: Who = "key", headers: { [name: string]: string } = {}) {
    const response = await fetch(`${world.url}${MERCHANT_BASE}${path}`, {
      headers: { "accept-encoding": "identity", ...headersOf(who), ...headers },
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    const body: unknown = isJson ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, text, body };
  }

  async function logged(entry: AuditEntry): Promise<void> {
    await log.settle(await log.record({ ...entry, outcome: { type: "begun" } }), entry, entry.outcome);
  }

  /** What terminals took last is not told any more. */
  function hold(): void {
    held = true;
  }

  return { ...world, said, asked, askedLogs, searched, ranges, places, streams, timeouts, clock, get, headersOf, logged, hold };
}
