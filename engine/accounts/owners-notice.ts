import type { Clock } from "../kernel/clock.ts";
import type { MerchantRecord } from "../partners/merchant.ts";
import type { MerchantStore } from "../partners/merchant-store.ts";
import type { KeyOwners } from "../partners/replace-keys.ts";
import type { WebhookEndpointRecord } from "../webhooks/webhook-endpoint.ts";
import type { AccountRecord } from "./account.ts";
import type { AccountStore, CommitPart } from "./account-store.ts";
import { MERCHANTS_OF_ACCOUNT_MAX } from "./memberships.ts";
import type { FactorChange, OwnersChange } from "./owners-mail-texts.ts";
import type { PortalMails } from "./portal-mails.ts";
import { isActiveOwner, type MemberRecord, memberOf, type TeamRecord } from "./team.ts";
import type { TeamStore } from "./team-store.ts";

/** What a commit stores for mails that are owed by it. */
type Owed = CommitPart["operations"];

/**
 * Tells a merchant's owners by mail of every change of owners, second factors, keys and webhooks.
 * Each method answers with what belongs into the commit that makes the change.
 */
export interface OwnersNotice {
  /** Of a team, with who is no owner any more. */
  ofTeam(before: TeamRecord | null, after: TeamRecord): Promise<Owed>;
  /**
   * Of the second factors of a person: the owners of all merchants where it is an active user. The
   * person is told by another mail.
   */
  ofFactors(account: AccountRecord, change: FactorChange): Promise<Owed>;
  /** Of an endpoint of webhooks; nobody of a partner's. */
  ofWebhook(before: WebhookEndpointRecord | null, after: WebhookEndpointRecord | null): Promise<Owed>;
  readonly ofKeys: KeyOwners;
}

export interface OwnersNoticeOptions {
  teams: Pick<TeamStore, "load" | "loadMany">;
  accounts: Pick<AccountStore, "loadMany">;
  merchants: Pick<MerchantStore, "load">;
  mails: Pick<PortalMails, "canReach" | "ownersTold">;
  clock: Pick<Clock, "nowMs">;
}

export function createOwnersNotice({ teams, accounts, merchants, mails, clock }: OwnersNoticeOptions): OwnersNotice {
  /** Each of them in its own language; whoever has no account yet in that of its invitation. */
  async function toMembers(merchant: MerchantRecord, change: OwnersChange, members: readonly MemberRecord[]): Promise<Owed> {
    const { merchantId, merchantName } = merchant;
    if (members.length === 0) return [];
    const found = await accounts.loadMany(members.flatMap(({ accountId }) => accountId ?? []));
    const locales = new Map(found.flatMap((account) => (account === null ? [] : [[account.accountId, account.locale]])));
    const facts = { merchantId, merchantName, change, atMs: clock.nowMs() };
    const reached = members.filter(({ email }) => mails.canReach(email));
    const to = reached.map(({ userId, email, locale, accountId }) => {
      const own = accountId === null ? undefined : locales.get(accountId);
      return { userId, email, locale: own ?? locale };
    });
    return mails.ownersTold(to, facts);
  }

  async function toOwners(merchantId: string, change: OwnersChange): Promise<Owed> {
    const [team, merchant] = await Promise.all([teams.load(merchantId), merchants.load(merchantId)]);
    return team === null || merchant === null ? [] : toMembers(merchant.record, change, ownersOf(team.record));
  }

  return {
    ofTeam: async (before, after) => {
      const changes = changesOf(before, after);
      const merchant = changes.length === 0 ? null : await merchants.load(after.merchantId);
      if (merchant === null) return [];
      const owners = before === null ? [] : ownersOf(before);
      const told = changes.map(({ change, alsoTo }) => toMembers(merchant.record, change, distinct([...owners, ...alsoTo])));
      return (await Promise.all(told)).flat();
    },
    ofFactors: async (account, change) => {
      const found = await teams.loadMany(account.merchantIds.slice(0, MERCHANTS_OF_ACCOUNT_MAX));
      const told = found.map(async (team) => {
        if (team === null || memberOf(team.record, account.accountId)?.state !== "ACTIVE") return [];
        const merchant = await merchants.load(team.record.merchantId);
        const others = ownersOf(team.record).filter(({ accountId }) => accountId !== account.accountId);
        return merchant === null ? [] : toMembers(merchant.record, { type: "factors changed", email: account.email, change }, others);
      });
      return (await Promise.all(told)).flat();
    },
    ofWebhook: async (before, after) => {
      const { owner } = after ?? before ?? {};
      const change = owner?.type === "merchant" ? webhookChange(before, after) : null;
      return change === null || owner?.type !== "merchant" ? [] : toOwners(owner.merchantId, change);
    },
    ofKeys: {
      isAnyActive: async (merchantId) => ownersOf((await teams.load(merchantId))?.record ?? null).length > 0,
      told: async (merchant, change) => {
        const team = await teams.load(merchant.merchantId);
        return { operations: await toMembers(merchant, { type: "keys changed", change }, ownersOf(team?.record ?? null)) };
      },
    },
  };
}

