import type { MerchantRole } from "../access/merchant-user-grant.ts";
import { isMerchantId, type MerchantEnvironment } from "../partners/merchant.ts";
import type { MerchantStore } from "../partners/merchant-store.ts";
import type { AccountRecord } from "./account.ts";
import { memberOf } from "./team.ts";
import type { TeamStore } from "./team-store.ts";

/** What a person is at a merchant, where it may sign in now. */
export interface Membership {
  readonly merchantId: string;
  readonly merchantName: string;
  readonly environment: MerchantEnvironment;
  readonly partnerId: number;
  readonly userId: string;
  readonly role: MerchantRole;
}

/** Merchants of one person that are shown and looked through; an accountant has some dozens. */
export const MERCHANTS_OF_ACCOUNT_MAX = 100;

/** Where people may sign in: as active members of a merchant that is active, and whose partner is enabled. Rejects with RelayError `unavailable`. */
export interface Memberships {
  at(accountId: string, merchantId: string): Promise<Membership | null>;
  /** In the order of joining, at most MERCHANTS_OF_ACCOUNT_MAX. */
  of(account: AccountRecord): Promise<Membership[]>;
  /** The preferred one if it is one of them, else the first. */
  choose(account: AccountRecord, preferred: string | null): Promise<Membership | null>;
}

export interface MembershipsOptions {
  teams: Pick<TeamStore, "load">;
  merchants: Pick<MerchantStore, "load">;
  /** In memory. */
  isPartnerEnabled(partnerId: number): boolean;
}

export function createMemberships({ teams, merchants, isPartnerEnabled }: MembershipsOptions): Memberships {
  async function at(accountId: string, merchantId: string): Promise<Membership | null> {
    // What is no id is no key of the store either.
    if (!isMerchantId(merchantId)) return null;
    const [team, merchant] = await Promise.all([teams.load(merchantId), merchants.load(merchantId)]);
    if (team === null || merchant === null) return null;
    const member = memberOf(team.record, accountId);
    const { merchantName, environment, partnerId, active } = merchant.record;
    if (member?.state !== "ACTIVE" || !active || !isPartnerEnabled(partnerId)) return null;
    const { userId, role } = member;
    return { merchantId, merchantName, environment, partnerId, userId, role };
  }

  return {
    at,
    of: async ({ accountId, merchantIds }) => {
      const found = await Promise.all(merchantIds.slice(0, MERCHANTS_OF_ACCOUNT_MAX).map((merchantId) => at(accountId, merchantId)));
      return found.filter((membership) => membership !== null);
    },
    choose: async ({ accountId, merchantIds }, preferred) => {
      const others = merchantIds.filter((merchantId) => merchantId !== preferred).slice(0, MERCHANTS_OF_ACCOUNT_MAX);
      for (const merchantId of [...(preferred === null ? [] : [preferred]), ...others]) {
        const membership = await at(accountId, merchantId);
        if (membership !== null) return membership;
      }
      return null;
    },
  };
}
