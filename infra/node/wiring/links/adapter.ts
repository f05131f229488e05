import { createSignatureNonceStore } from "../../../../engine/access/signature-nonce-store.ts";
import { type AdministerCallbacks, createAdministerCallbacks } from "../../../../engine/callbacks/administer-callbacks.ts";
import { createCallbackSender } from "../../../../engine/callbacks/callback-sender.ts";
import { createCallbackStore } from "../../../../engine/callbacks/callback-store.ts";
import type { ActivityLog } from "../../../../engine/kernel/activity-log.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { SecretBox } from "../../../../engine/kernel/secret-box.ts";
import { partnerPlace } from "../../../../engine/partners/partner.ts";
import type { Partners } from "../../../../engine/partners/partners.ts";
import {
  createSignatureAuthenticator,
  type SignatureAuthenticator,
  type SignatureKeys,
} from "../../../../http/auth/signature-authenticator.ts";
import { createCallbackTarget } from "../../../../http/gateway/callback-post.ts";
import type { AdapterOperations } from "../../../../http/surfaces/gateway-adapter/surface.ts";
import type { Config } from "../../boot/config.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";
import type { Lease } from "../../boot/shard-boot.ts";
import { leasedSignatures } from "../../cluster/lease.ts";
import type { Log } from "../../observability/log.ts";
import type { ShardMetrics } from "../../observability/metrics.ts";
import { lookedUp } from "../administration/overview.ts";
import { logCallbacks } from "../shared/activity-hooks.ts";

export interface AdapterParts {
  config: Config;
  kv: Kv;
  clock: Clock;
  /** The machine's own clock, which tests do not move. Signatures use it. */
  machineClock: Clock;
  partners: Partners;
  box: SecretBox;
  /** Null for a single node. */
  lease: Lease | null;
  log: Log;
  metrics: Pick<ShardMetrics, "callbackTold" | "gaugeByState">;
  /** For the logs of merchants. `shopOf` returns the merchant of a link by its txId. */
  activity: ActivityLog;
  shopOf(txId: string): Promise<string | null>;
}

/** Limits the counted callbacks, and the rate of counting if metrics are requested often. */
const COUNTED_MAX = 10_000;
const COUNT_AGAIN_MS = 1_000;

/** The parts of the gateway-protocol adapter other than its surface. */
export interface Adapter {
  signatures: SignatureAuthenticator;
  operations: { callbacks: AdministerCallbacks; adapterMerchantOf: AdapterOperations["adapterMerchantOf"] };
  /** Sends waiting callbacks. One thread of a node must run it. */
  sender(): Lifecycle;
}

export function composeAdapter({
  config,
  kv,
  clock,
  machineClock,
  partners,
  box,
  lease,
  log,
  metrics,
  activity,
  shopOf,
}: AdapterParts): Adapter {
  const store = createCallbackStore(kv);
  const signatures = createSignatureAuthenticator({
    keys: signatureKeys(partners, box),
    nonces: createSignatureNonceStore(kv, clock.nowMs),
    nowMs: machineClock.nowMs,
  });
  return {
    signatures: lease === null ? signatures : leasedSignatures(signatures, lease, machineClock.monotonicMs),
    operations: {
      callbacks: createAdministerCallbacks({ store, clock }),
      adapterMerchantOf: (caller) =>
        caller.type === "partner" ? (partners.byId(caller.partnerId)?.record.adapter?.merchantId ?? null) : null,
    },
    sender: () => {
      const { tick, stop } = createCallbackSender({
        store,
        target: createCallbackTarget({ allowedNetworks: config.callbackAllowedNetworks }),
        clock,
        told: (event) => {
          metrics.callbackTold(event.type);
          log.callback(event);
        },
        attempted: logCallbacks(activity, shopOf),
        failed: log.engineFailed,
      });
      const count = async () => ({ waiting: await store.count("waiting", COUNTED_MAX), dead: await store.count("dead", COUNTED_MAX) });
      metrics.gaugeByState(
        "relay_callbacks",
        "Callbacks of the adapter that are pending (waiting) and that were abandoned (dead), of all nodes; counted up to 10,000.",
        lookedUp(machineClock, count, COUNT_AGAIN_MS),
      );
      return {
        tick,
        // Waits only as long as for requests. Another node sends an interrupted callback again.
        drain: () => {
          stop().catch((error: unknown) => log.engineFailed("callbacks", error));
        },
      };
    },
  };
}

/** Returns the partners' logins at the adapter. A disabled partner has none. */
function signatureKeys(partners: Partners, box: SecretBox): SignatureKeys {
  return {
    byKeyId: (keyId) => {
      const partner = partners.byAdapterMerchant(keyId);
      if (partner === null || !partner.record.enabled || partner.record.adapter === null) return null;
      const { id, username, adapter } = partner.record;
      const secret = box.open(adapter.sealedSecret, partnerPlace(id, "adapterSecret"));
      return { secret, caller: { type: "partner", partnerId: id, username, terminals: partner.terminals } };
    },
  };
}
