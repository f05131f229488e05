import { type Caller, isAdmittedByAny, maySend, notPermitted, senderOf } from "../access/caller.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Ids } from "../kernel/ids.ts";
import type { Command } from "../payments/command.ts";
import { buildPayment, readPaymentRequest, requireCurrency } from "../payments/payment-request.ts";
import { isTerminalFamily, TERMINAL_FAMILIES, type TerminalFamily } from "../payments/tags.ts";
import { buildAdministrative, buildPrint, buildScan, type UtilityContext } from "../payments/utility-request.ts";
import type { AcceptOutcome, Terminals } from "./terminals.ts";

export interface PaymentRequested {
  terminalId: string;
  uuid: string;
  outcome: AcceptOutcome;
}

/**
 * Sends a payment to a terminal. `terminalId` is null where the body names it. `acceptBeforeMs`: later it is not accepted any more (`unavailable`). Rejects with
 * RelayError `invalid_request`, `forbidden`, `unavailable`.
 */
export type SendPayment = (caller: Caller, terminalId: string | null, body: unknown, acceptBeforeMs?: number) => Promise<PaymentRequested>;

export interface SendPaymentOptions {
  terminals: Terminals;
  clock: Clock;
  ids: Ids;
  /** What is administered of a terminal: its family, which wins over what its device tells, and the currency that it takes payments in. */
  configured?(terminalId: string): { readonly family: string | null; readonly currency?: string } | undefined;
}

export function createSendPayment({ terminals, clock, ids, configured = () => undefined }: SendPaymentOptions): SendPayment {
  const nextRequest = createRequestNames(ids);

  /** Only the tag services depend on the family, so that no other payment has to ask for it. */
  async function familyOf(terminalId: string): Promise<TerminalFamily | null> {
    const family = configured(terminalId)?.family ?? (await terminals.view(terminalId)).device.family;
    return family !== undefined && isTerminalFamily(family) ? TERMINAL_FAMILIES[family] : null;
  }

  return async (caller, terminalId, body, acceptBeforeMs) => {
    const request = readPaymentRequest(body, terminalId);
    if (!maySend(caller, request.terminalId)) throw notPermitted(caller);
    const currency = configured(request.terminalId)?.currency;
    if (currency !== undefined) requireCurrency(request, currency);
    const tagged = request.service === "PAYTAG" || request.service === "VERIFYTAG" || Object.keys(request.tags).length > 0;
    const family = tagged ? await familyOf(request.terminalId) : null;
    const command = buildPayment(request, family, { sender: senderOf(caller), acceptedAtMs: clock.nowMs(), request: nextRequest() });
    noteAdmission(command, caller);
    if (acceptBeforeMs !== undefined) command.acceptBeforeMs = acceptBeforeMs;
    const outcome = await terminals.accept(command);
    return { terminalId: request.terminalId, uuid: request.uuid, outcome };
  };
}

/** Hex digits: their 62 random bits tell apart all processes that ever are, and stand in the record of each command. */
const PREFIX_DIGITS = 16;

/** Names for `Command.request`: a random part for all of this process, and a number. A random uuid for each costs a payment two microseconds. */
export function createRequestNames(ids: Ids): () => string {
  const prefix = `${ids.uuid().replaceAll("-", "").slice(-PREFIX_DIGITS)}-`;
  let count = 0;
  return () => {
    count += 1;
    return prefix + count.toString(36);
  };
}

/** The bounds of what a sender may hold (shares.ts) depend on it, wherever the command's home is. */
function noteAdmission(command: Command, caller: Caller): void {
  if (isAdmittedByAny(caller)) command.byAny = true;
}

export type UtilityCommand = "scan" | "print" | "administrative";

export interface UtilitySent {
  command: Command;
  outcome: AcceptOutcome;
}

/** Sends a SCAN, PRINT or administrator command. `onlyIdle`: rejects with `conflict` while another command waits or has been sent. Throws RelayError `invalid_request`, `forbidden`, `unavailable`. */
export type SendUtility = (
  kind: UtilityCommand,
  caller: Caller,
  terminalId: string,
  body: unknown,
  options?: { readonly onlyIdle: true },
) => Promise<UtilitySent>;

const BUILDERS: Record<UtilityCommand, (body: unknown, context: UtilityContext) => Command> = {
  scan: buildScan,
  print: buildPrint,
  administrative: buildAdministrative,
};

export function createSendUtility({ terminals, clock, ids }: { terminals: Terminals; clock: Clock; ids: Ids }): SendUtility {
  const nextRequest = createRequestNames(ids);
  return async (kind, caller, terminalId, body, options) => {
    if (!maySend(caller, terminalId)) throw notPermitted(caller);
    const generatedUuid = ids.uuid();
    const context = { terminalId, generatedUuid, sender: senderOf(caller), acceptedAtMs: clock.nowMs(), request: nextRequest() };
    const command = BUILDERS[kind](body, context);
    noteAdmission(command, caller);
    if (options !== undefined) command.onlyIdle = options.onlyIdle;
    return { command, outcome: await terminals.accept(command) };
  };
}
