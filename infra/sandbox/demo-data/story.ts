import { accept, alert, challenge, decline, dispute, evidenceWanted, refundSmallAmounts, resolve, verdict } from "./complaints.ts";
import type { DemoRelay } from "./demo-relay.ts";
import { memberAt } from "./demo-relay.ts";
import { agentLink, createAgent, createExport, createWebhooks, revokeAgent } from "./developers.ts";
import { createLink, declineLink, payLink, refund } from "./links.ts";
import { pay } from "./payments.ts";
import { change, createPlan, retirePlan, subscribe } from "./subscriptions.ts";

/** Something that happens in the shop so many days before now. */
export interface DemoEvent {
  daysAgo: number;
  run: () => Promise<void>;
}

/** The terminals of the shop beside the two that the sandbox simulates. */
export const OFFLINE_TERMINAL_ID = "SIM00003";
export const FAILING_TERMINAL_ID = "SIM00004";

/** The offline terminal has been in its drawer since then. */
export const OFFLINE_DAYS = 9;

/** The story needs this many days; with fewer, what is older happens on the first day. */
export const STORY_DAYS = 62;

const LINKS = 18;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The relay closes a day two nights later. A day without payments is not closed. */
const CLOSED_AFTER_DAYS = 4;
const MINUTES_MAX = 60;

/** Amounts that a terminal declines, by their last two digits. */
const DECLINED_CENTS = [2_005, 1_551, 3_405];

/**
 * What happens in the demo shop beside its payments, in the order of time: at the end every page of
 * the portal has something in each of its states. `webhookUrl` receives webhooks.
 */
export function demoStory(relay: DemoRelay, webhookUrl: string): DemoEvent[] {
  return [
    ...setUp(relay, webhookUrl),
    ...linksOverTime(relay),
    ...subscriptionsOverTime(relay),
    ...complaintsOverTime(relay),
    ...agentsOverTime(relay),
    ...terminalsAtLast(relay),
  ].sort((one, other) => other.daysAgo - one.daysAgo);
}

function setUp(relay: DemoRelay, webhookUrl: string): DemoEvent[] {
  return [
    {
      daysAgo: STORY_DAYS,
      run: async () => {
        for (const terminalId of [OFFLINE_TERMINAL_ID, FAILING_TERMINAL_ID]) {
          await relay.admin("POST", "/cloud-configs", { terminalId, merchantId: relay.merchantId });
        }
        await createWebhooks(relay, webhookUrl);
        await refundSmallAmounts(relay);
        await relay.shop("PUT", "/payment-methods/PAYPAL", { mode: "sandbox", clientId: "shop", clientSecret: "secret-of-the-shop" });
        for (const [name, role] of [
          ["finance", "FINANCE"],
          ["waiter", "VIEWER"],
        ] as const) {
          const user = { email: `${name}@shop-001.example`, role, locale: "en" };
          await relay.admin("POST", `/api/merchants/${relay.merchantId}/portal-users`, user);
        }
      },
    },
  ];
}

/** Most links are paid, one is refunded weeks later, when its day is closed; others end in other ways. */
function linksOverTime(relay: DemoRelay): DemoEvent[] {
  const paid = Array.from({ length: LINKS }, (_, number): DemoEvent => {
    const daysAgo = 58 - (number * 56) / LINKS;
    return { daysAgo, run: async () => void (await payLink(relay, await createLink(relay, number))) };
  });
  let [toRefund, toRefundLate] = ["", ""];
  return [
    ...paid,
    {
      daysAgo: 24,
      run: async () => {
        toRefund = await payLink(relay, await createLink(relay, LINKS));
      },
    },
    { daysAgo: 15, run: () => refund(relay, toRefund) },
    {
      daysAgo: 30,
      run: async () => {
        toRefundLate = await payLink(relay, await createLink(relay, LINKS + 6, { amountMinor: 7_200 }));
      },
    },
    {
      // Its day is closed by now, so the refund is a correction of it.
      daysAgo: 1.3,
      run: async () => {
        await daysClosed(relay);
        await refund(relay, toRefundLate);
      },
    },
    { daysAgo: 0, run: () => refundCorrected(relay) },
    { daysAgo: 40, run: async () => void (await createLink(relay, LINKS + 1, { expiresInHours: 24 })) },
    { daysAgo: 12, run: async () => void (await createLink(relay, LINKS + 2, { expiresInHours: 48 })) },
    {
      daysAgo: 8,
      run: async () => {
        const id = await createLink(relay, LINKS + 3);
        await relay.shop("POST", `/payment-links/${id}/cancel`);
      },
    },
    { daysAgo: 0.02, run: async () => void (await createLink(relay, LINKS + 4, { customerEmail: "ada.rossi@example.com" })) },
    { daysAgo: 0.01, run: async () => declineLink(relay, await createLink(relay, LINKS + 5)) },
  ];
}

