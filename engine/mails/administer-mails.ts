import { RelayError } from "../kernel/errors.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import type { Mail } from "./mail.ts";
import type { MailRecord } from "./mail-record.ts";
import { type MailStore, mailText } from "./mail-store.ts";

/** A mail as administrators see it: what is in it only where nothing sends it. */
export interface MailInOutbox {
  record: Omit<MailRecord, "sealed">;
  content: Pick<Mail, "subject" | "text"> | null;
}

/** The outbox of the administrators. Every method rejects with RelayError `unavailable` when the store cannot answer. */
export interface AdministerMails {
  /** Whether mails are sent; where they are not, an owner reads them here and passes on what is in them. */
  sends: boolean;
  /** Newest first, without what is in them; `after` is the last id of the page before. Throws RelayError `invalid_request` for one that is not there any more. */
  page(after: string | null, limit: number): Promise<MailInOutbox["record"][]>;
  /** Null where there is none. */
  mail(id: string): Promise<MailInOutbox | null>;
  /** The newest with what is in them. */
  newest(limit: number): Promise<MailInOutbox[]>;
}

export interface AdministerMailsOptions {
  store: MailStore;
  box: SecretBox;
  sends: boolean;
}

export function createAdministerMails({ store, box, sends }: AdministerMailsOptions): AdministerMails {
  function opened(mail: MailRecord): MailInOutbox {
    return { record: withoutText(mail), content: sends ? null : mailText(box, mail) };
  }

  return {
    sends,
    page: async (after, limit) => {
      const last = after === null ? null : await store.load(after);
      if (after !== null && last === null)
        throw new RelayError("invalid_request", "after: this mail no longer exists; start again without it");
      return (await store.page(last?.record ?? null, limit)).map(withoutText);
    },
    mail: async (id) => {
      const stored = await store.load(id);
      return stored === null ? null : opened(stored.record);
    },
    newest: async (limit) => (await store.page(null, limit)).map(opened),
  };
}

function withoutText({ sealed: _, ...record }: MailRecord): MailInOutbox["record"] {
  return record;
}
