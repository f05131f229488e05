/** How a simulated payment ends. README.md beside this file shows the table to users. */
export interface Scenario {
  name: string;
  approved: boolean;
  /** ISO 8583 (1993) action code. */
  actionCode: string;
  message: string;
  /** `slow`: takes `slowMs`. `never`: no result at all. `late`: executed in time, posted after `lateAfterMs`. */
  timing: "normal" | "slow" | "never" | "late";
  posting: "once" | "twice" | "twice_different" | "other_amount" | "unreadable";
}

const APPROVED: Scenario = { name: "approved", approved: true, actionCode: "000", message: "APPROVED", timing: "normal", posting: "once" };
const DECLINED: Scenario = { ...APPROVED, name: "declined", approved: false, actionCode: "100", message: "DECLINED" };

/** By the last two digits of the amount; the digits are the ISO 8583 response codes of the same meaning, where there is one. */
export const SCENARIOS: ReadonlyMap<number, Scenario> = new Map([
  [5, DECLINED],
  [9, { ...APPROVED, name: "slow", timing: "slow" }],
  [13, { ...APPROVED, name: "other amount", posting: "other_amount" }],
  [17, { ...DECLINED, name: "cancelled by the customer", actionCode: "180", message: "CANCELLED BY CUSTOMER" }],
  [30, { ...APPROVED, name: "unreadable result", posting: "unreadable" }],
  [51, { ...DECLINED, name: "insufficient funds", actionCode: "116", message: "INSUFFICIENT FUNDS" }],
  [68, { ...APPROVED, name: "late result", timing: "late" }],
  [91, { ...APPROVED, name: "no answer", timing: "never" }],
  [94, { ...APPROVED, name: "result posted twice", posting: "twice" }],
  [95, { ...APPROVED, name: "result posted twice, different", posting: "twice_different" }],
]);

export function scenarioOf(amountCents: number): Scenario {
  return SCENARIOS.get(amountCents % 100) ?? APPROVED;
}
