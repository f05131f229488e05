import { RelayError } from "../kernel/errors.ts";
import { type Command, type CommandKind, expiresAtMs } from "./command.ts";
import {
  type Acceptance,
  isAbsent,
  isPaymentService,
  type JsonObject,
  readObject,
  readTerminalId,
  readUuid,
  writePayload,
} from "./payment-request.ts";
import type { TransactionMethod } from "./transaction.ts";

/** Characters of a print text or QR content: some metres of slip, and more than a QR code holds. */
export const PRINT_TEXT_CHARS_MAX = 4_096;
/** Characters of the caption above a QR code. */
export const PRINT_LABEL_CHARS_MAX = 256;

const SERVICE_WORD = /^[A-Z0-9_]{1,32}$/;

/** What a SCAN, PRINT or administrator command needs beside its body. */
export interface UtilityContext extends Acceptance {
  terminalId: string;
  /** Taken where the body has no uuid. */
  generatedUuid: string;
}

/** A SCAN command (`POST /api/v1/{terminalId}/scan`); the body is optional. Throws RelayError `invalid_request`. */
export function buildScan(body: unknown, context: UtilityContext): Command {
  return buildUtility(readOptionalObject(body), context, { kind: "scan", service: "SCAN", method: "SCAN" });
}

/** A PRINT command (`POST /api/v1/{terminalId}/print`). Throws RelayError `invalid_request`. */
export function buildPrint(body: unknown, context: UtilityContext): Command {
  const { label, ...others } = readObject(body);
  // Forms send a caption that nobody filled in as an empty one.
  const members = label === "" ? others : readObject(body);
  checkPrint(members);
  return buildUtility(members, context, { kind: "print", service: "PRINT", method: "PRINT" });
}

/**
 * A command that an administrator queues (`POST /admin/terminal/{terminalId}/command`): SCAN and PRINT as their own endpoints would have it, and any
 * other service word. Payments and CANCEL are refused: they have their own ways. Throws RelayError `invalid_request`.
 */
export function buildAdministrative(body: unknown, context: UtilityContext): Command {
  const members = readObject(body);
  const { service } = members;
  if (typeof service !== "string" || !SERVICE_WORD.test(service)) {
    throw new RelayError("invalid_request", "service must be 1 to 32 of A-Z, 0-9 and underscore");
  }
  if (isPaymentService(service) || service === "CANCEL") throw new RelayError("invalid_request", "service cannot be sent as a command");
  if (service === "SCAN") return buildScan(members, context);
  if (service === "PRINT") return buildPrint(members, context);
  return buildUtility(members, context, { kind: "administrative", service, method: "UNKNOWN" });
}

/** The CANCEL command that asks a terminal to stop a command that was already sent to it; `uuid` is the CANCEL's own. */
export function buildCancel(target: { uuid: string; terminalId: string }, uuid: string, acceptance: Omit<Acceptance, "request">): Command {
  const { terminalId } = target;
  return {
    uuid,
    terminalId,
    kind: "cancel",
    service: "CANCEL",
    amountCents: 0,
    method: "UNKNOWN",
    sender: acceptance.sender,
    acceptedAtMs: acceptance.acceptedAtMs,
    expiresAtMs: expiresAtMs(acceptance.acceptedAtMs),
    payload: JSON.stringify({ uuid, service: "CANCEL", amount: 0, terminalId, cancels: target.uuid }),
    cancels: target.uuid,
  };
}

function buildUtility(
  members: JsonObject,
  context: UtilityContext,
  is: { kind: CommandKind; service: string; method: TransactionMethod },
): Command {
  const { service, amount } = members;
  if (!isAbsent(service) && service !== is.service) throw new RelayError("invalid_request", `service must be ${is.service}`);
  if (!isAbsent(amount) && amount !== 0) throw new RelayError("invalid_request", "amount must be 0");
  const uuid = readUuid(members) ?? context.generatedUuid;
  const terminalId = readTerminalId(members, context.terminalId);
  return {
    uuid,
    terminalId,
    kind: is.kind,
    service: is.service,
    amountCents: 0,
    method: is.method,
    sender: context.sender,
    acceptedAtMs: context.acceptedAtMs,
    expiresAtMs: expiresAtMs(context.acceptedAtMs),
    payload: writePayload(members, { uuid, service: is.service, amount: 0, terminalId }),
    request: context.request,
  };
}

function readOptionalObject(body: unknown): JsonObject {
  return body === undefined || body === null ? {} : readObject(body);
}

function checkPrint({ type, text, label }: JsonObject): void {
  if (type !== undefined && type !== null && type !== "qr" && type !== "text") {
    throw new RelayError("invalid_request", "type must be qr or text");
  }
  if (isAbsent(text)) throw new RelayError("invalid_request", "text is required");
  if (typeof text !== "string" || text === "" || text.length > PRINT_TEXT_CHARS_MAX) {
    throw new RelayError("invalid_request", `text must be a string of 1 to ${PRINT_TEXT_CHARS_MAX} characters`);
  }
  if (label === undefined || label === null) return;
  if (type !== "qr") throw new RelayError("invalid_request", "label goes only with type qr");
  if (typeof label !== "string" || label.length > PRINT_LABEL_CHARS_MAX) {
    throw new RelayError("invalid_request", `label must be a string of at most ${PRINT_LABEL_CHARS_MAX} characters`);
  }
}
