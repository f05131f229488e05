import type { Clock } from "../kernel/clock.ts";
import type { KeysNotice } from "../partners/replace-keys.ts";
import type { AccountStore } from "./account-store.ts";
import type { PortalMails } from "./portal-mails.ts";
import type { TeamStore } from "./team-store.ts";

export interface KeysNoticeOptions {
  teams: Pick<TeamStore, "load">;
  accounts: Pick<AccountStore, "loadMany">;
  mails: Pick<PortalMails, "canReach" | "hasRoom" | "keysReplaced">;
  clock: Clock;
}

/**
 * Tells a merchant's owners by mail that its keys were replaced. Where no mail can be queued now, the keys are replaced without: who has lost one must not wait
 * for a full outbox.
 */
export function createKeysNotice({ teams, accounts, mails, clock }: KeysNoticeOptions): KeysNotice {
  return async ({ merchantId, merchantName }, by) => {
    const members = (await teams.load(merchantId))?.record.members ?? [];
    const owners = members.flatMap(({ role, state, accountId }) => (role === "OWNER" && state === "ACTIVE" ? (accountId ?? []) : []));
    if (owners.length === 0 || !(await mails.hasRoom(merchantId))) return { operations: [] };
    const facts = { merchantId, merchantName, by: by.type === "person" ? by.email : null, atMs: clock.nowMs() };
    const found = (await accounts.loadMany(owners)).flatMap((account) =>
      account !== null && mails.canReach(account.email) ? account : [],
    );
    return { operations: found.flatMap((account) => mails.keysReplaced(account, facts).operations) };
  };
}
