import type { TerminalRecordJson } from "../../../../surfaces/admin/terminal-record.ts";
import { Badge } from "../../../portal/components/badge.tsx";
import { text } from "../../../portal/i18n/texts.ts";

const KINDS = { ONLINE: "good", OFFLINE: "bad", NEVER_CONNECTED: "neutral" } as const;

/** Whether a terminal can be reached now. */
export function Connection({ terminal: { connectionStatus } }: { terminal: Pick<TerminalRecordJson, "connectionStatus"> }) {
  return <Badge kind={KINDS[connectionStatus]}>{text().terminals.statuses[connectionStatus]}</Badge>;
}