function ownersOf(team: TeamRecord | null): MemberRecord[] {
  return team?.members.filter(isActiveOwner) ?? [];
}

/** A change of one member, and who is told of it beside those who were owners before. */
interface TeamChange {
  readonly change: OwnersChange;
  readonly alsoTo: readonly MemberRecord[];
}

/**
 * What owners want to know of what became of a team: who is, becomes and stops being an owner, and
 * whom the partner brings in.
 */
function changesOf(before: TeamRecord | null, after: TeamRecord): TeamChange[] {
  const known = new Map(before?.members.map((member) => [member.userId, member]));
  const present = new Set(after.members.map(({ userId }) => userId));
  const gone = [...known.values()].filter(({ userId }) => !present.has(userId));
  return [
    ...gone.flatMap((member) => {
      if (member.role !== "OWNER") return [];
      const type = member.state === "INVITED" ? "owner invitation withdrawn" : "owner removed";
      return { change: { type, email: member.email } as const, alsoTo: [member] };
    }),
    ...after.members.flatMap((member) => memberChange(known.get(member.userId) ?? null, member)),
  ];
}

function memberChange(before: MemberRecord | null, after: MemberRecord): TeamChange[] {
  const { email, role } = after;
  const told = (change: OwnersChange, alsoTo: readonly MemberRecord[] = []) => [{ change, alsoTo }];
  const [wasOwner, isOwner] = [before?.role === "OWNER", role === "OWNER"];
  if (before === null) {
    if (isOwner) return told({ type: "owner invited", email });
    return after.invitation?.by === "partner" ? told({ type: "invited by the partner", email, role }) : [];
  }
  if (before.state === "INVITED" && after.state === "ACTIVE") {
    if (isOwner) return told({ type: "owner joined", email });
    return before.invitation?.by === "partner" ? told({ type: "joined by the partner", email, role }) : [];
  }
  // Those who are owners from now on and no longer are told too.
  if (wasOwner !== isOwner) return told({ type: isOwner ? "made an owner" : "no longer an owner", email }, [after]);
  if (isOwner && before.state !== after.state)
    return told({ type: after.state === "DISABLED" ? "owner disabled" : "owner enabled", email }, [after]);
  return [];
}

function distinct(members: readonly MemberRecord[]): MemberRecord[] {
  return [...new Map(members.map((member) => [member.userId, member])).values()];
}

function webhookChange(before: WebhookEndpointRecord | null, after: WebhookEndpointRecord | null): OwnersChange | null {
  if (before === null || after === null) {
    const [type, record] = after === null ? (["webhook removed", before] as const) : (["webhook created", after] as const);
    return record === null ? null : { type, host: hostOf(record) };
  }
  const host = hostOf(after);
  if (before.status !== after.status) return { type: after.status === "disabled" ? "webhook disabled" : "webhook enabled", host };
  if (before.url !== after.url || before.events.join() !== after.events.join()) return { type: "webhook changed", host };
  return before.rolls[0] === after.rolls[0] ? null : { type: "webhook secret replaced", host };
}

/** The rest of an address may hold what only its server is to know. */
function hostOf({ url }: WebhookEndpointRecord): string {
  return URL.canParse(url) ? new URL(url).host : "";
}
