import type { Clock } from "../kernel/clock.ts";
import type { Ids } from "../kernel/ids.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import type { Mail } from "../mails/mail.ts";
import { isMailAddress } from "../mails/mail-address.ts";
import { type MailStore, mailOperations, requiredRoom } from "../mails/mail-store.ts";
import type { AccountRecord } from "./account.ts";
import type { CommitPart } from "./account-store.ts";
import type { MailTexts } from "./mail-texts.ts";
import type { OwnersChange, OwnersMailTexts } from "./owners-mail-texts.ts";
import { RESET_LIFETIME_MS } from "./password-reset.ts";
import { INVITATION_LIFETIME_MS, type MemberRecord } from "./team.ts";

/** The portal's mails, each for the commit that makes it due. */
export interface PortalMails {
  canReach(email: string): boolean;
  /** Throws RelayError `rate_limited` where too many mails of a merchant or of all wait. Resolves to when an invitation is sent. */
  invitationRoom(merchantId: string): Promise<number>;
  invitation(facts: {
    merchantId: string;
    merchantName: string;
    member: MemberRecord;
    token: string;
    sendAtMs: number;
    atMs: number;
  }): CommitPart;
  /** Throws RelayError `rate_limited` where too many mails with such links wait. */
  requireResetRoom(email: string): Promise<void>;
  passwordReset(account: AccountRecord, token: string, atMs: number): CommitPart;
  passwordChanged(account: AccountRecord, atMs: number): CommitPart;
  factorsReset(account: AccountRecord, atMs: number): CommitPart;
  /**
   * To those who are or were a merchant's owners. Where so many notices wait that there is no room for
   * these, each of them is told once an hour that there were more changes.
   */
  ownersTold(
    to: readonly Pick<MemberRecord, "userId" | "email" | "locale">[],
    facts: { merchantId: string; merchantName: string; change: OwnersChange; atMs: number },
  ): Promise<CommitPart["operations"]>;
}

export interface PortalMailsOptions {
  store: Pick<MailStore, "room" | "load">;
  box: SecretBox;
  texts: MailTexts;
  ownersTexts: OwnersMailTexts;
  clock: Clock;
  ids: Ids;
}

/** A notice is worth telling for as long as somebody may still do something about it. */
const NOTICE_LIFETIME_MS = 3 * 86_400_000;

const HOUR_MS = 3_600_000;

export function createPortalMails({ store, box, texts, ownersTexts, clock, ids }: PortalMailsOptions): PortalMails {
  function owed(mail: Omit<Mail, "id">, atMs: number, lifetimeMs: number, sendAtMs = atMs): CommitPart {
    const id = ids.uuid();
    return { checks: [], operations: mailOperations({ ...mail, id }, { box, atMs, expiresAtMs: atMs + lifetimeMs, sendAtMs }) };
  }

  return {
    canReach: isMailAddress,
    invitationRoom: (merchantId) => requiredRoom(store, "invitation", { merchantId }, clock.nowMs()),
    invitation: ({ merchantId, merchantName, member: { email, role, locale }, token, sendAtMs, atMs }) => {
      const expiresAtMs = atMs + INVITATION_LIFETIME_MS;
      const text = texts.invitation(locale, { merchantName, role, token, expiresAtMs });
      return owed({ kind: "invitation", to: email, merchantId, ...text }, atMs, INVITATION_LIFETIME_MS, sendAtMs);
    },
    requireResetRoom: async (email) => void (await requiredRoom(store, "password-reset", { merchantId: null, to: email }, clock.nowMs())),
    passwordReset: ({ email, locale }, token, atMs) => {
      const text = texts.passwordReset(locale, { token, expiresAtMs: atMs + RESET_LIFETIME_MS });
      return owed({ kind: "password-reset", to: email, merchantId: null, ...text }, atMs, RESET_LIFETIME_MS);
    },
    passwordChanged: ({ email, locale }, atMs) =>
      owed({ kind: "security-notice", to: email, merchantId: null, ...texts.passwordChanged(locale, { atMs }) }, atMs, NOTICE_LIFETIME_MS),
    factorsReset: ({ email, locale }, atMs) =>
      owed({ kind: "security-notice", to: email, merchantId: null, ...texts.factorsReset(locale, { atMs }) }, atMs, NOTICE_LIFETIME_MS),
    ownersTold: async (to, { merchantId, merchantName, change, atMs }) => {
      const kind = "security-notice";
      const sendAtMs = await store.room(kind, { merchantId }, atMs);
      const told = to.map(async ({ userId, email, locale }) => {
        const noticeOf = (what: OwnersChange) =>
          ({ kind, to: email, merchantId, ...ownersTexts(locale, { merchantName, change: what, atMs }) }) as const;
        if (sendAtMs !== null) return owed(noticeOf(change), atMs, NOTICE_LIFETIME_MS, sendAtMs).operations;
        const id = `more-changes.${userId}.${Math.floor(atMs / HOUR_MS)}`;
        if ((await store.load(id)) !== null) return [];
        return mailOperations({ id, ...noticeOf({ type: "more changes" }) }, { box, atMs, expiresAtMs: atMs + NOTICE_LIFETIME_MS });
      });
      return (await Promise.all(told)).flat();
    },
  };
}
