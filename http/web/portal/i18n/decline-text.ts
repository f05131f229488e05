import { type DeclineFacts, type DeclineWords, declineReasonOf, declineWordsOf } from "../../../../engine/payments/declines.ts";
import { locale, text } from "./texts.ts";

/** Returns the reason of a declined payment in words; null if its code and message are unknown. */
export function declineWords(facts: DeclineFacts): DeclineWords | null {
  const reason = declineReasonOf(facts);
  return reason === null ? null : declineWordsOf(reason, locale.value);
}

/** Returns the code, the message and the state at Satispay as they came; empty if there is none. */
export function declineAsItCame({ actionCode, message, satispayStatus }: DeclineFacts): string {
  return [
    isEmpty(actionCode) ? null : text().overview.codeOf(actionCode),
    isEmpty(message) ? null : message,
    isEmpty(satispayStatus) ? null : `Satispay: ${satispayStatus}`,
  ]
    .filter((part) => part !== null)
    .join(" · ");
}

/** Returns the reason in one line with what came beside it; null if nothing is known. */
export function declineLine(facts: DeclineFacts): string | null {
  const [words, raw] = [declineWords(facts), declineAsItCame(facts)];
  if (words === null) return raw === "" ? null : raw;
  return raw === "" ? words.reason : `${words.reason} (${raw})`;
}

function isEmpty(value: string | null | undefined): value is "" | null | undefined {
  return value === "" || value === null || value === undefined;
}
