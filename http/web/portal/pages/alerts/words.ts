import { ALERT_LIST as FILTERS } from "../../../../surfaces/merchant/alerts/list.ts";
import { text } from "../../i18n/texts.ts";
import type { ListDeclaration } from "../../list/declaration.ts";

const { order: _, ...filters } = FILTERS;

export const ALERT_LIST = {
  page: "alerts",
  path: "/alerts",
  filters,
  sort: { order: "due", when: { state: "PENDING" } },
} as const satisfies ListDeclaration;

/** A method in the person's words; one that the page has none for as it is. */
export function methodText(method: string): string {
  const known: Readonly<Record<string, string>> = text().methods;
  return (Object.hasOwn(known, method) ? known[method] : undefined) ?? method;
}
