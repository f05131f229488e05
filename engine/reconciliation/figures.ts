import type {
  Correction,
  CorrectionSubject,
  CountAndSum,
  DayFigures,
  DayTotals,
  NamedPayments,
  PaymentLine,
  StateLine,
} from "./reconciliation.ts";

export const NO_FIGURES: DayFigures = {
  payments: [],
  refunded: [],
  links: [],
  refunds: [],
  unknown: { count: 0, items: [] },
  conflicting: { count: 0, items: [] },
};

const NONE: CountAndSum = { count: 0, amountMinor: 0 };

export function isNothing({ payments, links, refunds, unknown, conflicting }: DayFigures): boolean {
  return payments.length + links.length + refunds.length + unknown.count + conflicting.count === 0;
}

/** Merges the lines of all terminals. */
function foldedLines(lines: readonly PaymentLine[]): readonly PaymentLine[] {
  const folded = new Map<string, PaymentLine>();
  for (const line of lines) {
    const all = { ...line, terminalId: null };
    const key = lineKey(all);
    const known = folded.get(key);
    folded.set(key, known === undefined ? all : { ...known, ...sumOf(known, line) });
  }
  return [...folded.values()];
}

function sumOf(one: CountAndSum, other: CountAndSum): CountAndSum {
  return { count: one.count + other.count, amountMinor: one.amountMinor + other.amountMinor };
}

/**
 * Returns the totals by currency. The net amount belongs to the day of the payment: a refund is
 * subtracted on the day of its payment.
 */
export function totalsOf({ payments, refunded = [] }: Pick<DayFigures, "payments" | "refunded">): DayTotals[] {
  const totals = new Map<string, DayTotals>();
  const add = (currency: string, change: (total: DayTotals) => Partial<DayTotals>): void => {
    const total = totals.get(currency) ?? {
      ...{ currency, approved: 0, approvedMinor: 0, declined: 0, refunds: 0, refundedMinor: 0, netMinor: 0 },
    };
    totals.set(currency, { ...total, ...change(total) });
  };
  for (const { status, currency, count, amountMinor } of payments) {
    if (status === "KO") add(currency, ({ declined }) => ({ declined: declined + count }));
    else {
      add(currency, ({ approved, approvedMinor, netMinor }) => ({
        ...{ approved: approved + count, approvedMinor: approvedMinor + amountMinor, netMinor: netMinor + amountMinor },
      }));
    }
  }
  for (const { currency, count, amountMinor } of refunded) {
    add(currency, ({ refunds: made, refundedMinor, netMinor }) => ({
      ...{ refunds: made + count, refundedMinor: refundedMinor + amountMinor, netMinor: netMinor - amountMinor },
    }));
  }
  return [...totals.values()].sort((one, other) => (one.currency < other.currency ? -1 : 1));
}

/** Returns the differences between the known figures of the day and the present ones. */
export function corrections(before: DayFigures, after: DayFigures, atMs: number): Correction[] {
  // Figures by terminal can only be compared with figures by terminal.
  const isFolded = [before, after].some(({ payments }) => payments.some(({ terminalId }) => terminalId === null));
  const lineDifferences = (of: "payments" | "refunded") => {
    const lines = ({ [of]: all = [] }: DayFigures) => (isFolded ? foldedLines(all) : all);
    return differences(lines(before), lines(after), lineKey, ({ terminalId, method, status, currency }) => ({
      ...{ of, terminalId, method, status, currency },
    }));
  };
  return [
    ...lineDifferences("payments"),
    ...lineDifferences("refunded"),
    ...differences(before.links, after.links, stateKey, ({ state, currency }) => ({ of: "links", state, currency })),
    ...differences(before.refunds, after.refunds, stateKey, ({ state, currency }) => ({ of: "refunds", state, currency })),
    ...namedDifferences("unknown", before.unknown, after.unknown),
    ...namedDifferences("conflicting", before.conflicting, after.conflicting),
  ].map((difference) => ({ ...difference, atMs }));
}

type Difference = Omit<Correction, "atMs">;

function differences<Line extends CountAndSum>(
  before: readonly Line[],
  after: readonly Line[],
  keyOf: (line: Line) => string,
  subjectOf: (line: Line) => CorrectionSubject,
): Difference[] {
  const [old, now] = [before, after].map((lines) => new Map(lines.map((line) => [keyOf(line), line])));
  const found: Difference[] = [];
  for (const [key, line] of new Map([...(old ?? []), ...(now ?? [])])) {
    const [was, is] = [old?.get(key) ?? NONE, now?.get(key) ?? NONE];
    if (was.count === is.count && was.amountMinor === is.amountMinor) continue;
    found.push({ subject: subjectOf(line), before: countAndSum(was), after: countAndSum(is) });
  }
  return found;
}

function namedDifferences(of: "unknown" | "conflicting", before: NamedPayments, after: NamedPayments): Difference[] {
  // If there are more payments than names, the changed ones are unknown.
  if (before.count > before.items.length || after.count > after.items.length) {
    if (before.count === after.count) return [];
    const all: CorrectionSubject = { of, uuid: null, terminalId: null };
    return [{ subject: all, before: { ...NONE, count: before.count }, after: { ...NONE, count: after.count } }];
  }
  const named = ({ items }: NamedPayments) => items.map((item) => ({ ...item, count: 1, amountMinor: 0 }));
  return differences(
    named(before),
    named(after),
    ({ uuid, terminalId }) => `${terminalId} ${uuid}`,
    ({ uuid, terminalId }) => ({ of, uuid, terminalId }),
  );
}

function countAndSum({ count, amountMinor }: CountAndSum): CountAndSum {
  return { count, amountMinor };
}

function lineKey({ terminalId, method, status, currency }: PaymentLine): string {
  return `${terminalId ?? ""} ${method} ${status} ${currency}`;
}

function stateKey({ state, currency }: StateLine): string {
  return `${state} ${currency}`;
}