/** Waits until the days are closed up to those of the last days. */
function daysClosed(relay: DemoRelay): Promise<void> {
  const wanted = new Date(relay.clock.nowMs() - CLOSED_AFTER_DAYS * DAY_MS).toISOString().slice(0, 10);
  return reconciled(relay, `the day ${wanted} is closed`, ([newest]) => String(memberAt(newest, "day") ?? "") >= wanted);
}

/** Waits until the closing of a later day has found the refund of a closed day. */
function refundCorrected(relay: DemoRelay): Promise<void> {
  return reconciled(relay, "a closed day is corrected", (days) => days.some((day) => Number(memberAt(day, "corrections")) > 0));
}

/** Waits until the closed days, newest first, are as wanted. A missing row makes the relay wait a minute of its clock. */
async function reconciled(relay: DemoRelay, what: string, isWanted: (days: readonly unknown[]) => boolean): Promise<void> {
  const isThere = (answer: unknown) => {
    const days = memberAt(answer, "data", "items");
    return Array.isArray(days) && isWanted(days);
  };
  for (let again = 0; again < MINUTES_MAX; again += 1) {
    if (await relay.becomes("/reconciliation?limit=100", isThere)) return;
    relay.clock.moveTo(relay.clock.nowMs() + MINUTE_MS);
  }
  throw new Error(`the relay did not reach this state: ${what}`);
}

function subscriptionsOverTime(relay: DemoRelay): DemoEvent[] {
  let [gym, box, ended] = ["", "", ""];
  return [
    {
      daysAgo: 60,
      run: async () => {
        gym = await createPlan(relay, { name: "Breakfast, monthly", amountMinor: 2_900 });
        box = await createPlan(relay, { name: "Vegetables, every week", amountMinor: 1_900, interval: "WEEK" });
        await retirePlan(relay, await createPlan(relay, { name: "Lunch, monthly", amountMinor: 8_900 }));
        for (const number of [0, 1]) await subscribe(relay, gym, number, "card_sandbox_ok");
        await subscribe(relay, box, 2, "card_sandbox_ok");
        ended = await subscribe(relay, box, 3, "card_sandbox_ok");
        // A month later its card is declined twice, and then charged.
        await subscribe(relay, gym, 4, "card_sandbox_recovers");
      },
    },
    { daysAgo: 33, run: () => change(relay, ended, "cancel", { atPeriodEnd: false }) },
    {
      daysAgo: 10,
      run: async () => change(relay, await subscribe(relay, gym, 5, "card_sandbox_ok"), "pause"),
    },
    {
      // Their trial ends a day later, and their cards are declined.
      daysAgo: 4,
      run: async () => {
        const trial = await createPlan(relay, { name: "Breakfast, with one day to try it", amountMinor: 3_200, trialDays: 1 });
        await subscribe(relay, trial, 6, "card_sandbox_declined");
        await subscribe(relay, trial, 7, "card_sandbox_expired");
      },
    },
    {
      daysAgo: 1,
      run: async () => {
        const year = await createPlan(relay, { name: "A year of coffee", amountMinor: 24_900, interval: "YEAR", trialDays: 30 });
        await subscribe(relay, year, 0);
        // The customer has not paid the first link yet.
        await subscribe(relay, gym, 1);
      },
    },
  ];
}

