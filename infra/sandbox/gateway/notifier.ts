import { setTimeout as delay } from "node:timers/promises";
import { signNotification } from "../../../http/gateway/notification.ts";
import type { Faults, GatewayEvent } from "./options.ts";
import type { Payment } from "./payments.ts";

/** Pauses before the attempts after the first. */
const PAUSES_MS = [1_000, 5_000, 25_000, 125_000];
const TIMEOUT_MS = 5_000;
/** Maximum number of notifications that wait or are in progress; beyond it new ones are dropped, as real ones may be. */
const OUTSTANDING_MAX = 10_000;

export interface Notifier {
  /** Sends the notification of a payment that ended, according to the present faults. */
  notify(payment: Payment): void;
  stop(): void;
}

export function createNotifier(options: {
  faults(): Faults;
  secretOf(merId: string): string;
  onEvent(event: GatewayEvent): void;
}): Notifier {
  const stopped = new AbortController();
  let outstanding = 0;

  async function send(url: string, txId: string, delayMs: number): Promise<void> {
    await delay(delayMs, undefined, { signal: stopped.signal });
    for (const pauseMs of [...PAUSES_MS, null]) {
      const outcome = await post(url, stopped.signal);
      if (typeof outcome === "number" && outcome < 300) {
        options.onEvent({ type: "notified", txId, status: outcome });
        return;
      }
      options.onEvent({ type: "not_notified", txId, reason: String(outcome), retryMs: pauseMs });
      if (pauseMs !== null) await delay(pauseMs, undefined, { signal: stopped.signal });
    }
  }

  return {
    notify: (payment) => {
      const { notify, notifyDelayMs, notifySignature } = options.faults();
      const { notifyURL, merId, txId } = payment.order;
      if (notifyURL === null || notify === "never") return;
      const notification = { merId, txId, paymentId: payment.paymentId };
      const url = new URL(notifyURL);
      for (const [name, value] of Object.entries(notification)) url.searchParams.set(name, value);
      const right = signNotification(notification, options.secretOf(merId));
      if (notifySignature !== "absent") url.searchParams.set("signature", notifySignature === "right" ? right : "0".repeat(right.length));
      for (let copy = notify === "twice" ? 2 : 1; copy > 0 && outstanding < OUTSTANDING_MAX; copy--) {
        outstanding += 1;
        send(url.href, txId, notifyDelayMs)
          .catch((error: unknown) => {
            if (!stopped.signal.aborted) throw error;
          })
          .finally(() => {
            outstanding -= 1;
          });
      }
    },
    stop: () => stopped.abort(),
  };
}

/** The status of the response, or why there is none. */
async function post(url: string, stopped: AbortSignal): Promise<number | string> {
  try {
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await fetch(url, { method: "POST", redirect: "manual", signal });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    if (stopped.aborted) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return cause instanceof Error ? ("code" in cause ? String(cause.code) : cause.name) : "failed";
  }
}
