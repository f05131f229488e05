import { available, type Kv, type Operation } from "../kernel/kv.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { ACCOUNTS_AWAY, type CommitPart } from "./account-store.ts";
import type { TeamRecord } from "./team.ts";

/** Teams of merchants. Every method rejects with RelayError `unavailable` when the store cannot answer; it is then not known whether a commit happened. */
export interface TeamStore {
  /** Null for a merchant that never had a user. */
  load(merchantId: string): Promise<Stored<TeamRecord> | null>;
  /** Several at once, in the order of the ids. */
  loadMany(merchantIds: readonly string[]): Promise<(Stored<TeamRecord> | null)[]>;
  /** The team that has an open invitation with a token of this SHA-256 (hex); whether its time has passed is for the caller to see. */
  byInvitation(tokenSha256: string): Promise<Stored<TeamRecord> | null>;
  /**
   * Stores a team, and what other stores add, all or nothing. `before` is what it was decided by; null where there was none. Null when something
   * else was first, of the team or of what was added: load and decide again.
   */
  commit(before: Stored<TeamRecord> | null, after: TeamRecord, ...parts: readonly CommitPart[]): Promise<Stored<TeamRecord> | null>;
}

const TEAMS = "team/";
const INVITATIONS = "team-invitation/";

/**
 * Teams on the key-value store: `team/<merchantId>`, and whose an open invitation is under
 * `team-invitation/<SHA-256 of its token>` until its time has passed. `owed`: what else belongs
 * into the commit of a change, whoever makes it.
 */
export function createTeamStore(
  kv: Kv,
  owed: (before: TeamRecord | null, after: TeamRecord) => Promise<readonly Operation[]> = async () => [],
): TeamStore {
  async function load(merchantId: string): Promise<Stored<TeamRecord> | null> {
    const entry = await kv.get(TEAMS + merchantId);
    return entry === null ? null : { record: readRecord("team", entry.key, entry.value), version: entry.version };
  }

  return {
    load: (merchantId) => available(() => load(merchantId), ACCOUNTS_AWAY),
    loadMany: (merchantIds) =>
      available(async () => {
        if (merchantIds.length === 0) return [];
        const entries = await kv.getMany(merchantIds.map((merchantId) => TEAMS + merchantId));
        return entries.map((entry) =>
          entry === null ? null : { record: readRecord<TeamRecord>("team", entry.key, entry.value), version: entry.version },
        );
      }, ACCOUNTS_AWAY),
    byInvitation: (tokenSha256) =>
      available(async () => {
        const place = await kv.get(INVITATIONS + tokenSha256);
        if (place === null) return null;
        const { merchantId } = readRecord<{ merchantId: string }>("teamInvitation", "an invitation", place.value);
        const team = await load(merchantId);
        // It may have been accepted or withdrawn between the two reads.
        return team?.record.members.some(({ invitation }) => invitation?.tokenSha256 === tokenSha256) === true ? team : null;
      }, ACCOUNTS_AWAY),
    commit: (before, after, ...parts) =>
      available(async () => {
        const key = TEAMS + after.merchantId;
        const result = await kv.commit({
          checks: [{ key, version: before?.version ?? 0 }, ...parts.flatMap(({ checks }) => checks)],
          operations: [
            { type: "put", key, value: recordText("team", after) },
            ...invitationOperations(before?.record ?? null, after),
            ...parts.flatMap(({ operations }) => operations),
            ...(await owed(before?.record ?? null, after)),
          ],
        });
        return result.type === "committed" ? { record: after, version: result.version } : null;
      }, ACCOUNTS_AWAY),
  };
}

function invitationOperations(before: TeamRecord | null, after: TeamRecord): Operation[] {
  const [old, present] = [invitationsOf(before), invitationsOf(after)];
  const open = new Set(present.map(({ tokenSha256 }) => tokenSha256));
  const known = new Set(old.map(({ tokenSha256 }) => tokenSha256));
  const value = recordText("teamInvitation", { merchantId: after.merchantId });
  return [
    ...old
      .filter(({ tokenSha256 }) => !open.has(tokenSha256))
      .map(({ tokenSha256 }) => ({ type: "delete", key: INVITATIONS + tokenSha256 }) as const),
    ...present
      .filter(({ tokenSha256 }) => !known.has(tokenSha256))
      .map(({ tokenSha256, expiresAtMs }) => ({ type: "put", key: INVITATIONS + tokenSha256, value, expiresAtMs }) as const),
  ];
}

function invitationsOf(team: TeamRecord | null): { tokenSha256: string; expiresAtMs: number }[] {
  return team?.members.flatMap(({ invitation }) => invitation ?? []) ?? [];
}
