import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { ExportFailure } from "../../../engine/exports/export.ts";
import { EXPORT_FAILURES } from "../../../engine/exports/words.ts";
import type { ErrorCode } from "../../../engine/kernel/errors.ts";
import { MAIL_KINDS } from "../../../engine/mails/mail.ts";
import type { PushedWhen } from "../../../engine/terminals/deliver-command.ts";
import { HELD_BY, type HeldBy } from "../../../http/auth/login-throttle.ts";
import type { StompEnd } from "../../../http/stomp/host.ts";
import { DurationHistogram } from "./duration-histogram.ts";
import { watchEventLoop } from "./event-loop.ts";
import { LatencyHistogram } from "./latency-histogram.ts";
import type { StoreCommits } from "./store-commits.ts";
import { WordCounter } from "./word-counter.ts";

/** Metrics of one thread as sent to the main thread: prom-client's JSON form. */
export type ThreadMetrics = object[];

export interface ByState {
  readonly [state: string]: number;
}

/** What one thread measures. Labels are endpoints, states and threads: never ids, addresses or anything of a payment. */
export interface ShardMetrics {
  /** A value that is read when metrics are requested; the values of all threads are added. */
  gauge(name: string, help: string, read: () => number): void;
  /** The same of what the store says of all nodes. A value that cannot be determined is left out. */
  storedGauge(name: string, help: string, read: () => Promise<number>): void;
  /** The same for several values, distinguished by the label `state`. Values that cannot be determined are left out. */
  gaugeByState(name: string, help: string, read: () => ByState | Promise<ByState>): void;
  /** The same by the label `kind`. */
  gaugeByKind(name: string, help: string, read: () => ByState | Promise<ByState>): void;
  /** Whether all is well; of all threads the one that is worst counts. */
  flag(name: string, help: string, read: () => boolean): void;
  answered(endpoint: string, status: number, durationMs: number): void;
  /** An endpoint was answered with an error. */
  refused(code: ErrorCode): void;
  /** A request was refused because its bucket had no room for it. */
  rateLimited(bucket: string): void;
  aborted(endpoint: string): void;
  rateLimitTableFull(endpoint: string): void;
  /** An address had as many WebSockets open as it may: in all, or without a login. */
  webSocketRefused(bound: string): void;
  /** A STOMP session was answered CONNECTED. */
  stompConnected(): void;
  /** A STOMP session, connected or not, has ended. */
  stompEnded(why: StompEnd): void;
  /** A command was written to a session for the first time, so long after it was accepted. */
  pushed(when: PushedWhen, afterMs: number): void;
  /** A wrong password was compared. */
  loginFailed(): void;
  /** A login was refused because too many wrong passwords came before it. */
  loginHeldBack(by: HeldBy): void;
  commandFinished(state: string, kind: string): void;
  /** A step was retried because another writer had changed the same record. */
  commitConflict(): void;
  /** The gateway answered a verify of a payment link, or could not be asked. */
  linkVerified(outcome: string): void;
  linkEnded(state: string): void;
  /** A payment link of the portal was created, or became paid, expired or cancelled. */
  portalLinkBecame(what: string): void;
  /** Mails that somebody was to get about a payment link that was paid, and does not get. */
  portalLinkMailsLeftOut(count: number): void;
  /** What became of a subscription: see the metric's help. */
  subscriptionBecame(what: string): void;
  /** A mail to the customer of a subscription found no room, and is tried again. */
  subscriptionMailPostponed(): void;
  /** A credential of an AI agent was created, or has become something else. */
  agentCredentialBecame(what: string): void;
  /** A limit of a credential has refused a link. */
  agentLinkRefused(limit: string): void;
  /** A dispute was received, or has become something else. */
  disputeBecame(what: string): void;
  /** A mail about a dispute found no room. */
  disputeMailPostponed(): void;
  /** A pre-dispute alert was received, or has become something else. */
  alertBecame(what: string): void;
  /** An AI agent has called a tool: `done`, `refused` or `failed`. */
  agentCalled(tool: string, outcome: string): void;
  /** An export was queued, was begun, is there, or failed, and then why; null for what has not failed. */
  exportBecame(state: string, failure: ExportFailure | null): void;
  /** Days of merchants were closed, or changes of closed ones found. */
  daysClosed(what: "closed" | "corrections", count: number): void;
  /** A call to the card gateway ended: `done`, `refused` or `unavailable`. */
  gatewayCalled(operation: string, outcome: string, durationMs: number): void;
  /** A callback was delivered, will be tried again, or is given up. */
  callbackTold(outcome: "delivered" | "failed" | "dead"): void;
  /** A webhook was delivered, will be tried again, is given up, or its endpoint gets nothing any more. */
  webhookTold(outcome: "delivered" | "failed" | "dead" | "canceled"): void;
  /** A mail was handed over, will be tried again, was refused for good, or was worth nothing any more. */
  mailTold(kind: string, outcome: "sent" | "failed" | "refused" | "expired"): void;
  /** What registers do at the ZVT listener; all words are bounded. */
  zvt: {
    frame(direction: "in" | "out", command: string): void;
    refused(reason: string): void;
    paymentEnded(outcome: string, durationMs: number): void;
    reattached(): void;
  };
  collect(): Promise<ThreadMetrics>;
}

