import type { ExportJson } from "../../../../surfaces/merchant/exports/schemas.ts";
import { Badge, type BadgeKind } from "../../components/badge.tsx";
import { text } from "../../i18n/texts.ts";

const KINDS: Readonly<Record<ExportJson["state"], BadgeKind>> = { QUEUED: "neutral", RUNNING: "accent", READY: "good", FAILED: "bad" };

export function ExportState({ state }: Pick<ExportJson, "state">) {
  return <Badge kind={KINDS[state]}>{text().exports.states[state]}</Badge>;
}
