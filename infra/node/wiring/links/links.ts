import type { CardGateway, NotificationSignature } from "../../../../engine/gateway/card-gateway.ts";
import type { Address, Homes } from "../../../../engine/kernel/bus.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import { createCreateLink } from "../../../../engine/links/create-link.ts";
import type { GatewayAccounts } from "../../../../engine/links/gateway-accounts.ts";
import { isFinal, type LinkState } from "../../../../engine/links/link.ts";
import type { LinkCompanion } from "../../../../engine/links/link-companion.ts";
import type { LinkObserver } from "../../../../engine/links/link-observer.ts";
import { createLinkStore } from "../../../../engine/links/link-store.ts";
import type { Links } from "../../../../engine/links/links.ts";
import { createShardLinks } from "../../../../engine/links/shard-links.ts";
import { createUseLink } from "../../../../engine/links/use-link.ts";
import { isNotificationSigned } from "../../../../http/gateway/notification.ts";
import type { LinkOperations } from "../../../../http/surfaces/links/surface.ts";
import { createLocalTime } from "../../../../http/surfaces/parts/time.ts";
import type { Config } from "../../boot/config.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";

/**
 * Limits the wait for calls to the gateway when the node stops. Calls also have their own
 * deadlines.
 */
const STOP_MS = 5_000;

export interface LinkParts {
  config: Config;
  kv: Kv;
  bus: { readonly self: Address };
  homes: Homes;
  clock: Clock;
  gateway: CardGateway;
  accounts: GatewayAccounts;
  /** Returns the owning merchant of a terminal's payments on this partner's account, or null. */
  shopOf(terminalId: string, partnerId: number | null): string | null;
  retentionMs: number;
  writer: string;
  /**
   * Participants that store records in the same commit as a link, such as callbacks about its end.
   */
  companions: readonly LinkCompanion[];
  /** Returns true if a dispute blocks the refund of a payment. */
  isUnderDispute(payment: { merchantId: string; uuid: string }): Promise<boolean>;
  /** Called after a row was written to the outbox. */
  onOutboxWrite(): void;
  /** For the logs of merchants. */
  observer: LinkObserver;
  /** Counts responses of the gateway to a verify, and failures to get one. */
  verified(outcome: string): void;
  /** Counts ended links. */
  ended(state: LinkState): void;
  failed(what: string, error: unknown): void;
}

export interface ComposedLinks extends Lifecycle {
  operations: LinkOperations;
  links: Links;
  /** The address by which the gateway and buyers' browsers reach the relay. */
  publicUrl(): string;
  /** Returns the number of links that must be verified now or within seconds. */
  due(): number;
}

/** The payment links of a shard, with their gateway. */
export function composeLinks({
  config,
  kv,
  bus,
  homes,
  clock,
  gateway,
  accounts,
  shopOf,
  retentionMs,
  writer,
  companions,
  isUnderDispute,
  onOutboxWrite,
  observer,
  verified,
  ended,
  failed,
}: LinkParts): ComposedLinks {
  const store = createLinkStore({ kv, retentionMs, writer });
  let listener = "";
  let stopped: Promise<void> | null = null;
  const publicUrl = () => config.publicUrl ?? listener;
  const shard = createShardLinks({
    store: {
      ...store,
      commit: async (change) => {
        const version = await store.commit(change);
        if (change.rows.length > 0 && version !== null) onOutboxWrite();
        const { record, before } = change;
        if (version !== null && isFinal(record.state) && (before === null || !isFinal(before.state))) ended(record.state);
        return version;
      },
    },
    gateway,
    accounts,
    signature,
    clock,
    homes,
    self: bus.self,
    notifyUrl: () => `${publicUrl()}/api/v1/gw/notify`,
    companions,
    isUnderDispute,
    observer,
    verified,
    failed,
  });
  return {
    links: shard.links,
    publicUrl,
    operations: {
      createLink: createCreateLink({ links: shard.links, accounts, clock, shopOf }),
      useLink: createUseLink({ links: shard.links, accounts }),
      notified: shard.links.notified,
      localTime: createLocalTime(config.timeZone),
    },
    // The address at which the gateway can reach this node, unless it is configured.
    listening: (port) => {
      // Without RELAY_PUBLIC_URL only a gateway on this machine, such as the sandbox's, can notify.
      // Links at other gateways are still verified.
      const any = config.host === "0.0.0.0" || config.host === "::";
      const host = any ? "127.0.0.1" : config.host.includes(":") ? `[${config.host}]` : config.host;
      listener = `${config.tls === null ? "http" : "https"}://${host}:${port}`;
    },
    due: () => shard.counts().due,
    tick: shard.tick,
    // Stops processing deadlines. Requested operations are still executed.
    drain: () => {
      stopped ??= shard.stop();
    },
    close: async () => {
      stopped ??= shard.stop();
      await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, STOP_MS).unref())]);
    },
  };
}

/** A missing merId is taken from the link's account. A missing paymentId counts as empty. */
const signature: NotificationSignature = {
  matches: ({ merchantId, secret }, { merId, txId, paymentId }, given) =>
    isNotificationSigned({ merId: merId ?? merchantId, txId, paymentId: paymentId ?? "" }, given, secret),
};
