import { text } from "../../i18n/texts.ts";

/** Why a payment was not given back: a word of the relay's, or what the gateway has said. */
export function refusedText(detail: string | null): string {
  const { transactions, alerts } = text();
  const known: Readonly<Record<string, string>> = { ...transactions.refundReasons, ...alerts.refusals };
  return (detail !== null && Object.hasOwn(known, detail) ? known[detail] : undefined) ?? alerts.say.refused(detail ?? "");
}
