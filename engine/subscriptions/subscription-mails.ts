import type { Shops } from "../branding/shop-branding.ts";
import type { Clock } from "../kernel/clock.ts";
import type { CommitPart } from "../kernel/commit-part.ts";
import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import { type MailStore, mailOperations } from "../mails/mail-store.ts";
import type { DunningTerms } from "./dunning-policy.ts";
import type { SubscriptionEffect } from "./events.ts";
import type { SubscriptionMailTexts } from "./mail-texts.ts";
import type { SubscriptionMail, SubscriptionRecord } from "./subscription.ts";

/** Creates the mails of subscriptions for the commits that cause them. */
export interface SubscriptionMails {
  /**
   * Returns the operations of a mail to the customer, or none if the policy disables mails (`null`
   * means no policy). Returns null if it cannot be queued now, because too many mails wait or the
   * store does not respond. The transition is stored anyway, and the mail is queued later. Never
   * rejects.
   */
  owed(record: SubscriptionRecord, kind: SubscriptionMail, terms: DunningTerms | null): Promise<CommitPart["operations"] | null>;
}

/**
 * Returns the function that creates the mail of an effect. The policy at the first failure applies.
 */
export function subscriptionMailOf(mails: SubscriptionMails) {
  return async (record: SubscriptionRecord, effect: SubscriptionEffect, before: SubscriptionRecord | null) =>
    effect.type === "mail" ? mails.owed(record, effect.params.kind, record.dunning?.terms ?? before?.dunning?.terms ?? null) : [];
}

export interface SubscriptionMailsOptions {
  store: Pick<MailStore, "room">;
  shops: Shops;
  texts: SubscriptionMailTexts;
  box: SecretBox;
  digest: Digest;
  clock: Clock;
  /** Counts a mail that could not be queued. */
  postponed(): void;
}

/** A mail is useful at most until the next step of a policy. */
const WORTH_MS = 3 * 86_400_000;

const KINDS = {
  payment: "subscription-payment",
  failed: "subscription-failed",
  step: "subscription-reminder",
  recovered: "subscription-recovered",
  cancelled: "subscription-cancelled",
} as const;

export function createSubscriptionMails(options: SubscriptionMailsOptions): SubscriptionMails {
  const { store, shops, texts, box, digest, clock, postponed } = options;
  return {
    owed: async (record, kind, terms) => {
      if (terms?.mails === false && kind !== "payment") return [];
      try {
        const atMs = clock.nowMs();
        const { merchantId } = record;
        const [shop, sendAtMs] = await Promise.all([shops.of(merchantId), store.room(KINDS[kind], { merchantId }, atMs)]);
        if (sendAtMs !== null) {
          const { locale, email: to } = record.customer;
          const text = texts[kind](locale, { merchantName: shop.name, record });
          const id = prefixedId("sbm_", digest(`subscription mail ${record.id} ${record.mails + 1}`));
          return mailOperations(
            { id, kind: KINDS[kind], to, merchantId, shop, ...text },
            { box, atMs, expiresAtMs: atMs + WORTH_MS, sendAtMs },
          );
        }
      } catch {
        // The store is unavailable. The commit of the transition will report that.
      }
      postponed();
      return null;
    },
  };
}
