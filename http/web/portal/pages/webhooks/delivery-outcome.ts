import { stateBadge } from "../../list/columns.tsx";

export const DeliveryOutcome = stateBadge((all) => all.webhooks.outcomes, { PENDING: "warn", DELIVERED: "good", FAILED: "bad" });
