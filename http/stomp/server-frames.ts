import type { ErrorCode, RelayError } from "../../engine/kernel/errors.ts";
import { VersionError } from "./connect-frame.ts";
import { type Headers, STOMP_VERSIONS, type StompVersion, serializeFrame } from "./frame.ts";
import type { HeartBeats } from "./negotiation.ts";
import type { Subscription } from "./subscriptions.ts";

export function connectedFrame(connected: { version: StompVersion; server: string; session: string; heartBeats: HeartBeats }): string {
  const { version, heartBeats } = connected;
  const headers: [string, string][] = [["version", version]];
  headers.push(["server", connected.server], ["session", connected.session]);
  if (version !== "1.0") headers.push(["heart-beat", `${heartBeats.sendMs},${heartBeats.receiveMs}`]);
  return serializeFrame(version, "CONNECTED", headers);
}

export function messageFrame(version: StompVersion, subscription: Subscription, messageId: string, body: string): string {
  const headers: [string, string][] = [];
  if (subscription.id !== undefined) headers.push(["subscription", subscription.id]);
  headers.push(["message-id", messageId], ["destination", subscription.destination]);
  if (version === "1.2" && subscription.ackMode !== "auto") headers.push(["ack", messageId]);
  headers.push(["content-type", "application/json"]);
  return serializeFrame(version, "MESSAGE", headers, body);
}

export function receiptFrame(version: StompVersion, receiptId: string): string {
  return serializeFrame(version, "RECEIPT", [["receipt-id", receiptId]]);
}

/** `command` and `receiptId` are those of the frame that the error is about, undefined without one. */
export function errorFrame(
  version: StompVersion,
  error: RelayError,
  about: { command: string; receiptId: string | undefined } | null,
): string {
  const headers: [string, string][] = [
    ["message", error.message],
    ["code", error.code],
  ];
  if (error.retryAfterSeconds !== undefined) headers.push(["retry-after", String(error.retryAfterSeconds)]);
  if (about?.receiptId !== undefined) headers.push(["receipt-id", about.receiptId]);
  const versions: Headers = error instanceof VersionError ? [["version", STOMP_VERSIONS.join(",")]] : [];
  const type: Headers = [["content-type", "text/plain"]];
  const subject =
    about === null ? "The relay closes the connection" : `The relay did not execute ${about.command} and closes the connection`;
  return serializeFrame(version, "ERROR", [...versions, ...headers, ...type], `${subject}: ${error.message}\n`);
}

/** WebSocket close codes (RFC 6455, 7.4.1, and 1013 of the IANA registry) after an ERROR. */
export const CLOSE_CODES: Record<ErrorCode, number> = {
  invalid_request: 1002,
  unauthorized: 1008,
  forbidden: 1008,
  not_found: 1008,
  method_not_allowed: 1002,
  upgrade_required: 1002,
  duplicate: 1008,
  conflict: 1008,
  terminal_queue_full: 1013,
  rate_limited: 1013,
  too_busy: 1013,
  payload_too_large: 1009,
  head_too_large: 1009,
  unsupported_media_type: 1003,
  expectation_failed: 1002,
  request_timeout: 1008,
  unavailable: 1013,
  internal: 1011,
};
