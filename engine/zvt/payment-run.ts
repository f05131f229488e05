import type { Caller } from "../access/caller.ts";
import { maySend, senderOf } from "../access/caller.ts";
import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import type { Ids } from "../kernel/ids.ts";
import type { Timers } from "../kernel/timers.ts";
import type { Command } from "../payments/command.ts";
import { buildPayment, readPaymentRequest } from "../payments/payment-request.ts";
import type { ClaimCancelled } from "../terminals/claim-cancelled.ts";
import type { SendPayment } from "../terminals/send-payment.ts";
import type { CommandView, Terminals } from "../terminals/terminals.ts";
import { outcomeOf } from "./payment-outcome.ts";
import { ZVT_CODES } from "./result-codes.ts";
import { SEND_WITHIN_MS, type ZvtOpen } from "./route-record.ts";
import type { ZvtService } from "./zvt-config.ts";
import type { ZvtFollower, ZvtOutcome, ZvtProgress } from "./zvt-payments.ts";

/** What payments of registers use of the relay. */
export interface RelayForZvt {
  sendPayment: SendPayment;
  terminals: Pick<Terminals, "command" | "cancel" | "view">;
  claimCancelled: ClaimCancelled;
}

/** A payment that is to be sent and followed. */
export interface RunOrder {
  readonly open: Pick<ZvtOpen, "uuid" | "terminalId" | "amountCents" | "currency" | "acceptedAtMs" | "receiptNo" | "seq">;
  readonly service: ZvtService;
  readonly tid: string;
  /** False: it is followed only where the relay knows it, since nobody asked for it again. */
  readonly maySendIt: boolean;
}

export interface RunOptions {
  relay: RelayForZvt;
  clock: Clock;
  timers: Timers;
  ids: Ids;
  timeoutMs: number;
  graceMs: number;
  /** The partner of the route as it is now; null: it may not pay. */
  callerOf(): Caller | null;
  /** Whether no register follows it at any node; asked before it is cancelled for that. Rejects with RelayError `unavailable`. */
  isAbandoned(): Promise<boolean>;
  failed(what: string, error: unknown): void;
}

/** One payment on its way, on this node. */
export interface PaymentRun {
  /** Takes the place of the follower before, who is told so. */
  attach(follower: ZvtFollower, intermediateStatus: boolean): void;
  cancel(): void;
  /** Nobody follows it any more. */
  disconnect(): void;
  /** Resolves once it has ended, or is not followed on: null where the relay knows nothing of it and it may not be sent. Never rejects. */
  readonly ended: Promise<ZvtOutcome | null>;
  /** Who is to be told of the end. */
  follower(): ZvtFollower | null;
}

/** How long a store that does not answer is asked again, with the same uuid. */
const UNAVAILABLE_MAX_MS = 60_000;
const AGAIN_MS = 500;

/** How long one look waits for the end: a change from waiting to sent wakes nobody, and is to be told within a moment. */
const LOOK_WAITING_MS = 250;
const LOOK_MS = 1_000;

/** A register without intermediate status waits 180 s (T4): it is cancelled before, and at last told nothing rather than a guess. */
const CANCEL_WITHOUT_STATUS_MS = 150_000;
const GIVE_UP_WITHOUT_STATUS_MS = 170_000;

