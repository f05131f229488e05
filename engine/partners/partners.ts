import { compileRule, type PatternCompiler, type TerminalMatcher } from "../access/terminal-rule.ts";
import type { Clock } from "../kernel/clock.ts";
import type { RecordSource, Tables } from "../tables/replicated-table.ts";
import type { PartnerRecord } from "./partner.ts";
import { PARTNER_PARTITIONS, PARTNER_TABLE, type PartnerStore } from "./partner-store.ts";

/** A partner with its rule ready to be asked. */
export interface Partner {
  readonly record: PartnerRecord;
  readonly terminals: TerminalMatcher;
}

/**
 * The partners, in memory of each shard: lookups wait for nothing. Disabled ones are found too, who asks decides; deleted ones only where it is said.
 */
export interface Partners {
  /** Grows with every change of any partner, and when a replaced key's grace ends. */
  generation(): number;
  byId(id: number): Partner | null;
  /** Deleted ones too: for payments that they began. */
  everById(id: number): Partner | null;
  byUsername(username: string): Partner | null;
  /** By the SHA-256 (hex) of its API key, or of the key before within its grace. */
  byKeySha256(keySha256: string): Partner | null;
  /** By its `merId` at the gateway-protocol adapter. */
  byAdapterMerchant(merchantId: string): Partner | null;
  /** By the SHA-256 (hex) of its Partner API key, or of the one before within its grace. */
  byPartnerApiKeySha256(keySha256: string): Partner | null;
  byPartnerCode(partnerCode: string): Partner | null;
  /** Whether any enabled partner lists this origin. */
  isOriginListed(origin: string): boolean;
  /** By id. */
  list(): Partner[];
  /** To be called after a partner was stored or removed: resolves once every shard of every live node has taken it in. */
  propagate(id: number): Promise<void>;
}

export interface PartnersOptions {
  tables: Tables;
  store: PartnerStore;
  patterns: PatternCompiler;
  clock: Clock;
  /** False leaves the sandbox's demo partner out, whatever the store holds. */
  sandbox: boolean;
}

/** Partners in memory, by everything that they are looked up by. */
export function createPartners({ tables, store, patterns, clock, sandbox }: PartnersOptions): Partners {
  const byUsername = new Map<string, Partner>();
  const byKey = new Map<string, Partner>();
  const byAdapterMerchant = new Map<string, Partner>();
  const byPartnerApiKey = new Map<string, Partner>();
  const byPartnerCode = new Map<string, Partner>();
  const origins = new Map<string, number>();
  let generation = 0;
  /** The next time at which a replaced key stops working. */
  let nextEndMs = Number.POSITIVE_INFINITY;

  function index(partner: Partner): void {
    const { record } = partner;
    if (record.deletedAtMs !== null) return;
    byUsername.set(record.username, partner);
    byKey.set(record.keySha256, partner);
    if (record.previousKey !== null) byKey.set(record.previousKey.sha256, partner);
    if (record.adapter !== null) byAdapterMerchant.set(record.adapter.merchantId, partner);
    if (record.partnerApi !== null) {
      byPartnerCode.set(record.partnerApi.partnerCode, partner);
      byPartnerApiKey.set(record.partnerApi.keySha256, partner);
      if (record.partnerApi.previousKey !== null) byPartnerApiKey.set(record.partnerApi.previousKey.sha256, partner);
    }
    for (const origin of originsOf(record)) origins.set(origin, (origins.get(origin) ?? 0) + 1);
  }

  function unindex({ record }: Partner): void {
    const { id, username, keySha256, previousKey, adapter, partnerApi } = record;
    // Something may be another partner's already, whose change came first.
    const drop = (map: Map<string, Partner>, key: string | undefined) => {
      if (key !== undefined && map.get(key)?.record.id === id) map.delete(key);
    };
    drop(byUsername, username);
    drop(byKey, keySha256);
    drop(byKey, previousKey?.sha256);
    drop(byAdapterMerchant, adapter?.merchantId);
    drop(byPartnerCode, partnerApi?.partnerCode);
    drop(byPartnerApiKey, partnerApi?.keySha256);
    drop(byPartnerApiKey, partnerApi?.previousKey?.sha256);
    for (const origin of originsOf(record)) forgetOrigin(origin);
  }

  const stored: RecordSource<Partner> = {
    table: PARTNER_TABLE,
    partitions: PARTNER_PARTITIONS,
    load: async (partition) => {
      const loaded = [...(await store.load(partition))].filter(([, { record }]) => sandbox || !record.sandbox);
      return new Map(loaded.map(([key, { record, version }]) => [key, { record: partnerOf(record), version }]));
    },
  };
  const inMemory = tables.records(stored, (_, after, before) => {
    if (before !== null) unindex(before);
    if (after !== null) index(after);
    generation += 1;
    if (after !== null) nextEndMs = Math.min(nextEndMs, ...endsOf(after));
  });

  function partnerOf(record: PartnerRecord): Partner {
    return { record, terminals: compileRule(record.terminals, patterns) };
  }

  function forgetOrigin(origin: string): void {
    const left = (origins.get(origin) ?? 1) - 1;
    if (left === 0) origins.delete(origin);
    else origins.set(origin, left);
  }

  /** The ends of a partner's graces that are still to come. */
  function endsOf({ record }: Partner): number[] {
    const nowMs = clock.nowMs();
    return [record.previousKey, record.partnerApi?.previousKey].flatMap((key) => (key && key.untilMs > nowMs ? [key.untilMs] : []));
  }

  function within(key: { sha256: string; untilMs: number } | null | undefined, sha256: string): boolean {
    return key?.sha256 === sha256 && key.untilMs > clock.nowMs();
  }

  return {
    generation: () => {
      if (nextEndMs !== Number.POSITIVE_INFINITY && clock.nowMs() >= nextEndMs) {
        generation += 1;
        nextEndMs = Math.min(Number.POSITIVE_INFINITY, ...[...inMemory.values()].flatMap(endsOf));
      }
      return generation;
    },
    byId: (id) => {
      const partner = inMemory.get(String(id));
      return partner === undefined || partner.record.deletedAtMs !== null ? null : partner;
    },
    everById: (id) => inMemory.get(String(id)) ?? null,
    byUsername: (username) => byUsername.get(username) ?? null,
    byKeySha256: (sha256) => {
      const partner = byKey.get(sha256);
      if (partner === undefined) return null;
      return partner.record.keySha256 === sha256 || within(partner.record.previousKey, sha256) ? partner : null;
    },
    byAdapterMerchant: (merchantId) => byAdapterMerchant.get(merchantId) ?? null,
    byPartnerApiKeySha256: (sha256) => {
      const partner = byPartnerApiKey.get(sha256);
      if (partner === undefined) return null;
      const { partnerApi } = partner.record;
      return partnerApi?.keySha256 === sha256 || within(partnerApi?.previousKey, sha256) ? partner : null;
    },
    byPartnerCode: (partnerCode) => byPartnerCode.get(partnerCode) ?? null,
    isOriginListed: (origin) => origins.has(origin),
    list: () =>
      [...inMemory.values()].filter(({ record }) => record.deletedAtMs === null).sort((one, other) => one.record.id - other.record.id),
    propagate: (id) => inMemory.propagate(String(id)),
  };
}

function originsOf({ enabled, allowedOrigins }: PartnerRecord): ReadonlySet<string> {
  return new Set(enabled ? Object.values(allowedOrigins) : []);
}
