import { terminalOfTopic } from "../../engine/access/topic-access.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import { isTerminalId } from "../../engine/kernel/identifiers.ts";
import type { FrameHead, StompFrame, StompVersion } from "./frame.ts";
import { CLIENT_TOKEN_LENGTH_MAX } from "./limits.ts";
import type { AckMode } from "./subscriptions.ts";

/** Readers of the frames that a connected client sends. All throw RelayError `invalid_request` saying what is wrong. */

export interface SubscribeRequest {
  id: string | undefined;
  destination: string;
  terminalId: string;
  ackMode: AckMode;
  /** The client declares that it remembers uuids (ARCHITECTURE.md, promise 2); heeded for `client-individual` only. */
  redeliver: boolean;
}

export function readSubscribe(frame: StompFrame, version: StompVersion): SubscribeRequest {
  const id = token(frame, "id");
  if (id === undefined && version !== "1.0") throw missing("id");
  const destination = required(frame, "destination");
  const terminalId = terminalOfTopic(destination);
  if (terminalId === null) throw new RelayError("invalid_request", "destination must be /topic/terminal/{terminalId}");
  const ackMode = frame.headers.get("ack") ?? "auto";
  if (ackMode !== "auto" && ackMode !== "client" && ackMode !== "client-individual") {
    throw new RelayError("invalid_request", "ack must be auto, client or client-individual");
  }
  const redeliver = ackMode === "client-individual" && frame.headers.get("redeliver") === "same-uuid";
  return { id, destination, terminalId, ackMode, redeliver };
}

export function readUnsubscribe(frame: StompFrame, version: StompVersion): { id: string | undefined; destination: string | undefined } {
  const id = token(frame, "id");
  const destination = frame.headers.get("destination");
  if (id === undefined && (version !== "1.0" || destination === undefined)) throw missing("id");
  return { id, destination };
}

/** `subscriptionId` is undefined where the version does not want one. */
export function readAcknowledgement(frame: StompFrame, version: StompVersion): { messageId: string; subscriptionId: string | undefined } {
  refuseTransaction(frame);
  switch (version) {
    case "1.2":
      return { messageId: required(frame, "id"), subscriptionId: undefined };
    case "1.1":
      return { messageId: required(frame, "message-id"), subscriptionId: required(frame, "subscription") };
    case "1.0":
      if (frame.command === "NACK") throw new RelayError("invalid_request", "NACK needs STOMP 1.1 or 1.2");
      return { messageId: required(frame, "message-id"), subscriptionId: frame.headers.get("subscription") };
  }
}

const SEND_DESTINATION = /^\/app\/terminal\/([^/]+)\/(receipt|ping)$/;

/** `bodyText` is null for bytes that are no UTF-8. */
export type SendRequest = { type: "receipt"; terminalId: string; bodyText: string | null } | { type: "ping"; terminalId: string };

export function readSend(frame: StompFrame): SendRequest {
  refuseTransaction(frame);
  const match = SEND_DESTINATION.exec(required(frame, "destination"));
  const terminalId = match?.[1];
  if (terminalId === undefined || !isTerminalId(terminalId)) {
    throw new RelayError("invalid_request", "destination must be /app/terminal/{terminalId}/receipt or /app/terminal/{terminalId}/ping");
  }
  if (match?.[2] === "ping") return { type: "ping", terminalId };
  return { type: "receipt", terminalId, bodyText: bodyText(frame) };
}

/** The receipt that the client asks for, if it does. */
export function readReceipt(frame: StompFrame): string | undefined {
  return token(frame, "receipt");
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function bodyText(frame: StompFrame): string | null {
  try {
    return decoder.decode(frame.body);
  } catch {
    return null;
  }
}

/** The terminal of a SEND of a result of which only the head can be read; null for anything else. */
export function receiptDestination({ command, headers }: FrameHead): string | null {
  const [, terminalId = "", what] = SEND_DESTINATION.exec(command === "SEND" ? (headers.get("destination") ?? "") : "") ?? [];
  return what === "receipt" && isTerminalId(terminalId) ? terminalId : null;
}

function refuseTransaction(frame: StompFrame): void {
  if (frame.headers.has("transaction")) throw new RelayError("invalid_request", "Transactions are not supported");
}

function required(frame: StompFrame, name: string): string {
  const value = frame.headers.get(name);
  if (value === undefined || value === "") throw missing(name);
  return value;
}

/** A header that is stored and echoed. */
function token(frame: StompFrame, name: string): string | undefined {
  const value = frame.headers.get(name);
  if (value !== undefined && value.length > CLIENT_TOKEN_LENGTH_MAX) {
    throw new RelayError("invalid_request", `The header ${name} is longer than ${CLIENT_TOKEN_LENGTH_MAX} characters`);
  }
  return value;
}

function missing(name: string): RelayError {
  return new RelayError("invalid_request", `The header ${name} is missing`);
}
