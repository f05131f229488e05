import type { ShopBranding } from "../../../../engine/branding/shop-branding.ts";
import type { ActivityLog } from "../../../../engine/kernel/activity-log.ts";
import type { Address, Homes } from "../../../../engine/kernel/bus.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { SecretBox } from "../../../../engine/kernel/secret-box.ts";
import { type AdministerMails, createAdministerMails } from "../../../../engine/mails/administer-mails.ts";
import { MAIL_KINDS } from "../../../../engine/mails/mail.ts";
import { createMailSender } from "../../../../engine/mails/mail-sender.ts";
import { createMailStore, type MailStore } from "../../../../engine/mails/mail-store.ts";
import { createSmtpMailer } from "../../../../http/mail/smtp.ts";
import type { Config } from "../../boot/config.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";
import { STORE_OWNER } from "../../boot/shard-boot.ts";
import type { Log } from "../../observability/log.ts";
import type { ByState, ShardMetrics } from "../../observability/metrics.ts";
import { lookedUp } from "../administration/overview.ts";
import { logMails } from "./activity-hooks.ts";

/**
 * Limits the wait for mails in progress when the node stops. The next home sends an interrupted
 * mail again.
 */
const STOP_MS = 5_000;

/** Limits the rate of counting mails if metrics are requested often. */
const COUNT_AGAIN_MS = 1_000;

export interface MailParts {
  config: Pick<Config, "smtp">;
  kv: Kv;
  bus: { readonly self: Address };
  homes: Homes;
  /** The address of this shard. The first shard of a node counts waiting mails. */
  address: Address;
  box: SecretBox;
  clock: Clock;
  machineClock: Clock;
  log: Pick<Log, "mail" | "engineFailed">;
  metrics: Pick<ShardMetrics, "mailTold" | "gaugeByKind">;
  /** For the logs of merchants. */
  activity: ActivityLog;
  shopBranding: Pick<ShopBranding, "logo">;
}

export interface ComposedMails extends Lifecycle {
  /** Used to queue mails: it returns the time of sending, before `mailOperations`. */
  mails: Pick<MailStore, "room" | "load">;
  operations: { administerMails: AdministerMails };
}

/** The mails of the portal. Each shard sends those whose home it is. */
export function composeMails({
  config,
  kv,
  bus,
  homes,
  address,
  box,
  clock,
  machineClock,
  log,
  metrics,
  activity,
  shopBranding,
}: MailParts): ComposedMails {
  const store = createMailStore(kv);
  const mailer = config.smtp === null ? null : createSmtpMailer(config.smtp);
  const sender = createMailSender({
    ...{ store, box, logos: shopBranding, mailer, homes, self: bus.self, clock },
    told: (event) => {
      metrics.mailTold(event.kind, event.type);
      log.mail(event);
    },
    attempted: logMails(activity, config.smtp === null ? "" : `${config.smtp.host}:${config.smtp.port}`),
    failed: log.engineFailed,
  });
  if (address === STORE_OWNER) {
    const count = async (): Promise<ByState> =>
      Object.fromEntries(await Promise.all(MAIL_KINDS.map(async (kind) => [kind, await store.queued(kind)] as const)));
    metrics.gaugeByKind(
      "relay_mails_queued",
      "Mails that wait to be sent, or stay in the administrators' outbox, by kind, of all nodes; each kind counted up to 10,000.",
      lookedUp(machineClock, count, COUNT_AGAIN_MS),
    );
  }
  let stopped: Promise<void> | null = null;
  return {
    mails: store,
    operations: { administerMails: createAdministerMails({ store, box, sends: mailer !== null }) },
    tick: sender.tick,
    drain: () => {
      stopped ??= sender.stop();
    },
    close: async () => {
      stopped ??= sender.stop();
      await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, STOP_MS).unref())]);
      mailer?.close();
    },
  };
}