function complaintsOverTime(relay: DemoRelay): DemoEvent[] {
  let [won, lost, reviewed, more] = ["", "", "", ""];
  return [
    {
      daysAgo: 45,
      run: async () => {
        won = await dispute(relay, 10, { category: "NOT_AS_DESCRIBED", amountMinor: 6_450 });
        lost = await dispute(relay, 10, { category: "DUPLICATE", network: "MASTERCARD", amountMinor: 2_280 });
        for (const id of [won, lost]) await challenge(relay, id);
      },
    },
    { daysAgo: 36, run: async () => void (await decline(relay, await alert(relay, { source: "CDRN", category: "NOT_RECEIVED" }))) },
    { daysAgo: 28, run: () => verdict(relay, won, "WON") },
    { daysAgo: 27, run: () => verdict(relay, lost, "LOST") },
    { daysAgo: 26, run: async () => accept(relay, await dispute(relay, 10, { category: "CANCELLED_RECURRING", amountMinor: 1_900 })) },
    // Nobody answers it in time.
    { daysAgo: 22, run: async () => void (await dispute(relay, 5, { category: "FRAUD", amountMinor: 13_990 })) },
    {
      daysAgo: 18,
      run: async () => {
        const uuid = await payLink(relay, await createLink(relay, 30, { amountMinor: 3_600 }));
        const id = await alert(relay, { uuid, amountMinor: 3_600 });
        await relay.until(`/alerts/${id}`, (answer) => memberAt(answer, "data", "state") === "REFUNDED");
      },
    },
    { daysAgo: 14, run: async () => resolve(relay, await alert(relay, { source: "RDR", amountMinor: 5_400 })) },
    {
      daysAgo: 7,
      run: async () => {
        reviewed = await dispute(relay, 12, { amountMinor: 24_500 });
        more = await dispute(relay, 12, { category: "FRAUD", amountMinor: 8_720 });
        for (const id of [reviewed, more]) await challenge(relay, id);
      },
    },
    { daysAgo: 2, run: () => evidenceWanted(relay, more, 14) },
    {
      daysAgo: 0.2,
      run: async () => {
        const uuid = await payLink(relay, await createLink(relay, 31, { amountMinor: 11_400 }));
        await dispute(relay, 6, { uuid, amountMinor: 11_400 });
        await dispute(relay, 0.8, { network: "MASTERCARD", amountMinor: 3_990 });
        await alert(relay, { uuid: await payLink(relay, await createLink(relay, 32, { amountMinor: 8_000 })), amountMinor: 8_000 });
      },
    },
  ];
}

function agentsOverTime(relay: DemoRelay): DemoEvent[] {
  return [
    { daysAgo: 50, run: async () => void (await createAgent(relay, "A trial of a day", { expiresInDays: 1 })) },
    { daysAgo: 30, run: async () => revokeAgent(relay, await createAgent(relay, "Lost laptop")) },
    {
      daysAgo: 5,
      run: async () => {
        const limits = { perLinkMaxMinor: 5_000, perDayMinor: 5_000, totalMinor: 5_000 };
        const agent = await createAgent(relay, "Christmas campaign", { limits });
        for (const amountMinor of [5_001, 5_000]) await agentLink(relay, agent, amountMinor);
      },
    },
    {
      daysAgo: 0.1,
      run: async () => {
        const agent = await createAgent(relay, "Booking assistant");
        for (const amountMinor of [4_200, 3_650, 9_900]) await agentLink(relay, agent, amountMinor);
      },
    },
  ];
}

/** In the last hours the failing terminal declines payments, and does not answer one of them. */
function terminalsAtLast(relay: DemoRelay): DemoEvent[] {
  return [
    {
      daysAgo: 0.05,
      run: async () => {
        for (const amountCents of DECLINED_CENTS) await pay(relay, { terminalId: FAILING_TERMINAL_ID, service: "PAYCC", amountCents });
        await pay(relay, { terminalId: FAILING_TERMINAL_ID, service: "PAYCC", amountCents: 4_290 }, { answers: false });
      },
    },
  ];
}

/** What is kept only for a day is made at the end, at the time of this machine. */
export async function demoExports(relay: DemoRelay): Promise<void> {
  await createExport(relay, { list: "transactions", format: "CSV", filters: { status: "OK" } });
  await createExport(relay, { list: "transactions", format: "XLSX", filters: { status: "KO" } });
  const ended = (answer: unknown) => {
    const items = memberAt(answer, "data", "items");
    return Array.isArray(items) && items.every((item) => ["READY", "FAILED"].includes(String(memberAt(item, "state"))));
  };
  await relay.until("/exports", ended);
}
