import type { ShopBranding } from "../branding/shop-branding.ts";
import type { Address, Homes } from "../kernel/bus.ts";
import type { Clock } from "../kernel/clock.ts";
import { createDeadlineRunner, type DeadlineBounds, type DeadlineRunner } from "../kernel/deadline-runner.ts";
import { createPacer } from "../kernel/pacer.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import type { Stored } from "../kernel/stored.ts";
import { type Mailer, type MailKind, MailNotSent, QUEUED_MAX } from "./mail.ts";
import { withoutLogo } from "./mail-html.ts";
import { claimed, ended, leftInOutbox, type MailRecord, type MailState, postponed } from "./mail-record.ts";
import { type MailStore, mailText } from "./mail-store.ts";

/** What became of an attempt or of a mail; the id is no secret, and nothing else of the mail is told. */
export interface MailTold {
  type: "sent" | "failed" | "refused" | "expired";
  id: string;
  kind: MailKind;
  attempts: number;
  reason: string | null;
}

export interface MailSenderOptions {
  store: MailStore;
  box: SecretBox;
  /** Finds the logos of shops, which are attached to their mails. */
  logos: Pick<ShopBranding, "logo">;
  /** Null where nothing sends mail: they wait in the administrators' outbox until they expire. */
  mailer: Mailer | null;
  homes: Homes;
  self: Address;
  clock: Clock;
  told(event: MailTold): void;
  /** An attempt to hand a mail over, whatever came of it; for its merchant's log. `reason` quotes nothing of the mail. */
  attempted?(what: { mail: MailRecord; outcome: "sent" | "refused" | "failed"; reason: string | null; atMs: number; ms: number }): void;
  failed(what: string, error: unknown): void;
}

type Ending = Exclude<MailState, "QUEUED">;

/** Whatever waits has room. Few at once: a server for mail takes a few connections of one client. */
const BOUNDS: Omit<DeadlineBounds, "pacer"> = { heldMax: QUEUED_MAX, atOnceMax: 4, catchUpMs: 60_000, slackMs: 0 };

/** Mails that a second of catching up takes without being thought full. */
const FREE_PER_SECOND = 10;

/** After an attempt another writer can have claimed the mail only because its lease was over: more than one such is a fault. */
const ATTEMPTS_MAX = 4;

/** Ends of mails that the store could not take yet; beyond it a mail whose end is not stored is sent again. */
const UNSTORED_MAX = 1_000;

/**
 * Sends mails whose home this shard is: at once, then again and again for as long as they are worth something. Each attempt is stored before it
 * begins, so two nodes do not send a mail together, and one that died during it leaves the mail to be sent again: at least once, not
 * exactly once.
 */
export function createMailSender({
  store,
  box,
  logos,
  mailer,
  homes,
  self,
  clock,
  told,
  attempted,
  failed,
}: MailSenderOptions): DeadlineRunner {
  /** What was sent, or refused, while the store did not answer: it is stored when it answers again, and the mail not sent again meanwhile. */
  const unstored = new Map<string, Ending>();

  async function fire(id: string): Promise<void> {
    const known = unstored.get(id);
    if (known !== undefined) {
      await end(id, known);
      unstored.delete(id);
      return;
    }
    const stored = await store.load(id);
    const nowMs = clock.nowMs();
    if (stored === null || stored.record.nextAtMs === null || stored.record.nextAtMs > nowMs) return;
    const { record } = stored;
    if (nowMs >= record.expiresAtMs) {
      if ((await store.replace(stored, ended(record, "EXPIRED", nowMs))) !== null) tell("expired", record, null);
      return;
    }
    if (mailer === null) {
      await store.replace(stored, leftInOutbox(record, nowMs));
      return;
    }
    const taken = await store.replace(stored, claimed(record, nowMs));
    if (taken !== null) await attempt(taken, mailer);
  }

  async function attempt(taken: Stored<MailRecord>, by: Mailer): Promise<void> {
    const { record } = taken;
    const [atMs, begunMs] = [clock.nowMs(), clock.monotonicMs()];
    const noted = (outcome: "sent" | "refused" | "failed", reason: string | null) =>
      attempted?.({ mail: record, outcome, reason, atMs, ms: clock.monotonicMs() - begunMs });
    try {
      const outcome = await send(record, by);
      noted(outcome, null);
      tell(outcome, record, null);
      await endOrRemember(record.id, outcome === "sent" ? "SENT" : "FAILED");
    } catch (error) {
      if (!(error instanceof MailNotSent)) throw error;
      noted("failed", error.message);
      tell("failed", record, error.message);
      await store.replace(taken, postponed(record, clock.nowMs()));
    }
  }

  async function send(record: MailRecord, by: Mailer): Promise<"sent" | "refused"> {
    const { id, kind, to, merchantId } = record;
    const { subject, text, html, logo: logoId } = textOf(record);
    const logo = logoId === undefined ? null : await logos.logo(logoId);
    const parts = html === undefined ? {} : { html: logo === null ? withoutLogo(html) : html };
    return by.send({ id, kind, to, merchantId, subject, text, ...parts, ...(logo === null ? {} : { logo }) });
  }

  /** One that cannot be opened may be so again once the right key is back. */
  function textOf(record: MailRecord) {
    try {
      const text = mailText(box, record);
      if (text !== null) return text;
    } catch (error) {
      throw new MailNotSent("the encrypted text of the mail cannot be decrypted", { cause: error });
    }
    throw new MailNotSent("the mail has no text");
  }

  async function endOrRemember(id: string, ending: Ending): Promise<void> {
    try {
      await end(id, ending);
    } catch (error) {
      if (unstored.size < UNSTORED_MAX) unstored.set(id, ending);
      throw error;
    }
  }

  /** Over whatever another writer has stored since: it was sent, or it never can be. */
  async function end(id: string, ending: Ending): Promise<void> {
    await retryOnConflict(ATTEMPTS_MAX, async () => {
      const stored = await store.load(id);
      if (stored === null || stored.record.state !== "QUEUED") return;
      return (await store.replace(stored, ended(stored.record, ending, clock.nowMs()))) === null ? CONFLICT : undefined;
    });
  }

  function tell(type: MailTold["type"], { id, kind, attempts }: MailRecord, reason: string | null): void {
    told({ type, id, kind, attempts, reason });
  }

  return createDeadlineRunner({
    ...{ name: "mail", index: store, homes, self, clock, failed, fire },
    placeOf: (partition) => `due/${partition}`,
    bounds: { ...BOUNDS, pacer: createPacer(FREE_PER_SECOND) },
  });
}
