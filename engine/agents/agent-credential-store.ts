import { type KeyProof, keyEnded } from "../access/made-by-key.ts";
import type { CommitPart } from "../kernel/commit-part.ts";
import { createDueIndex, type DueIndex, dueOperations } from "../kernel/due-index-store.ts";
import { available, type Kv, type Operation } from "../kernel/kv.ts";
import { type IndexPage, listPrefix, type MerchantList, type Place, pageOfIndex, placeKey } from "../kernel/merchant-index-store.ts";
import { readBareRecord, readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { PORTAL_LINK_HOURS_MAX } from "../portal-links/portal-link.ts";
import type { WebhookEvent } from "../webhooks/webhook-event.ts";
import type { AgentCredentialRecord, AgentCredentialState } from "./agent-credential.ts";
import type { AgentCredentialChange } from "./agent-credential-change.ts";

export interface AgentCredentialPageQuery {
  readonly limit: number;
  /** Those older than it only; null: from the newest on. */
  readonly after: Place | null;
  readonly state: AgentCredentialState | null;
}

/** Those of a merchant that can still be used, in one environment; `version` for the commit that changes which they are. */
export interface UsableCredentials {
  readonly ids: readonly string[];
  readonly version: number;
}

/** Credentials. Every method rejects with RelayError `unavailable` when the store cannot answer; after a failed commit it is not known whether it happened. */
export interface AgentCredentialStore extends DueIndex {
  load(id: string): Promise<Stored<AgentCredentialRecord> | null>;
  /** By the SHA-256 (hex) of its token. */
  byDigest(digest: string): Promise<AgentCredentialRecord | null>;
  usable(list: MerchantList): Promise<UsableCredentials>;
  /** The new version, or null where the id is taken, or others can be used than was read. */
  create(change: AgentCredentialChange, usable: UsableCredentials, proof?: KeyProof): Promise<number | null>;
  /** Those of a merchant that can be used, all at once; one that ends by a change is usable no more. */
  held(list: MerchantList): Promise<{ credentials: readonly Stored<AgentCredentialRecord>[]; usable: UsableCredentials }>;
  /** Steps by which they end, for the commit of others; also where there are none, what has to be as it was read. */
  ending(list: MerchantList, changes: readonly AgentCredentialChange[], usable: UsableCredentials): CommitPart;
  /** The new version, or null where another one stands. One that has ended by it can be used no more. */
  commit(change: AgentCredentialChange): Promise<number | null>;
  /** A step by which it does not end, for the commit of a link. */
  alongside(change: AgentCredentialChange): CommitPart;
  page(list: MerchantList, query: AgentCredentialPageQuery): Promise<IndexPage<AgentCredentialRecord>>;
}

const CREDENTIALS = "agent-credential/";
const BY_TIME = "agent-credential-of/";
const BY_TOKEN = "agent-credential-token/";
const USABLE = "agent-credential-usable/";
const DUE = "due/agent-credential/";

/** Ids come out of requests as they are. */
const ID = /^ac_[a-z0-9]{24}$/;

const HOUR_MS = 3_600_000;

export interface AgentCredentialStoreOptions {
  kv: Kv;
  /** How long a credential is kept after the last of its links can be paid. */
  retentionMs: number;
  /** The entries that make an event one that is told. */
  eventOperations(events: readonly WebhookEvent[]): readonly Operation[];
}

/**
 * Agents' credentials on the key-value store: `agent-credential/<id>`, their deadlines `due/agent-credential/...`, the ids by `agent-credential-of/<merchant>/<live or test>/<13 digits of
 * milliseconds>/<id>` and by `agent-credential-token/<SHA-256 of the token>`, and those that can be used under `agent-credential-usable/<merchant>/<live or test>/`.
 */
export function createAgentCredentialStore({ kv, retentionMs, eventOperations }: AgentCredentialStoreOptions): AgentCredentialStore {
  async function load(id: string): Promise<Stored<AgentCredentialRecord> | null> {
    const entry = ID.test(id) ? await kv.get(CREDENTIALS + id) : null;
    return entry === null ? null : { record: recordOf(entry.value), version: entry.version };
  }

  async function usable(list: MerchantList): Promise<UsableCredentials> {
    const entry = await kv.get(usableKey(list));
    if (entry === null) return { ids: [], version: 0 };
    const { ids } = readBareRecord<{ ids: string[] }>("agentCredential", "credentials that can be used", entry.value);
    return { ids, version: entry.version };
  }

  function alongside({ record, before, version, events, also, atMs }: AgentCredentialChange): CommitPart {
    const { id, createdAtMs } = record;
    // As long as a link of it may be paid, late too.
    const expiresAtMs = Math.max(atMs, record.expiresAtMs) + PORTAL_LINK_HOURS_MAX * HOUR_MS + retentionMs;
    const names = [BY_TOKEN + record.digest, placeKey(listPrefix(BY_TIME, record), { atMs: createdAtMs, id })];
    return {
      checks: [{ key: CREDENTIALS + id, version }],
      operations: [
        { type: "put", key: CREDENTIALS + id, value: recordText("agentCredential", record), expiresAtMs },
        // Kept as long as the record, which only its end and a later clock put off.
        ...(before === null || record.state !== before.state
          ? names.map((key) => ({ type: "put", key, value: id, expiresAtMs }) as const)
          : []),
        ...dueOperations(DUE, id, before?.nextAtMs ?? null, record.nextAtMs),
        ...eventOperations(events),
        ...also,
      ],
    };
  }

  async function committed(...parts: CommitPart[]): Promise<number | null> {
    const result = await kv.commit(joined(parts));
    return result.type === "committed" ? result.version : null;
  }

  async function loadAll(ids: readonly string[]): Promise<AgentCredentialRecord[]> {
    const entries = ids.length === 0 ? [] : await kv.getMany(ids.map((id) => CREDENTIALS + id));
    return entries.flatMap((entry) => (entry === null ? [] : [recordOf(entry.value)]));
  }

  return {
    ...createDueIndex(kv, DUE),
    load: (id) => available(() => load(id)),
    byDigest: (digest) =>
      available(async () => {
        const entry = await kv.get(BY_TOKEN + digest);
        return entry === null ? null : ((await load(entry.value))?.record ?? null);
      }),
    usable: (list) => available(() => usable(list)),
    create: (change, { ids, version }, proof) =>
      available(async () => {
        const { checks, operations } = joined([alongside(change), usableNow(change.record, version, [...ids, change.record.id])]);
        const result = await kv.commit({ checks: proof === undefined ? checks : [...checks, proof], operations });
        if (result.type === "conflict" && result.key === proof?.key) throw keyEnded();
        return result.type === "committed" ? result.version : null;
      }),
    held: (list) =>
      available(async () => {
        const now = await usable(list);
        const entries = now.ids.length === 0 ? [] : await kv.getMany(now.ids.map((id) => CREDENTIALS + id));
        const credentials = entries.flatMap((entry) => (entry === null ? [] : [{ record: recordOf(entry.value), version: entry.version }]));
        return { credentials, usable: now };
      }),
    ending: (list, changes, { ids, version }) => {
      const ended = changes.map(({ record }) => record.id);
      const left = ids.filter((id) => !ended.includes(id));
      return joined([...changes.map(alongside), usableNow(list, version, left)]);
    },
    commit: (change) =>
      available(async () => {
        const { record, before } = change;
        if (hasEnded(record) === (before !== null && hasEnded(before))) return committed(alongside(change));
        const { ids, version } = await usable(record);
        return committed(
          alongside(change),
          usableNow(
            record,
            version,
            ids.filter((id) => id !== record.id),
          ),
        );
      }),
    alongside,
    page: (list, query) =>
      available(() =>
        pageOfIndex(
          kv,
          listPrefix(BY_TIME, list),
          { limit: query.limit, after: query.after, fromMs: null, beforeMs: null, order: "newest" },
          { load: loadAll, matches: ({ state }) => query.state === null || state === query.state },
        ),
      ),
  };
}

function joined(parts: readonly CommitPart[]): CommitPart {
  return { checks: parts.flatMap(({ checks }) => checks), operations: parts.flatMap(({ operations }) => operations) };
}

function hasEnded({ state }: AgentCredentialRecord): boolean {
  return state === "EXPIRED" || state === "REVOKED";
}

function usableNow(list: MerchantList, version: number, ids: readonly string[]): CommitPart {
  const key = usableKey(list);
  return { checks: [{ key, version }], operations: [{ type: "put", key, value: recordText("agentCredential", { ids }) }] };
}

function usableKey(list: MerchantList): string {
  return listPrefix(USABLE, list);
}

function recordOf(text: string): AgentCredentialRecord {
  return readRecord("agentCredential", "a credential of an agent", text);
}
