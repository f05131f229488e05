import { RelayError } from "../kernel/errors.ts";
import { isTerminalId, isUuid } from "../kernel/identifiers.ts";
import { AMOUNT_MINOR_MAX } from "../kernel/limits.ts";
import { maskPans } from "../kernel/mask.ts";
import { currencyDecimals } from "../kernel/money.ts";
import type { DisputeCase, DisputeDraft } from "./dispute.ts";
import { DISPUTE_CATEGORIES, DISPUTE_FIELD_LENGTH_MAX, DISPUTE_FIELDS_MAX, DISPUTE_STAGES, DISPUTE_STATEMENT_LENGTH_MAX } from "./words.ts";

const NETWORK = /^[A-Z][A-Z0-9_]{1,31}$/;
const CASE_ID = /^[A-Za-z0-9._:-]{1,64}$/;
/** A card number does not fit. */
const REASON_CODE = /^[A-Za-z0-9._-]{1,12}$/;
const ALERT_ID = /^al_[a-z0-9]{24}$/;
const FIELD_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** Deadlines of networks are weeks ahead. A longer time indicates a mistake in the units. */
const RESPOND_MAX_MS = 400 * 86_400_000;

/** Throws RelayError `invalid_request` naming the member. */
export function checkedCase(given: DisputeCase, atMs: number): DisputeCase {
  const { network, networkCaseId, stage, uuid, terminalId, amountMinor, currency, reasonCode, category, respondByMs, alertId } = given;
  if (!NETWORK.test(network)) throw invalid("network", "must be a name such as VISA");
  if (!CASE_ID.test(networkCaseId)) throw invalid("networkCaseId", "must have 1 to 64 letters, digits or any of . _ : -");
  if (!DISPUTE_STAGES.includes(stage)) throw invalid("stage", `must be one of ${DISPUTE_STAGES.join(", ")}`);
  if (uuid !== null && !isUuid(uuid)) throw invalid("uuid", "must be the uuid of a transaction");
  if (terminalId !== null && !isTerminalId(terminalId)) throw invalid("terminalId", "must be the id of a terminal");
  checkAmount(amountMinor, currency);
  if (!REASON_CODE.test(reasonCode)) throw invalid("reasonCode", "must have 1 to 12 letters, digits or any of . _ -");
  if (!DISPUTE_CATEGORIES.includes(category)) throw invalid("category", `must be one of ${DISPUTE_CATEGORIES.join(", ")}`);
  checkRespondBy(respondByMs, atMs);
  if (alertId !== null && !ALERT_ID.test(alertId)) throw invalid("alertId", "must be the id of an alert");
  return { network, networkCaseId, stage, uuid, terminalId, amountMinor, currency, reasonCode, category, respondByMs, alertId };
}

export function checkAmount(amountMinor: number, currency: string): void {
  if (!Number.isSafeInteger(amountMinor) || amountMinor < 1 || amountMinor > AMOUNT_MINOR_MAX) {
    throw invalid("amountMinor", `must be a whole number of minor units from 1 to ${AMOUNT_MINOR_MAX}`);
  }
  if (currencyDecimals(currency) === null) throw invalid("currency", "must be an ISO 4217 code such as EUR");
}

export function checkRespondBy(respondByMs: number, atMs: number): void {
  if (!Number.isSafeInteger(respondByMs) || respondByMs <= atMs || respondByMs > atMs + RESPOND_MAX_MS) {
    throw invalid("respondBy", "must be a future time within 400 days");
  }
}

/** Masks card numbers. Throws RelayError `invalid_request` naming the member, without its text. */
export function checkedDraft({ statement, fields }: DisputeDraft): DisputeDraft {
  const names = Object.keys(fields);
  if (names.length > DISPUTE_FIELDS_MAX) throw invalid("fields", `may have at most ${DISPUTE_FIELDS_MAX} members`);
  const checked: [string, string][] = names.map((name) => {
    if (!FIELD_NAME.test(name) || maskPans(name) !== name) throw invalid("fields", "must have names of letters, digits and _");
    return [name, checkedText(`fields.${name}`, fields[name] ?? "", DISPUTE_FIELD_LENGTH_MAX)];
  });
  const text = statement === null ? "" : checkedText("statement", statement, DISPUTE_STATEMENT_LENGTH_MAX);
  return { statement: text.trim() === "" ? null : text, fields: Object.fromEntries(checked) };
}

function checkedText(member: string, text: string, lengthMax: number): string {
  if (text.length > lengthMax) throw invalid(member, `may have at most ${lengthMax} characters`);
  // A statement may have line breaks and tabs. Half a surrogate pair is no character.
  if (/(?![\t\n\r])[\p{Cs}\p{Cc}]/u.test(text)) throw invalid(member, "may have no control characters");
  return maskPans(text);
}

export function invalid(member: string, demand: string): RelayError {
  return new RelayError("invalid_request", `${member}: ${demand}`);
}
