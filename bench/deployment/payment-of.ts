/** What is paid: all of a payment or scan of a run follows from its index. */
export interface Asked {
  terminalId: string;
  service: "PAYCC" | "SCAN";
  amountCents: number;
}

/** Amounts by whose last two digits simulated terminals approve. */
const AMOUNTS = 90;
const AMOUNT_FROM_CENTS = 1_000;
const AMOUNT_STEP_CENTS = 100;

/** To all terminals in turn; scans are spread evenly. */
export function askedOf(index: number, { terminalIds, scanShare }: { terminalIds: readonly string[]; scanShare: number }): Asked {
  const terminalId = terminalIds[index % terminalIds.length];
  if (terminalId === undefined) throw new Error("there are no terminals");
  return isInShare(index, scanShare)
    ? { terminalId, service: "SCAN", amountCents: 0 }
    : { terminalId, service: "PAYCC", amountCents: AMOUNT_FROM_CENTS + (index % AMOUNTS) * AMOUNT_STEP_CENTS };
}

/** Of things that are numbered from 0 this share, spread evenly. */
export function isInShare(index: number, share: number): boolean {
  return Math.floor((index + 1) * share) > Math.floor(index * share);
}
