import { ALERT_LIST as FILTERS } from "../../../../surfaces/merchant/alerts/list.ts";
import type { ListDeclaration } from "../../list/declaration.ts";

const { order: _, ...filters } = FILTERS;

export const ALERT_LIST = {
  page: "alerts",
  path: "/alerts",
  filters,
  sort: { order: "due", when: { state: "PENDING" } },
} as const satisfies ListDeclaration;
