import type { CallbackSenderOptions } from "../../../../engine/callbacks/callback-sender.ts";
import type { GatewayAnswer } from "../../../../engine/gateway/gateway.ts";
import type { ActivityLog, CallEntry } from "../../../../engine/kernel/activity-log.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { LinkObserver, LinkStepped } from "../../../../engine/links/link-observer.ts";
import type { MailSenderOptions } from "../../../../engine/mails/mail-sender.ts";
import type { RecurringChargeOrder, RecurringCharges } from "../../../../engine/subscriptions/recurring-charges.ts";
import type { WebhookEndpointRecord } from "../../../../engine/webhooks/webhook-endpoint.ts";
import type { WebhookEndpointStore } from "../../../../engine/webhooks/webhook-endpoint-store.ts";
import type { WebhookSenderOptions } from "../../../../engine/webhooks/webhook-sender.ts";

/**
 * The entries in the logs of merchants, by their cause. Nothing is written without a merchant, or
 * about payments at terminals.
 */

/** These events of links occur every few seconds, so they are logged only if the link changed. */
const USUAL: ReadonlySet<LinkStepped["event"]> = new Set(["deadline.passed", "verify.requested", "verify.answered", "verify.failed"]);

/**
 * Logs transitions of links, and calls to the gateway about them. `gatewayUrl` is null if there is
 * no gateway.
 */
export function observeLinks(activity: ActivityLog, gatewayUrl: string | null): LinkObserver {
  const host = hostOf(gatewayUrl);
  return {
    stepped: ({ order, event, from, to, atMs, refused, cause }) => {
      const { shop: merchantId, txId: objectId } = order;
      if (merchantId === undefined || (USUAL.has(event) && from === to && refused === null)) return;
      const outcome = refused === null ? "done" : "refused";
      activity.workflow({ atMs, merchantId, objectType: "link", objectId, event, from, to, requestId: cause?.requestId ?? null, outcome });
    },
    asked: ({ order, operation, atMs, ms, answer, cause }) => {
      const { shop: merchantId, txId: objectId } = order;
      if (merchantId === undefined) return;
      const requestId = cause?.requestId ?? null;
      activity.call({ atMs, merchantId, objectId, target: "gateway", operation, host, ms, requestId, ...gatewayOutcome(answer) });
    },
  };
}

/** Returns the gateway's code without its text, which may be about the buyer. */
function gatewayOutcome(answer: GatewayAnswer<unknown>): Pick<CallEntry, "httpStatus" | "outcome" | "detail"> {
  const httpStatus = answer.httpStatus ?? null;
  switch (answer.type) {
    case "done":
      return { httpStatus, outcome: "done", detail: null };
    case "refused":
      return { httpStatus, outcome: "refused", detail: answer.resultCode };
    case "unavailable":
      return { httpStatus, outcome: "failed", detail: answer.reason };
  }
}

/**
 * Logs attempts to deliver webhooks to merchants' own endpoints. Those of partners are not logged.
 */
export function logWebhooks(activity: ActivityLog): NonNullable<WebhookSenderOptions["attempted"]> {
  return ({ event, endpoint, attempt }) => {
    if (endpoint.owner.type !== "merchant") return;
    const { merchantId } = endpoint.owner;
    const { atMs, durationMs: ms, status: httpStatus, error } = attempt;
    activity.call({
      ...{ atMs, merchantId, objectId: event.id, target: "webhook", operation: event.type, host: hostOf(endpoint.url), httpStatus, ms },
      ...{ outcome: error === null ? "done" : "failed", detail: error, requestId: event.request.id },
    });
  };
}

/** Logs transitions of merchants' webhook endpoints, after each is stored. */
function endpointTold(activity: ActivityLog) {
  return (event: string, before: WebhookEndpointRecord | null, after: WebhookEndpointRecord, to: string, atMs: number): void => {
    if (after.owner.type !== "merchant") return;
    const { merchantId } = after.owner;
    activity.workflow({
      ...{ atMs, merchantId, objectType: "webhook_endpoint", objectId: after.id, event, from: before?.status ?? null, to },
      ...{ requestId: null, outcome: "done" },
    });
  };
}

/** Logs endpoints that end with their key. They are stored outside the store of endpoints. */
export function logEndedEndpoint(activity: ActivityLog): (before: WebhookEndpointRecord, after: WebhookEndpointRecord) => void {
  const told = endpointTold(activity);
  return (before, after) => told(endpointEvent(before, after), before, after, after.status, after.updatedAtMs);
}