/** From a terminal that answers at once to the time after which a payment is unknown. */
const ZVT_BOUNDS_SECONDS = [0.5, 1, 2.5, 5, 10, 20, 40, 60, 90, 120, 180, 300];

/** Upper bounds in seconds: from a nearby gateway to the client's whole deadline, including the wait for a free slot. */
const GATEWAY_BOUNDS_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 8, 16];

/** Upper bounds in seconds: from a terminal at the same node to the lifetime of a command. */
const PUSH_BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Statistics of the files that a shard holds. */
interface StoreStats {
  pendingOperations: number;
  lastSyncMs: number;
}

/** What a shard has of the store. */
export interface MeasuredStore {
  /** Null on a shard without files. */
  stats: (() => StoreStats) | null;
  /** Null on a shard that reaches the store by another one. */
  commits: StoreCommits | null;
  /** Null where there is no Redis. */
  isRedisUp: (() => boolean) | null;
}

export function createShardMetrics(thread: string, { stats, commits, isRedisUp }: MeasuredStore): ShardMetrics {
  const registry = new Registry();
  const registers = [registry];
  const durations = new LatencyHistogram();
  const errors = new WordCounter({
    name: "relay_http_errors_total",
    help: "Errors returned by endpoints, by code. They include 429 responses that no rate limit by address caused.",
    label: "code",
    words: ["unauthorized", "rate_limited", "unavailable", "too_busy", "internal"],
  });
  const rateLimited = new WordCounter({
    name: "relay_rate_limited_total",
    help: "Requests rejected with 429, because their address or their partner had reached the rate limit.",
    label: "bucket",
    words: ["pay", "get"],
  });
  const stompEnds = new WordCounter({
    name: "relay_stomp_closes_total",
    help: "STOMP sessions that ended, with or without a login, by reason: disconnected (by the client), connection_lost, too_slow, going_away (the node shuts down, or was suspended), or the code of the ERROR frame.",
    label: "reason",
    words: ["disconnected", "connection_lost", "too_slow", "going_away", "unauthorized", "request_timeout"],
  });
  const pushes = new DurationHistogram({
    name: "relay_command_push_delay_seconds",
    help: "Time from the acceptance of a command to its first write to a WebSocket: at_once (in the step that accepted it), or later, because its terminal was offline or had earlier commands.",
    boundsSeconds: PUSH_BOUNDS_SECONDS,
    label: "when",
    words: ["at_once", "later"],
  });
  watchEventLoop(registry, thread);

  const gauge: ShardMetrics["gauge"] = (name, help, read) => {
    new Gauge({
      name,
      help,
      registers,
      aggregator: "sum",
      collect() {
        this.set(read());
      },
    });
  };
  const storedGauge: ShardMetrics["storedGauge"] = (name, help, read) => {
    new Gauge({
      name,
      help,
      registers,
      aggregator: "max",
      async collect() {
        const value = await read().catch(() => null);
        if (value === null) this.remove();
        else this.set(value);
      },
    });
  };
  const gaugeBy = (label: "state" | "kind", name: string, help: string, read: () => ByState | Promise<ByState>) => {
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers,
      aggregator: "sum",
      async collect() {
        const values = await Promise.resolve()
          .then(read)
          .catch((): ByState => ({}));
        this.reset();
        for (const [word, value] of Object.entries(values)) this.set({ [label]: word }, value);
      },
    });
  };
  const flag: ShardMetrics["flag"] = (name, help, read) => {
    new Gauge({
      name,
      help,
      registers,
      aggregator: "min",
      collect() {
        this.set(read() ? 1 : 0);
      },
    });
  };
  if (stats !== null) {
    gauge("relay_store_pending_operations", "Operations whose batch is not yet on disk.", () => stats().pendingOperations);
    gauge("relay_store_last_sync_seconds", "Duration of the last batch that was written to disk.", () => stats().lastSyncMs / 1_000);
  }
  if (isRedisUp !== null) flag("relay_redis_up", "1 if all connections of this node's store to Redis are usable, otherwise 0.", isRedisUp);
  const stompConnects = new Counter({
    name: "relay_stomp_connects_total",
    help: "STOMP sessions that the relay answered with CONNECTED.",
    registers,
  });
  const aborted = new Counter({
    name: "relay_http_aborted_total",
    help: "Clients that disconnected before the response.",
    labelNames: ["endpoint"],
    registers,
  });
  const tableFull = new Counter({
    name: "relay_rate_limit_table_full_total",
    help: "Requests rejected because the rate limiter had no room for another address.",
    labelNames: ["endpoint"],
    registers,
  });
  const socketsRefused = new Counter({
    name: "relay_websockets_refused_total",
    help: "WebSockets rejected because their address had the maximum number open, in total or without a login.",
    labelNames: ["bound"],
    registers,
  });
  const loginsFailed = new Counter({
    name: "relay_logins_failed_total",
    help: "Wrong passwords that the relay checked.",
    registers,
  });
  const loginsHeldBack = new Counter({
    name: "relay_logins_held_back_total",
    help: "Logins rejected without checking the password, because too many wrong passwords came for the account from the address (pair), for the account from unknown addresses (account), or from the address (address).",
    labelNames: ["by"],
    registers,
  });
  for (const by of HELD_BY) loginsHeldBack.inc({ by }, 0);
  const conflicts = new Counter({
    name: "relay_cluster_conflicts_total",
    help: "Transitions that were retried because another writer had changed the same record.",
    registers,
  });
  const finished = new Counter({
    name: "relay_commands_finished_total",
    help: "Commands that ended.",
    labelNames: ["state", "kind"],
    registers,
  });
  const linkVerifies = new Counter({
    name: "relay_link_verifies_total",
    help: "Verifications of payment links, by the gateway's response; unavailable if the gateway could not be asked.",
    labelNames: ["outcome"],
    registers,
  });
  const gatewayCalls = new Histogram({
    name: "relay_gateway_call_duration_seconds",
    help: "Calls to the card gateway by operation and outcome, including repetitions; unavailable if it is unknown what the gateway did.",
    labelNames: ["operation", "outcome"],
    buckets: GATEWAY_BOUNDS_SECONDS,
    registers,
    aggregator: "sum",
  });
  const callbackAttempts = new Counter({
    name: "relay_callback_attempts_total",
    help: "Attempts to deliver callbacks of the adapter: delivered, failed (to be retried), or dead (the last attempt failed).",
    labelNames: ["outcome"],
    registers,
  });
  const webhookAttempts = new Counter({
    name: "relay_webhook_attempts_total",
    help: "Attempts to deliver webhooks: delivered, failed (to be retried), dead (the last attempt failed), or canceled (the endpoint was disabled or removed).",
    labelNames: ["outcome"],
    registers,
  });
  // An increase is seen only of what was there before.
  for (const outcome of ["delivered", "failed", "dead"])
    for (const attempts of [callbackAttempts, webhookAttempts]) attempts.inc({ outcome }, 0);
  finished.inc({ state: "unknown", kind: "payment" }, 0);
  const mailAttempts = new Counter({
    name: "relay_mails_total",
    help: "Outcomes of mails and of attempts to send them, by kind: sent, failed (to be retried), refused (the address does not exist), or expired (never sent).",
    labelNames: ["kind", "outcome"],
    registers,
  });
  for (const kind of MAIL_KINDS) for (const outcome of ["sent", "failed"]) mailAttempts.inc({ kind, outcome }, 0);
  const linksEnded = new Counter({
    name: "relay_links_ended_total",
    help: "Payment links that ended, by their first final state.",
    labelNames: ["state"],
    registers,
  });

  const portalLinks = new Counter({
    name: "relay_portal_links_total",
    help: "Payment links of the portal by outcome: created, paid, paid_late (after the link was shown as ended), paid_twice, expired, cancelled.",
    labelNames: ["became"],
    registers,
  });
  const portalLinkMailsLeftOut = new Counter({
    name: "relay_portal_link_mails_left_out_total",
    help: "Mails about paid payment links of the portal that were not queued, because the queue was full or the store did not respond.",
    registers,
  });
  const subscriptions = new Counter({
    name: "relay_subscriptions_total",
    help: "Subscriptions by outcome, also of their payments: created, paid, failed, past_due, recovered, paid_late (after the subscription was paused or cancelled), paid_twice, paused, cancelled.",
    labelNames: ["became"],
    registers,
  });
  const subscriptionMailsPostponed = new Counter({
    name: "relay_subscription_mails_postponed_total",
    help: "Mails to customers of subscriptions that were not queued when they were due, because the queue was full or the store did not respond; the relay retries every ten minutes.",
    registers,
  });
  const agentCredentials = new Counter({
    name: "relay_agent_credentials_total",
    help: "Credentials of AI agents by outcome: created, exhausted, active_again, expired, revoked.",
    labelNames: ["became"],
    registers,
  });
  const agentLinksRefused = new Counter({
    name: "relay_agent_links_refused_total",
    help: "Payment links that an AI agent requested and a limit of its credential rejected, by limit.",
    labelNames: ["limit"],
    registers,
  });
  const disputes = new Counter({
    name: "relay_disputes_total",
    help: "Disputes by outcome: received, submitted (a response), accepted, won, lost, expired, reminded, undelivered (a response).",
    labelNames: ["became"],
    registers,
  });
  const disputeMailsPostponed = new Counter({
    name: "relay_dispute_mails_postponed_total",
    help: "Mails about disputes that were not queued when they were due, because the queue was full or the store did not respond; the relay retries every ten minutes.",
    registers,
  });
  const alerts = new Counter({
    name: "relay_alerts_total",
    help: "Pre-dispute alerts by outcome: received, auto_refund, refunded, declined, expired, invalid, prevented, refund_failed, refund_unknown, refunded_twice.",
    labelNames: ["became"],
    registers,
  });
  const agentCalls = new Counter({
    name: "relay_agent_calls_total",
    help: "Tool calls by AI agents of merchants, by tool (unknown: no tool has the name) and outcome: done, refused (by scopes, by limits, or because of the arguments), failed.",
    labelNames: ["tool", "outcome"],
    registers,
  });
  const exports = new Counter({
    name: "relay_exports_total",
    help: "Export files of merchants' lists by outcome: queued, running (started, perhaps again), ready, failed.",
    labelNames: ["became"],
    registers,
  });
  const exportFailures = new Counter({
    name: "relay_export_failures_total",
    help: "Export files of merchants' lists that failed, by reason.",
    labelNames: ["reason"],
    registers,
  });
  for (const reason of EXPORT_FAILURES) exportFailures.inc({ reason }, 0);
  const reconciliation = new Counter({
    name: "relay_reconciliation_total",
    help: "Days of merchants that were closed, and corrections: figures of closed days that have changed since.",
    labelNames: ["what"],
    registers,
  });
  const zvtFrames = new Counter({
    name: "relay_zvt_frames_total",
    help: "Frames from cash registers (in) and to them (out), by command.",
    labelNames: ["direction", "command"],
    registers,
  });
  const zvtRefused = new Counter({
    name: "relay_zvt_refused_total",
    help: "Connections and commands of cash registers that were rejected.",
    labelNames: ["reason"],
    registers,
  });
  const zvtPayments = new Counter({
    name: "relay_zvt_payments_total",
    help: "Payments of cash registers by their outcome.",
    labelNames: ["outcome"],
    registers,
  });
  const zvtSeconds = new Histogram({
    name: "relay_zvt_payment_seconds",
    help: "From the acceptance of a cash register's payment to its outcome.",
    buckets: ZVT_BOUNDS_SECONDS,
    registers,
    aggregator: "sum",
  });
  const zvtReattached = new Counter({
    name: "relay_zvt_reattached_total",
    help: "Payments that a cash register requested again and that the relay did not send again.",
    registers,
  });

  return {
    gauge,
    storedGauge,
    flag,
    gaugeByState: (name, help, read) => gaugeBy("state", name, help, read),
    gaugeByKind: (name, help, read) => gaugeBy("kind", name, help, read),
    linkVerified: (outcome) => linkVerifies.inc({ outcome }),
    linkEnded: (state) => linksEnded.inc({ state }),
    portalLinkBecame: (became) => portalLinks.inc({ became }),
    portalLinkMailsLeftOut: (count) => portalLinkMailsLeftOut.inc(count),
    subscriptionBecame: (became) => subscriptions.inc({ became }),
    subscriptionMailPostponed: () => subscriptionMailsPostponed.inc(),
    agentCredentialBecame: (became) => agentCredentials.inc({ became }),
    agentLinkRefused: (limit) => agentLinksRefused.inc({ limit }),
    disputeBecame: (became) => disputes.inc({ became }),
    disputeMailPostponed: () => disputeMailsPostponed.inc(),
    alertBecame: (became) => alerts.inc({ became }),
    agentCalled: (tool, outcome) => agentCalls.inc({ tool, outcome }),
    exportBecame: (state, failure) => {
      exports.inc({ became: state.toLowerCase() });
      if (failure !== null) exportFailures.inc({ reason: failure });
    },
    daysClosed: (what, count) => reconciliation.inc({ what }, count),
    gatewayCalled: (operation, outcome, durationMs) => gatewayCalls.observe({ operation, outcome }, durationMs / 1_000),
    callbackTold: (outcome) => callbackAttempts.inc({ outcome }),
    webhookTold: (outcome) => webhookAttempts.inc({ outcome }),
    mailTold: (kind, outcome) => mailAttempts.inc({ kind, outcome }),
    zvt: {
      frame: (direction, command) => zvtFrames.inc({ direction, command }),
      refused: (reason) => zvtRefused.inc({ reason }),
      paymentEnded: (outcome, durationMs) => {
        zvtPayments.inc({ outcome });
        // What was refused at once is no payment that took a time.
        if (durationMs > 0) zvtSeconds.observe(durationMs / 1_000);
      },
      reattached: () => zvtReattached.inc(),
    },
    answered: (endpoint, status, durationMs) => durations.observe(endpoint, status, durationMs),
    refused: (code) => errors.add(code),
    rateLimited: (bucket) => rateLimited.add(bucket),
    stompConnected: () => stompConnects.inc(),
    stompEnded: (why) => stompEnds.add(why),
    pushed: (when, afterMs) => pushes.observe(when, afterMs),
    aborted: (endpoint) => aborted.inc({ endpoint }),
    rateLimitTableFull: (endpoint) => tableFull.inc({ endpoint }),
    webSocketRefused: (bound) => socketsRefused.inc({ bound }),
    loginFailed: () => loginsFailed.inc(),
    loginHeldBack: (by) => loginsHeldBack.inc({ by }),
    commitConflict: () => conflicts.inc(),
    commandFinished: (state, kind) => finished.inc({ state, kind }),
    collect: async () => [
      ...(await registry.getMetricsAsJSON()),
      ...[durations, errors, rateLimited, stompEnds, pushes].map((metric) => metric.toJson()),
      ...(commits === null ? [] : [commits.toJson()]),
    ],
  };
}

/** One text for Prometheus out of the metrics of all threads. */
export function joinMetrics(threads: readonly ThreadMetrics[]): Promise<string> {
  return AggregatorRegistry.aggregate([...threads]).metrics();
}
