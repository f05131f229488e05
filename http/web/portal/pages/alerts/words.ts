import type { AlertJson, AlertRuleJson } from "../../../../surfaces/merchant/alerts/schemas.ts";
import { text } from "../../i18n/texts.ts";
import type { ListDeclaration } from "../../list/declaration.ts";

/** The sources that rules may name: with RDR the network moves the money. */
export const RULE_SOURCES = ["ETHOCA", "CDRN", "OTHER"] as const satisfies NonNullable<AlertRuleJson["sources"]>;

export const ALERT_LIST = {
  page: "alerts",
  path: "/alerts",
  filters: {
    state: {
      kind: "word",
      words: ["PENDING", "AUTO_REFUND", "REFUNDED", "DECLINED", "PREVENTED"] satisfies readonly AlertJson["state"][],
    },
    source: { kind: "word", words: ["ETHOCA", "CDRN", "RDR", "OTHER"] satisfies readonly AlertJson["source"][] },
    currency: { kind: "currency" },
    from: { kind: "day" },
    to: { kind: "day" },
  },
  sort: { order: "due", when: { state: "PENDING" } },
} as const satisfies ListDeclaration;

/** A method in the person's words; one that the page has none for as it is. */
export function methodText(method: string): string {
  const known: Readonly<Record<string, string>> = text().methods;
  return (Object.hasOwn(known, method) ? known[method] : undefined) ?? method;
}
