import type { MailJson } from "../../../../surfaces/admin/mail-schemas.ts";
import { Badge, type BadgeKind } from "../../../portal/components/badge.tsx";
import { words } from "../../i18n/texts.ts";

const KINDS: Readonly<Record<MailJson["state"], BadgeKind>> = { QUEUED: "warn", SENT: "good", FAILED: "bad", EXPIRED: "bad" };

/** What became of a mail. */
export function MailState({ state }: Pick<MailJson, "state">) {
  return <Badge kind={KINDS[state]}>{words().mails.states[state]}</Badge>;
}
