import { text } from "../../i18n/texts.ts";

/** Explains why a refund was rejected, from a code of the relay or the gateway's message. */
export function refusedText(detail: string | null): string {
  const { transactions, alerts } = text();
  const known: Readonly<Record<string, string>> = { ...transactions.refundReasons, ...alerts.refusals };
  return (detail !== null && Object.hasOwn(known, detail) ? known[detail] : undefined) ?? alerts.say.refused(detail ?? "");
}
