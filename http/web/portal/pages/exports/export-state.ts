import { stateBadge } from "../../list/columns.tsx";

export const ExportState = stateBadge((all) => all.exports.states, { QUEUED: "neutral", RUNNING: "accent", READY: "good", FAILED: "bad" });
