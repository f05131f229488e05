import { readFileSync } from "node:fs";

export const ALERTS = "infra/monitoring/alerts.yml";

export interface AlertRule {
  name: string;
  expr: string;
  runbook: string;
}

const RULE =
  /^ {6}- alert: (\w+)\n {8}expr: (['"])(.+)\2\n {8}for: \w+\n {8}labels: .+\n {8}annotations:\n {10}summary: .+\n {10}runbook: (\S+)$/gm;

/** The alert rules. Throws where one is written in other lines than the others, and would be overlooked. */
export function alertRules(): AlertRule[] {
  const text = readFileSync(ALERTS, "utf8");
  const rules = [...text.matchAll(RULE)].map(([, name = "", , expr = "", runbook = ""]) => ({ name, expr, runbook }));
  const begun = text.match(/^ *- alert:/gm)?.length ?? 0;
  if (begun !== rules.length) throw new Error(`${begun} alerts begin in ${ALERTS}, and ${rules.length} can be read`);
  return rules;
}
