import { merchantRoleMay } from "../access/merchant-user-grant.ts";
import type { Locale } from "../accounts/account.ts";
import type { MemberRecord } from "../accounts/team.ts";
import type { TeamStore } from "../accounts/team-store.ts";
import type { Clock } from "../kernel/clock.ts";
import type { CommitPart } from "../kernel/commit-part.ts";
import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import type { MailKind } from "../mails/mail.ts";
import { isMailAddress } from "../mails/mail-address.ts";
import { type MailStore, mailOperations } from "../mails/mail-store.ts";
import type { MailText } from "../mails/mail-text.ts";
import type { MerchantStore } from "../partners/merchant-store.ts";
import type { DisputeRecord } from "./dispute.ts";
import type { DisputeEffect } from "./events.ts";
import type { DisputeMailTexts } from "./mail-texts.ts";
import { reminderOf } from "./workflow.ts";

/** Null: mails have no room or no store, so the workflow tries again later. Never rejects. */
export interface DisputeNotices {
  received(record: DisputeRecord): Promise<CommitPart["operations"] | null>;
  reminder(record: DisputeRecord, leadMs: number): Promise<CommitPart["operations"] | null>;
}

export function disputeMailOf(
  notices: DisputeNotices,
): (record: DisputeRecord, effect: DisputeEffect) => Promise<CommitPart["operations"] | null> {
  return (record, effect) => {
    const leadMs = reminderOf([effect]);
    return leadMs === null ? notices.received(record) : notices.reminder(record, leadMs);
  };
}

export interface DisputeMailsOptions {
  store: Pick<MailStore, "room">;
  teams: Pick<TeamStore, "load">;
  merchants: Pick<MerchantStore, "load">;
  texts: DisputeMailTexts;
  box: SecretBox;
  digest: Digest;
  clock: Clock;
  postponed(): void;
}

/** The store of mails permits no longer time. A reminder after the deadline is useless. */
const WORTH_MS = 7 * 86_400_000;

/** Writes to all team members who may answer. A case is stored even if its mails are not. */
export function createDisputeMails(options: DisputeMailsOptions): DisputeNotices {
  const { store, teams, merchants, texts, box, digest, clock, postponed } = options;

  async function queuedMails(
    dispute: DisputeRecord,
    kind: MailKind,
    place: string,
    textOf: (locale: Locale, merchantName: string) => MailText,
  ): Promise<CommitPart["operations"] | null> {
    const { id, merchantId, respondByMs } = dispute;
    const atMs = clock.nowMs();
    const [team, merchant, sendAtMs] = await Promise.all([
      teams.load(merchantId),
      merchants.load(merchantId),
      store.room(kind, { merchantId }, atMs),
    ]);
    const recipients = (team?.record.members ?? []).filter(mayAnswer);
    if (recipients.length === 0) return [];
    if (sendAtMs === null) {
      postponed();
      return null;
    }
    const merchantName = merchant?.record.merchantName ?? merchantId;
    const expiresAtMs = Math.max(atMs + 1, Math.min(respondByMs, atMs + WORTH_MS));
    return recipients.flatMap(({ userId, email, locale }) => {
      const mailId = prefixedId("dpm_", digest(`dispute mail ${id} ${place} ${userId}`));
      const mail = { id: mailId, kind, to: email, merchantId, ...textOf(locale, merchantName) };
      return mailOperations(mail, { box, atMs, expiresAtMs, sendAtMs });
    });
  }

  async function orLater(work: () => Promise<CommitPart["operations"] | null>): Promise<CommitPart["operations"] | null> {
    try {
      return await work();
    } catch {
      postponed();
      return null;
    }
  }

  return {
    received: (dispute) =>
      orLater(() =>
        queuedMails(dispute, "dispute-received", "received", (locale, merchantName) => texts.received(locale, { merchantName, dispute })),
      ),
    reminder: (dispute, leadMs) =>
      orLater(() =>
        queuedMails(dispute, "dispute-reminder", `reminder ${dispute.respondByMs} ${leadMs}`, (locale, merchantName) =>
          texts.reminder(locale, { merchantName, dispute, leadMs }),
        ),
      ),
  };
}

function mayAnswer({ state, role, email }: MemberRecord): boolean {
  return state === "ACTIVE" && merchantRoleMay(role, "operate") && isMailAddress(email);
}
