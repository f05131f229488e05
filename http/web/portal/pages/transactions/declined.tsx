import type { DeclineFacts } from "../../../../../engine/payments/declines.ts";
import { declineAsItCame, declineWords } from "../../i18n/decline-text.ts";

/** Explains why a payment was declined and what to do next, beside the code as it came. */
export function Declined({ facts }: { facts: DeclineFacts }) {
  const words = declineWords(facts);
  const raw = declineAsItCame(facts);
  return (
    <div class="sum decline">
      {words !== null && (
        <>
          <p>
            <strong>{words.reason}</strong>
          </p>
          <p>{words.next}</p>
        </>
      )}
      {raw !== "" && <p class="muted break">{raw}</p>}
    </div>
  );
}
