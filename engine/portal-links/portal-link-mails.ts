import { merchantRoleMay } from "../access/merchant-user-grant.ts";
import type { Locale } from "../accounts/account.ts";
import type { MemberRecord, TeamRecord } from "../accounts/team.ts";
import type { TeamStore } from "../accounts/team-store.ts";
import type { Shops } from "../branding/shop-branding.ts";
import type { Clock } from "../kernel/clock.ts";
import type { CommitPart } from "../kernel/commit-part.ts";
import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import { isMailAddress } from "../mails/mail-address.ts";
import { type MailStore, mailOperations, requiredRoom } from "../mails/mail-store.ts";
import type { PortalLinkMailTexts } from "./mail-texts.ts";
import type { PortalLinkRecord } from "./portal-link.ts";

export interface PortalLinkMails {
  canReach(email: string): boolean;
  /** Writes to the customer. Throws RelayError `rate_limited` if too many mails wait. */
  sent(link: PortalLinkRecord, to: string, locale: Locale, mailId: string): Promise<CommitPart["operations"]>;
  /**
   * Writes to the creator of the link, else to the owners. Never rejects: the payment counts
   * anyway.
   */
  paid(link: PortalLinkRecord): Promise<CommitPart["operations"]>;
}

export interface PortalLinkMailsOptions {
  store: Pick<MailStore, "room">;
  teams: Pick<TeamStore, "load">;
  shops: Shops;
  texts: PortalLinkMailTexts;
  box: SecretBox;
  digest: Digest;
  clock: Clock;
  /** Called with the number of mails that were skipped. */
  leftOut(count: number): void;
}

/** The store of mails permits no longer time. */
const WORTH_MS = 7 * 86_400_000;
/** The news of a payment stays useful over a long weekend. */
const NOTICE_LIFETIME_MS = 3 * 86_400_000;

export function createPortalLinkMails(options: PortalLinkMailsOptions): PortalLinkMails {
  const { store, teams, shops, texts, box, digest, clock, leftOut } = options;

  async function paid(link: PortalLinkRecord): Promise<CommitPart["operations"]> {
    const { id, merchantId } = link;
    const atMs = clock.nowMs();
    const [team, { name: merchantName }, sendAtMs] = await Promise.all([
      teams.load(merchantId),
      shops.of(merchantId),
      store.room("payment-link-paid", { merchantId }, atMs),
    ]);
    const recipients = team === null ? [] : recipientsOf(team.record, link).filter(({ email }) => isMailAddress(email));
    if (sendAtMs === null) {
      if (recipients.length > 0) leftOut(recipients.length);
      return [];
    }
    return recipients.flatMap(({ userId, email, locale }) => {
      const mailId = prefixedId("plp_", digest(`portal link paid ${id} ${userId}`));
      const mail = { id: mailId, kind: "payment-link-paid", to: email, merchantId, ...texts.paid(locale, { merchantName, link }) } as const;
      return mailOperations(mail, { box, atMs, expiresAtMs: atMs + NOTICE_LIFETIME_MS, sendAtMs });
    });
  }

  return {
    canReach: isMailAddress,
    sent: async (link, to, locale, mailId) => {
      const atMs = clock.nowMs();
      const { merchantId, order } = link;
      const sendAtMs = await requiredRoom(store, "payment-link", { merchantId }, atMs);
      const shop = await shops.of(merchantId);
      const text = texts.link(locale, { merchantName: shop.name, link });
      const expiresAtMs = Math.max(atMs + 1, Math.min(order.expiresAtMs, atMs + WORTH_MS));
      return mailOperations({ id: mailId, kind: "payment-link", to, merchantId, shop, ...text }, { box, atMs, expiresAtMs, sendAtMs });
    },
    paid: async (link) => {
      try {
        return await paid(link);
      } catch {
        leftOut(1);
        return [];
      }
    },
  };
}

/** Returns the creator of the link while active, else the owners. */
function recipientsOf({ members }: TeamRecord, { createdBy }: PortalLinkRecord): readonly MemberRecord[] {
  const active = members.filter(({ state, role }) => state === "ACTIVE" && merchantRoleMay(role, "look"));
  const creator = createdBy.type === "user" ? active.find(({ userId }) => userId === createdBy.userId) : undefined;
  return creator === undefined ? active.filter(({ role }) => role === "OWNER") : [creator];
}
