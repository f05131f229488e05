import { Badge } from "../../../portal/components/badge.tsx";
import { words } from "../../i18n/texts.ts";

/** Whether what a partner has opens anything. */
export function PartnerState({ enabled }: { enabled: boolean }) {
  const { partners: own } = words();
  return <Badge kind={enabled ? "good" : "bad"}>{enabled ? own.enabled : own.disabled}</Badge>;
}