export function logWebhookEndpoints(store: WebhookEndpointStore, activity: ActivityLog, nowMs: () => number): WebhookEndpointStore {
  const told = endpointTold(activity);
  return {
    ...store,
    create: async (record, proof) => {
      const outcome = await store.create(record, proof);
      if (outcome === "created") told("endpoint.created", null, record, record.status, record.createdAtMs);
      return outcome;
    },
    replace: async (before, after, proof) => {
      const replaced = await store.replace(before, after, proof);
      if (replaced !== null) told(endpointEvent(before.record, after), before.record, after, after.status, after.updatedAtMs);
      return replaced;
    },
    remove: async (before) => {
      const removed = await store.remove(before);
      if (removed) told("endpoint.removed", before.record, before.record, "removed", nowMs());
      return removed;
    },
  };
}

function endpointEvent(before: WebhookEndpointRecord, after: WebhookEndpointRecord): string {
  if (before.status !== after.status) {
    if (after.status === "enabled") return "endpoint.enabled";
    return after.disabledReason === null ? "endpoint.disabled" : `endpoint.${after.disabledReason}`;
  }
  return before.rolls[0] === after.rolls[0] ? "endpoint.changed" : "secret.rotated";
}

/**
 * Logs the adapter's callbacks. The merchant comes from their links, because callbacks do not name
 * it.
 */
export function logCallbacks(
  activity: ActivityLog,
  shopOf: (txId: string) => Promise<string | null>,
): NonNullable<CallbackSenderOptions["attempted"]> {
  return ({ record, outcome, atMs, ms }) => {
    const { paymentId: objectId } = record.body;
    shopOf(objectId).then(
      (merchantId) => {
        if (merchantId === null) return;
        const failed = outcome.type === "failed";
        activity.call({
          ...{ atMs, merchantId, objectId, target: "callback", operation: "payment.ended", host: hostOf(record.url), ms, requestId: null },
          ...{ httpStatus: outcome.httpStatus ?? null, outcome: failed ? "failed" : "done", detail: failed ? outcome.reason : null },
        });
      },
      // The store does not respond. The attempt counts, and its entry is missing.
      () => undefined,
    );
  };
}

/** Logs mails about objects of a merchant. `smtpHost` names the server that receives them. */
export function logMails(activity: ActivityLog, smtpHost: string): NonNullable<MailSenderOptions["attempted"]> {
  return ({ mail, outcome, reason: detail, atMs, ms }) => {
    const { id: objectId, kind: operation, merchantId } = mail;
    if (merchantId === null) return;
    activity.call({
      ...{ atMs, merchantId, objectId, target: "mail", operation, host: smtpHost, httpStatus: null, ms, detail, requestId: null },
      outcome: outcome === "sent" ? "done" : outcome,
    });
  };
}

/**
 * Returns host and port of an address, or an empty text if it is invalid. Paths may contain
 * secrets.
 */
function hostOf(url: string | null): string {
  return url !== null && URL.canParse(url) ? new URL(url).host : "";
}

/** Logs charges of cards on file and their checks, under their subscription. */
export function logCharges(charges: RecurringCharges, activity: ActivityLog, gatewayUrl: string | null, clock: Clock): RecurringCharges {
  const host = hostOf(gatewayUrl);

  async function logged<Answer extends { type: string }>(
    operation: string,
    { id, merchantId }: RecurringChargeOrder,
    call: () => Promise<Answer>,
  ): Promise<Answer> {
    const [, objectId = id] = /^sub-(sub_[a-z0-9]+)-/.exec(id) ?? [];
    const [atMs, begunMs] = [clock.nowMs(), clock.monotonicMs()];
    const told = (outcome: CallEntry["outcome"], detail: string | null) =>
      activity.call({
        ...{ atMs, merchantId, objectId, target: "gateway", operation, host, httpStatus: null, outcome, detail, requestId: null },
        ms: Math.round(clock.monotonicMs() - begunMs),
      });
    try {
      const answer = await call();
      if (answer.type === "failed") told("refused", "code" in answer && typeof answer.code === "string" ? answer.code : null);
      else told(answer.type === "unknown" ? "failed" : "done", answer.type === "done" ? null : answer.type);
      return answer;
    } catch (error) {
      told("failed", "no_answer");
      throw error;
    }
  }

  return {
    isOffered: charges.isOffered,
    charge: (order) => logged("charge", order, () => charges.charge(order)),
    verify: (order) => logged("charge.verify", order, () => charges.verify(order)),
  };
}
