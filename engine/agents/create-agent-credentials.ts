import { type AgentGrant, type AgentScope, agentMay } from "../access/agent-grant.ts";
import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import type { KeyedMutex } from "../kernel/keyed-mutex.ts";
import { cursorOf, placeOfCursor } from "../kernel/merchant-index-store.ts";
import type { MerchantParty } from "../kernel/merchant-scope.ts";
import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Stored } from "../kernel/stored.ts";
import type { AddressLists } from "../partners/partner-secrets.ts";
import type { PortalLinkRecord } from "../portal-links/portal-link.ts";
import type { PortalLinkQueries } from "../portal-links/portal-link-queries.ts";
import type { PortalLinks } from "../portal-links/portal-links.ts";
import type { GuardPart, RequestContext } from "../workflow/workflow.ts";
import { AGENT_CREDENTIALS_MAX, type AgentCredentialCreator, type AgentCredentialRecord, type AgentLimit } from "./agent-credential.ts";
import { credentialByDigest, pageOfCredentials, storeCredential } from "./agent-credential-queries.ts";
import type { AgentCredentials, AgentLinkOutcome, MerchantRefusal, SeenAgentCredential } from "./agent-credentials.ts";
import type { AgentUseStore } from "./agent-use-store.ts";
import type { AgentUses } from "./agent-uses.ts";
import { checkedOrder } from "./check-order.ts";
import { isTimeOver, refusedBy } from "./rules.ts";
import type { UsableCredentialsStore } from "./usable-credentials-store.ts";
import type { AgentCredentialWorkflow } from "./workflow.ts";

/** Each conflict is a change of another credential of this merchant, or a link of this one. */
const ATTEMPTS_MAX = 64;

const HOUR_MS = 3_600_000;

/** Distinguishes tokens from a merchant's keys, for scanners of leaked secrets too. */
export const AGENT_TOKEN_PREFIX = "ak_merchant_";

const TOKEN = /^ak_merchant_[A-Za-z0-9_-]{43}$/;

const LAST = 4;

/** Days in the installation's time zone. */
export interface LocalDays {
  dayOf(atMs: number): string;
  dayRange(day: string): { readonly untilMs: number } | null;
}

export interface AgentCredentialsOptions {
  workflow: AgentCredentialWorkflow;
  usable: UsableCredentialsStore;
  digest: Digest;
  uses: AgentUses;
  useStore: Pick<AgentUseStore, "ofAll">;
  portalLinks: Pick<PortalLinks, "createBeside" | "list" | "find" | "cancel">;
  madeLinks: Pick<PortalLinkQueries, "madeByAgent" | "firstMadeByAgent">;
  /** Serializes links of one credential in this thread. */
  mutex: KeyedMutex<string>;
  addressLists: AddressLists;
  days: LocalDays;
  clock: Clock;
  /**
   * An operation always has the same token, so a repetition gets it although it is not stored.
   * Returns AGENT_TOKEN_PREFIX and 256 secret bits as base64url.
   */
  tokenOf(operationId: string): string;
  /** Null: the credentials of the merchant are valid. Rejects with RelayError `unavailable`. */
  merchantRefuses(owner: MerchantParty): Promise<MerchantRefusal | null>;
  refused(limit: AgentLimit): void;
}

