import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import type { Ids } from "../kernel/ids.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import type { Mail } from "../mails/mail.ts";
import { isMailAddress } from "../mails/mail-address.ts";
import { type MailStore, mailOperations } from "../mails/mail-store.ts";
import type { AccountRecord } from "./account.ts";
import type { CommitPart } from "./account-store.ts";
import type { MailTexts } from "./mail-texts.ts";
import type { OwnersChange, OwnersMailTexts } from "./owners-mail-texts.ts";
import { RESET_LIFETIME_MS } from "./password-reset.ts";
import { INVITATION_LIFETIME_MS, type MemberRecord } from "./team.ts";

/** The portal's mails, each for the commit that makes it due. */
export interface PortalMails {
  canReach(email: string): boolean;
  /** Throws RelayError `rate_limited` where a merchant had too many mails written, and `too_busy` where too many wait altogether. */
  requireRoom(merchantId: string | null): Promise<void>;
  invitation(facts: { merchantId: string; merchantName: string; member: MemberRecord; token: string; atMs: number }): CommitPart;
  passwordReset(account: AccountRecord, token: string, atMs: number): CommitPart;
  passwordChanged(account: AccountRecord, atMs: number): CommitPart;
  factorsReset(account: AccountRecord, atMs: number): CommitPart;
  /** Whether a notice may be queued, for what is done all the same. */
  hasRoom(merchantId: string): Promise<boolean>;
  /** To one of a merchant's owners, or to who was one. */
  ownersTold(
    to: Pick<AccountRecord, "email" | "locale">,
    facts: { merchantId: string; merchantName: string; change: OwnersChange; atMs: number },
  ): CommitPart;
}

export interface PortalMailsOptions {
  store: Pick<MailStore, "hasRoom">;
  box: SecretBox;
  texts: MailTexts;
  ownersTexts: OwnersMailTexts;
  clock: Clock;
  ids: Ids;
}

/** A notice is worth telling for as long as somebody may still do something about it. */
const NOTICE_LIFETIME_MS = 3 * 86_400_000;

const RETRY_AFTER_SECONDS = 600;

export function createPortalMails({ store, box, texts, ownersTexts, clock, ids }: PortalMailsOptions): PortalMails {
  function owed(mail: Omit<Mail, "id">, atMs: number, lifetimeMs: number): CommitPart {
    const id = ids.uuid();
    return { checks: [], operations: mailOperations({ ...mail, id }, { box, atMs, expiresAtMs: atMs + lifetimeMs }) };
  }

  return {
    canReach: isMailAddress,
    requireRoom: async (merchantId) => {
      const atMs = clock.nowMs();
      if (await store.hasRoom(merchantId, atMs)) return;
      if (merchantId === null || !(await store.hasRoom(null, atMs))) {
        throw new RelayError("too_busy", "Too many mails wait to be sent; try again later", { retryAfterSeconds: RETRY_AFTER_SECONDS });
      }
      throw new RelayError("rate_limited", "Too many mails were sent for this merchant within an hour", {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    },
    invitation: ({ merchantId, merchantName, member: { email, role, locale }, token, atMs }) => {
      const expiresAtMs = atMs + INVITATION_LIFETIME_MS;
      const text = texts.invitation(locale, { merchantName, role, token, expiresAtMs });
      return owed({ kind: "invitation", to: email, merchantId, ...text }, atMs, INVITATION_LIFETIME_MS);
    },
    passwordReset: ({ email, locale }, token, atMs) => {
      const text = texts.passwordReset(locale, { token, expiresAtMs: atMs + RESET_LIFETIME_MS });
      return owed({ kind: "password-reset", to: email, merchantId: null, ...text }, atMs, RESET_LIFETIME_MS);
    },
    passwordChanged: ({ email, locale }, atMs) =>
      owed({ kind: "security-notice", to: email, merchantId: null, ...texts.passwordChanged(locale, { atMs }) }, atMs, NOTICE_LIFETIME_MS),
    factorsReset: ({ email, locale }, atMs) =>
      owed({ kind: "security-notice", to: email, merchantId: null, ...texts.factorsReset(locale, { atMs }) }, atMs, NOTICE_LIFETIME_MS),
    hasRoom: (merchantId) => store.hasRoom(merchantId, clock.nowMs()),
    ownersTold: ({ email, locale }, { merchantId, merchantName, change, atMs }) => {
      const text = ownersTexts(locale, { merchantName, change, atMs });
      return owed({ kind: "security-notice", to: email, merchantId, ...text }, atMs, NOTICE_LIFETIME_MS);
    },
  };
}