export function startPaymentRun(order: RunOrder, options: RunOptions): PaymentRun {
  const { open, service, tid } = order;
  const { relay, clock, timers, ids, timeoutMs, graceMs, callerOf, isAbandoned, failed } = options;
  const { uuid, terminalId, amountCents, currency, acceptedAtMs } = open;
  // Bitmap 49 has the number of ISO 4217 in four digits.
  const body = { uuid, amount: amountCents, service, currency: currency.slice(1) };
  let follower: ZvtFollower | null = null;
  let progress: ZvtProgress = "waiting";
  let hasStatus = true;
  let attachedAtMs = acceptedAtMs;
  let goneAtMs: number | null = null;
  let cancelWanted = false;
  /** A cancel was answered, by whatever: it is not asked for again. */
  let cancelAsked = false;
  /** The relay has a command of it. */
  let isCommand = false;

  function pause(): Promise<void> {
    return new Promise((resolve) => timers.set(AGAIN_MS, resolve));
  }

  function tell(next: ZvtProgress): void {
    if (next === progress) return;
    progress = next;
    follower?.progress(next);
  }

  function timeoutAtMs(): number {
    return acceptedAtMs + (hasStatus ? timeoutMs : Math.min(timeoutMs, CANCEL_WITHOUT_STATUS_MS));
  }

  /** The time from which a cancel is due, though nobody asks for it. */
  function cancelDueMs(): number {
    return goneAtMs === null ? timeoutAtMs() : Math.min(timeoutAtMs(), goneAtMs + graceMs);
  }

  async function isCancelDue(): Promise<boolean> {
    if (cancelWanted || cancelAsked || clock.nowMs() >= timeoutAtMs()) return true;
    if (clock.nowMs() < cancelDueMs()) return false;
    const goneSinceMs = goneAtMs;
    if (await isAbandoned()) return true;
    // Its register has come to another node, which sees to it.
    if (goneAtMs === goneSinceMs) goneAtMs = null;
    return false;
  }

  /** The command as it would have been sent. */
  function command(): Command {
    const caller = callerOf();
    const acceptance = { sender: caller === null ? "" : senderOf(caller), acceptedAtMs: clock.nowMs(), request: ids.uuid() };
    return buildPayment(readPaymentRequest(body, terminalId), null, acceptance);
  }

  /** Nothing can be charged for it from here on; or it was accepted after all, and is followed (null). */
  async function giveUp(code: number): Promise<ZvtOutcome | null> {
    return (await relay.claimCancelled(command())) === "claimed" ? { type: "notPaid", code, receipt: null } : null;
  }

  async function isKnown(): Promise<boolean> {
    return (await relay.terminals.command(uuid, 0)) !== null;
  }

  /** One try to make it a command. `known`: it is one. An outcome: it never will be. */
  async function trySending(): Promise<"known" | ZvtOutcome> {
    if (await isCancelDue()) return (await isKnown()) ? "known" : ((await giveUp(ZVT_CODES.cancelled)) ?? "known");
    if (clock.nowMs() >= acceptedAtMs + SEND_WITHIN_MS) return (await isKnown()) ? "known" : ((await giveUp(ZVT_CODES.busy)) ?? "known");
    const caller = callerOf();
    if (caller === null || !maySend(caller, terminalId)) return (await giveUp(ZVT_CODES.notPermitted)) ?? "known";
    const outcome = await sent(caller);
    if (outcome === "refused") return (await giveUp(ZVT_CODES.currency)) ?? "known";
    return outcome === "queue_full" ? ((await giveUp(ZVT_CODES.busy)) ?? "known") : "known";
  }

  /** `refused`: the body is right in all but its currency, which is not the one that is configured for the terminal. */
  async function sent(caller: Caller): Promise<"known" | "queue_full" | "refused"> {
    try {
      const { outcome } = await relay.sendPayment(caller, terminalId, body, acceptedAtMs + SEND_WITHIN_MS);
      return outcome.type === "queue_full" ? "queue_full" : "known";
    } catch (error) {
      if (error instanceof RelayError && error.code === "invalid_request") return "refused";
      throw error;
    }
  }

  async function send(): Promise<"known" | ZvtOutcome> {
    const untilMs = clock.monotonicMs() + UNAVAILABLE_MAX_MS;
    for (;;) {
      try {
        return await trySending();
      } catch (error) {
        if (!isPassing(error)) failed("zvt payment", error);
      }
      if (clock.monotonicMs() >= untilMs) return { type: "unknown" };
      await pause();
    }
  }

  async function askForCancel(): Promise<void> {
    if (cancelAsked) return;
    cancelAsked = true;
    try {
      await relay.terminals.cancel({ uuid, cancelUuid: ids.uuid() });
      tell("cancelling");
    } catch (error) {
      cancelAsked = false;
      if (!isPassing(error)) failed("zvt cancel", error);
      await pause();
    }
  }

  async function cancelIfDue(): Promise<void> {
    try {
      if (await isCancelDue()) await askForCancel();
    } catch (error) {
      if (!isPassing(error)) failed("zvt cancel", error);
      await pause();
    }
  }

  /** A register that gets no intermediate status has given up soon. */
  function isGivenUp(): boolean {
    return follower !== null && !hasStatus && clock.nowMs() >= attachedAtMs + GIVE_UP_WITHOUT_STATUS_MS;
  }

  async function look(): Promise<CommandView | null | "unavailable"> {
    const dueInMs = cancelAsked ? LOOK_MS : cancelDueMs() - clock.nowMs();
    const waitMs = Math.min(progress === "waiting" ? LOOK_WAITING_MS : LOOK_MS, Math.max(1, dueInMs));
    try {
      return await relay.terminals.command(uuid, waitMs);
    } catch (error) {
      if (!isPassing(error)) failed("zvt look-up", error);
      await pause();
      return "unavailable";
    }
  }

  async function follow(): Promise<ZvtOutcome> {
    isCommand = true;
    for (;;) {
      await cancelIfDue();
      const view = await look();
      // Whose store forgets an accepted command has lost some of its history.
      if (view === null) return { type: "unknown" };
      if (view !== "unavailable") {
        const outcome = outcomeOf(view, { ...open, tid });
        if (outcome !== null) return outcome;
        tell(view.cancelRequested || cancelWanted ? "cancelling" : view.state === "sent" ? "sent" : "waiting");
      }
      if (isGivenUp()) return { type: "unknown" };
    }
  }

  async function run(): Promise<ZvtOutcome | null> {
    // Whoever started it attaches first; who has gone again by now was not answered, and asks again.
    await null;
    if (order.maySendIt && follower === null) return null;
    if (!order.maySendIt) {
      const view = await look();
      if (view === null || view === "unavailable") return null;
      return follow();
    }
    const sent = await send();
    return sent === "known" ? follow() : sent;
  }

  return {
    attach: (next, intermediateStatus) => {
      const before = follower;
      follower = next;
      hasStatus = intermediateStatus;
      attachedAtMs = clock.nowMs();
      goneAtMs = null;
      before?.replaced();
      const at = progress;
      timers.soon(() => {
        if (follower === next && progress === at) next.progress(at);
      });
    },
    cancel: () => {
      cancelWanted = true;
      if (isCommand) void askForCancel();
    },
    disconnect: () => {
      follower = null;
      goneAtMs = clock.nowMs();
    },
    ended: run().catch((error: unknown) => {
      failed("zvt payment", error);
      return { type: "unknown" } as const;
    }),
    follower: () => follower,
  };
}

const PASSING: ReadonlySet<string> = new Set(["unavailable", "too_busy", "terminal_queue_full"]);

/** The store or a home does not answer, or has too much to do: it is asked again. */
function isPassing(error: unknown): boolean {
  return error instanceof RelayError && PASSING.has(error.code);
}