export function createAgentCredentials(options: AgentCredentialsOptions): AgentCredentials {
  const {
    workflow,
    usable,
    digest,
    uses,
    useStore,
    portalLinks,
    madeLinks,
    mutex,
    addressLists,
    days,
    clock,
    tokenOf,
    merchantRefuses,
    refused: countRefused,
  } = options;
  const { store } = workflow;

  async function findOwned({ merchantId, livemode }: MerchantParty, id: string): Promise<Stored<AgentCredentialRecord> | null> {
    const stored = await store.load(id);
    return stored !== null && stored.record.merchantId === merchantId && stored.record.livemode === livemode ? stored : null;
  }

  const create: AgentCredentials["create"] = (owner, order, createdBy, operation, proof) =>
    retryOnConflict(ATTEMPTS_MAX, async () => {
      const id = prefixedId("ac_", digest(`agent credential ${operation.id}`));
      const token = tokenOf(operation.id);
      const existing = await findOwned(owner, id);
      if (existing !== null) {
        if (existing.record.digest === digest(token)) return { type: "created", credential: existing.record, token } as const;
        throw new RelayError("conflict", "The credential was already created, and its token is not shown again");
      }
      const atMs = clock.nowMs();
      const { name, scopes, limits, ipAllow, expiresAtMs } = checkedOrder(order, atMs, addressLists);
      const now = await usable.load(owner);
      if (now.ids.length >= AGENT_CREDENTIALS_MAX) return { type: "full" } as const;
      const { merchantId, partnerId, livemode } = owner;
      const record: AgentCredentialRecord = {
        ...{
          schema: 1,
          id,
          merchantId,
          partnerId,
          livemode,
          name,
          digest: digest(token),
          last4: token.slice(-LAST),
          scopes,
          limits,
          ipAllow,
        },
        ...{ createdBy, createdAtMs: atMs, updatedAtMs: atMs, expiresAtMs, state: "ACTIVE", nextAtMs: expiresAtMs, events: 0 },
        ...{ reserved: { totalMinor: 0, day: null, dayMinor: 0, links: 0 }, revokedAtMs: null, revokedBy: null },
      };
      // If another attempt of the same operation was first, its credential is returned.
      const isStored = await storeCredential({ workflow, usable }, record, now, operation, proof);
      return isStored ? ({ type: "created", credential: record, token } as const) : CONFLICT;
    });

  async function withUses(records: readonly AgentCredentialRecord[]): Promise<SeenAgentCredential[]> {
    const sinceMs = hourBefore(clock.nowMs());
    const [used, counts] = await Promise.all([
      useStore.ofAll(records.map(({ id }) => id)),
      Promise.all(records.map((record) => madeLinks.madeByAgent(record, record.id, sinceMs, Math.max(1, record.limits.linksPerHour)))),
    ]);
    return records.flatMap((credential, index) => {
      const [use, linksInHour] = [used[index], counts[index]];
      if (use === undefined || linksInHour === undefined) throw new Error("every credential has a use and a count");
      return [{ credential, use, linksInHour }];
    });
  }

  async function withUse(record: AgentCredentialRecord): Promise<SeenAgentCredential> {
    const [one] = await withUses([record]);
    if (one === undefined) throw new Error("one credential is one");
    return one;
  }

  /** Returns the credential as it is then, and whether this call revoked it. */
  function revokeOne(
    owner: MerchantParty,
    id: string,
    by: AgentCredentialCreator,
    request: RequestContext,
  ): Promise<{ record: AgentCredentialRecord; byThis: boolean } | null> {
    return retryOnConflict(ATTEMPTS_MAX, async () => {
      const stored = await findOwned(owner, id);
      if (stored === null) return null;
      const applied = await workflow.step(stored, { type: "revoke.requested", atMs: clock.nowMs(), by }, request);
      return applied === CONFLICT ? CONFLICT : { record: applied.record, byThis: applied.type === "accepted" };
    });
  }

  const byToken: AgentCredentials["byToken"] = async (token, ipAddress) => {
    const stored = TOKEN.test(token) ? await credentialByDigest(store, digest(token)) : null;
    if (stored === null) return null;
    const { record } = stored;
    const { id: credentialId, merchantId, partnerId, livemode, name, scopes, state, ipAllow } = record;
    if (state === "REVOKED") return "revoked";
    if (state === "EXPIRED" || isTimeOver(record, clock.nowMs())) return "expired";
    if (ipAllow.length > 0 && !addressLists.compile(ipAllow)(ipAddress)) return "address";
    const refused = await merchantRefuses({ merchantId, partnerId, livemode });
    if (refused !== null) return refused;
    uses.used(credentialId);
    return { merchantId, partnerId, livemode, credentialId, name, scopes };
  };

  /** Reserves the amount of a link in the link's own commit. */
  async function reserve(
    grant: AgentGrant,
    { order, createdAtMs: atMs }: PortalLinkRecord,
    request: RequestContext,
  ): Promise<GuardPart | { refusal: AgentLinkOutcome }> {
    const stored = await findOwned(grant, grant.credentialId);
    const state = stored === null || stored.record.state === "REVOKED" ? "REVOKED" : "EXPIRED";
    if (stored === null || stored.record.state === state || isTimeOver(stored.record, atMs)) return { refusal: { type: "ended", state } };
    const { record } = stored;
    const { limits } = record;
    const { amountMinor, currency } = order;
    const day = days.dayOf(atMs);
    // The credential is read first. If another link changes it, this one is decided again.
    const linksInHour = await madeLinks.madeByAgent(record, record.id, hourBefore(atMs), Math.max(1, limits.linksPerHour));
    const refused = refusedBy(record, { amountMinor, currency, day, linksInHour });
    if (refused !== null) {
      const retryAtMs = await roomAtMs(record, refused.limit, day, atMs);
      return { refusal: { type: "refused", ...refused, limits, retryAtMs } };
    }
    const prepared = await workflow.prepare(stored, { type: "link.made", atMs, amountMinor, day }, request);
    if (prepared === "refused") throw new Error(`the credential ${record.id} has room for a link and does not take it`);
    return { ...prepared.part, committed: prepared.committed };
  }

  /** Null: time alone does not make room. */
  async function roomAtMs(record: AgentCredentialRecord, limit: AgentLimit, day: string, atMs: number): Promise<number | null> {
    switch (limit) {
      case "perDay":
        return days.dayRange(day)?.untilMs ?? null;
      case "linksPerHour": {
        const first = await madeLinks.firstMadeByAgent(record, record.id, hourBefore(atMs));
        return first === null ? null : first + HOUR_MS;
      }
      default:
        return null;
    }
  }

  const createLink: AgentCredentials["createLink"] = async (grant, order, operation) => {
    requireScope(grant, "links:create");
    const made = await mutex.runExclusive(grant.credentialId, () =>
      portalLinks.createBeside<AgentLinkOutcome>(
        ownerOf(grant),
        order,
        { type: "agent", agentId: grant.credentialId },
        operation,
        (record) => reserve(grant, record, operation),
      ),
    );
    if (made.type === "refused") {
      uses.refused(grant.credentialId, made.limit);
      countRefused(made.limit);
    }
    return made;
  };

  async function findOwnedLink(grant: AgentGrant, id: string): Promise<PortalLinkRecord | null> {
    const link = await portalLinks.find(ownerOf(grant), id);
    return link !== null && link.createdBy.type === "agent" && link.createdBy.agentId === grant.credentialId ? link : null;
  }

  return {
    create,
    list: async (owner, { limit, cursor, state }) => {
      const after = cursor === null ? null : placeOfCursor(cursor, CURSOR_ID);
      const { items, next } = await pageOfCredentials(store, owner, { limit, after, state });
      return { items: await withUses(items), next: next === null ? null : cursorOf(next) };
    },
    show: async (owner, id) => {
      const stored = await findOwned(owner, id);
      return stored === null ? null : withUse(stored.record);
    },
    revoke: async (owner, id, by, operation) => {
      const outcome = await revokeOne(owner, id, by, operation);
      return outcome === null ? null : withUse(outcome.record);
    },
    revokeAll: async (owner, by, operation) => {
      const { ids } = await usable.load(owner);
      const outcomes = await Promise.all(ids.map((id) => revokeOne(owner, id, by, operation)));
      return outcomes.flatMap((outcome) => (outcome?.byThis === true ? [outcome.record] : []));
    },
    byToken,
    createLink,
    listLinks: async (grant, { limit, cursor, state, fromMs, beforeMs, reference }) => {
      requireScope(grant, "links:read");
      const query = { limit, cursor, state, fromMs, beforeMs, customerEmail: null, q: reference };
      return portalLinks.list(ownerOf(grant), { ...query, agentId: grant.credentialId });
    },
    findLink: async (grant, id) => {
      requireScope(grant, "links:read");
      return findOwnedLink(grant, id);
    },
    cancelLink: async (grant, id, operation) => {
      requireScope(grant, "links:cancel");
      return (await findOwnedLink(grant, id)) === null ? null : portalLinks.cancel(ownerOf(grant), id, operation);
    },
    noteCall: ({ credentialId }, call) => uses.called(credentialId, call),
  };
}

function requireScope(grant: AgentGrant, scope: AgentScope): void {
  if (!agentMay(grant, scope)) throw new RelayError("forbidden", `This credential does not have the scope ${scope}`);
}

function ownerOf({ merchantId, partnerId, livemode }: AgentGrant): MerchantParty {
  return { merchantId, partnerId, livemode };
}

function hourBefore(atMs: number): number {
  return atMs - HOUR_MS + 1;
}

const CURSOR_ID = /^ac_[a-z0-9]{24}$/;
