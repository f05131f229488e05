import { DateTime } from "luxon";

/** A payment of the demo shop's month. */
export interface DemoPayment {
  /** Milliseconds UTC. */
  atMs: number;
  terminalId: string;
  service: "PAYCC" | "PAYSAT" | "PAYBP";
  /** Its last two digits decide the outcome (infra/sandbox/terminal/outcomes.ts). */
  amountCents: number;
}

export interface DemoMonthOptions {
  seed: number;
  /** The days from here until (not included) there, in `timeZone`. */
  fromMs: number;
  untilMs: number;
  timeZone: string;
  /** The first one is at the counter, the others are at the tables. */
  terminalIds: readonly [string, ...string[]];
  /** The share of the customers of a usual day who come; 1 if absent. */
  share?: number;
}

/** Customers an hour on a usual day, from midnight: a bar that opens at 7 and closes at 22, busy for breakfast, lunch and the evening. */
const BY_HOUR = [0, 0, 0, 0, 0, 0, 0, 4, 7, 5, 3, 2, 6, 8, 4, 2, 2, 3, 5, 6, 5, 3, 0, 0];
/** Monday to Sunday; closed on Mondays. */
const BY_WEEKDAY = [0, 0.8, 0.9, 1, 1.3, 1.5, 1.1];

/** What is paid in cents, with how often. */
const BASKETS: readonly { weight: number; from: number; to: number }[] = [
  { weight: 5, from: 150, to: 600 },
  { weight: 4, from: 700, to: 1_800 },
  { weight: 3, from: 1_900, to: 4_500 },
  { weight: 1, from: 5_000, to: 14_000 },
];

const SERVICES: readonly { weight: number; service: DemoPayment["service"] }[] = [
  { weight: 78, service: "PAYCC" },
  { weight: 14, service: "PAYSAT" },
  { weight: 8, service: "PAYBP" },
];

/** Endings that are not approved: declined, insufficient funds, cancelled by the customer. */
const DECLINES = [5, 51, 17];
const DECLINED_SHARE = 0.05;
/** All endings that mean something (infra/sandbox/terminal/outcomes.ts); approved amounts avoid them. */
const SPECIAL = new Set([5, 9, 13, 17, 30, 51, 68, 91, 94, 95]);

/** The payments in the order of their times; the same for the same options. */
export function demoMonth({ seed, fromMs, untilMs, timeZone, terminalIds, share = 1 }: DemoMonthOptions): DemoPayment[] {
  const random = randomOf(seed);
  const payments: DemoPayment[] = [];
  let hour = DateTime.fromMillis(fromMs, { zone: timeZone }).startOf("hour");
  for (; hour.toMillis() < untilMs; hour = hour.plus({ hours: 1 })) {
    const expected = share * (BY_HOUR[hour.hour] ?? 0) * (BY_WEEKDAY[hour.weekday - 1] ?? 0);
    const customers = Math.floor(expected * (0.6 + 0.8 * random()) + random());
    const times = Array.from({ length: expected === 0 ? 0 : customers }, () => hour.toMillis() + Math.floor(random() * 3_600_000));
    for (const atMs of times.sort((a, b) => a - b)) {
      // The tables outside are used from noon on.
      const [counter, ...tables] = terminalIds;
      const outside = hour.hour >= 12 && random() < 0.4 ? tables[Math.floor(random() * tables.length)] : undefined;
      const payment = {
        terminalId: outside ?? counter,
        service: pick(SERVICES, random).service,
        amountCents: amountOf(random),
      };
      if (atMs >= fromMs && atMs < untilMs) payments.push({ atMs, ...payment });
    }
  }
  return payments;
}

function amountOf(random: () => number): number {
  const { from, to } = pick(BASKETS, random);
  const amount = from + Math.floor(random() * (to - from));
  const ending = DECLINES[Math.floor(random() * DECLINES.length)];
  if (random() < DECLINED_SHARE && ending !== undefined) return Math.max(100, Math.floor(amount / 100) * 100) + ending;
  // Prices of a bar end in tens.
  const price = Math.floor(amount / 10) * 10;
  return SPECIAL.has(price % 100) ? price + 10 : price;
}

function pick<T extends { weight: number }>(choices: readonly T[], random: () => number): T {
  let left = random() * choices.reduce((sum, { weight }) => sum + weight, 0);
  for (const choice of choices) {
    left -= choice.weight;
    if (left < 0) return choice;
  }
  const last = choices.at(-1);
  if (last === undefined) throw new Error("there is nothing to pick from");
  return last;
}

/** Mulberry32. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
