import type { MerchantJson } from "../../../../surfaces/admin/merchant-schemas.ts";
import { Badge } from "../../../portal/components/badge.tsx";
import { words } from "../../i18n/texts.ts";

/** Whether a merchant's keys open anything, and whether its money is real. */
export function MerchantState({ merchant: { active, environment } }: { merchant: MerchantJson }) {
  const { merchants: own } = words();
  return (
    <span class="badges">
      <Badge kind={active ? "good" : "bad"}>{active ? own.active : own.inactive}</Badge>
      {environment === "TEST" && (
        <Badge kind="warn" dot={false}>
          TEST
        </Badge>
      )}
    </span>
  );
}
