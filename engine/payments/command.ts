import { COMMAND_LIFETIME_MS, PAYMENT_UNKNOWN_AFTER_MS, UTILITY_UNKNOWN_AFTER_MS } from "../kernel/limits.ts";
import type { TransactionMethod } from "./transaction.ts";

/** PAYCC is a card payment, PAYTAG one with proprietary tags, VERIFYTAG a check of a card without a charge, PAYBP a voucher, PAYSAT Satispay. */
export const PAYMENT_SERVICES = ["PAYCC", "PAYTAG", "VERIFYTAG", "PAYBP", "PAYSAT"] as const;
export type PaymentService = (typeof PAYMENT_SERVICES)[number];

/** What a command is to the relay; `administrative` is anything an administrator queues (LOGCAT and the like). */
export type CommandKind = "payment" | "scan" | "print" | "administrative" | "cancel";

/**
 * The life of a command: queued → sent → done | unknown; queued → expired | cancelled; sent → cancelled only on the terminal's
 * own word. `expired` and `cancelled` never left or were not executed, so charging again is safe; after `unknown` it is not.
 */
export type CommandState = "queued" | "sent" | "done" | "unknown" | "expired" | "cancelled";

/** How a command left the relay. */
export type Channel = "websocket" | "poll";

/** A command as it was accepted; none of this ever changes. */
export interface Command {
  uuid: string;
  terminalId: string;
  kind: CommandKind;
  /** Upper-case service word on the wire: PAYCC, SCAN, LOGCAT, ... */
  service: string;
  /** Minor units; 0 for everything that is not a charge. */
  amountCents: number;
  /** The method that a result of this command has when the result itself does not tell. */
  method: TransactionMethod;
  /** Who sent it, as `senderOf` in engine/access/caller.ts writes it; decides who else may see it. */
  sender: string;
  acceptedAtMs: number;
  expiresAtMs: number;
  /** JSON object text as the terminal gets it, less what is only known when it is sent (see `withDelivery`); empty once it has ended (`withoutPayload`). */
  payload: string;
  /** Names the request that sent it: one request that is carried out twice is not a repeated uuid. */
  request?: string;
  /** For a CANCEL command: the uuid that it wants cancelled. */
  cancels?: string;
  /** It is accepted before this time or not at all, whichever node comes to it when; of no meaning later, and not stored. Absent: whenever. */
  acceptBeforeMs?: number;
  /** It is accepted only while no other command of its terminal waits or has been sent; of no meaning later, and not stored. */
  onlyIdle?: true;
  /**
   * The merchant whose it is, as administered when it was accepted; null for none. What is administered later changes nothing. Absent in what was accepted
   * before this was kept.
   */
  shop?: string | null;
  /** ISO 4217 code: what its sender named, or what is configured for the terminal. Absent where neither did, and then the result's currency counts. */
  currency?: string;
  /** Nothing but rule ANY let its sender send to the terminal (`isAdmittedByAny` in engine/access/caller.ts). Absent otherwise. */
  byAny?: true;
}

/**
 * A command that has ended, as it is kept: its terminal gets it no more, and what its sender wrote (texts, references, perhaps a card number) is
 * kept for nobody. What look-ups, repeated uuids and a restore need stands in the other members.
 */
export function withoutPayload(command: Command | null): Command | null {
  return command === null || command.payload === "" ? command : { ...command, payload: "" };
}

/** How long after being sent a command without a result is shown as `unknown`. */
export function unknownAfterMs(kind: CommandKind): number {
  return kind === "payment" ? PAYMENT_UNKNOWN_AFTER_MS : UTILITY_UNKNOWN_AFTER_MS;
}

/**
 * A time of a command's life as it is told: never before what it follows, though that was told by the clock of another machine, or of this one before it was
 * set. (What a terminal's record holds stays as its clock said it, since that also tells takes from each other.)
 */
export function notBefore(atMs: number, earlierMs: number): number {
  return Math.max(atMs, earlierMs);
}

/** When a command accepted now expires if it has not left. */
export function expiresAtMs(acceptedAtMs: number): number {
  return acceptedAtMs + COMMAND_LIFETIME_MS;
}

/** What is added to a payload at the moment it is sent. */
export interface Delivery {
  expiresAtMs: number;
  serverTimeMs: number;
  /** 1 for the first time; more only for clients that declared that they remember uuids, and after a NACK. */
  attempt: number;
}

/** Members that the relay writes at delivery; a partner's own of these names are dropped at acceptance. */
export const DELIVERY_MEMBERS = ["expiresAt", "serverTime", "redelivered", "attempt"] as const;

/** The JSON text that the terminal gets: the stored payload with `expiresAt`, `serverTime` and, on a repeat, `redelivered` and `attempt`. */
export function withDelivery(payload: string, delivery: Delivery): string {
  const expiresAt = new Date(delivery.expiresAtMs).toISOString();
  const serverTime = new Date(delivery.serverTimeMs).toISOString();
  const repeat = delivery.attempt > 1 ? `,"redelivered":true,"attempt":${delivery.attempt}` : "";
  return `${payload.slice(0, -1)},"expiresAt":"${expiresAt}","serverTime":"${serverTime}"${repeat}}`;
}
