import type { Page } from "playwright-core";
import type { AccessibilityCase } from "./accessibility-cases.ts";
import { ALERTS, alertItemOf, DISPUTE_HANDLERS, DISPUTES, DRY_RUN, itemOf, NO_RULES, NO_STATS } from "./fake-disputes.ts";
import {
  type FakeHandler,
  LINK_TRANSACTION,
  MERCHANT,
  meOf,
  OVERVIEW,
  sessionOf,
  TRANSACTIONS,
  taskOf,
  terminalsOf,
} from "./fake-relay.ts";

const ANNA: Readonly<Record<string, FakeHandler>> = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /me": () => ({ data: meOf() }),
  "GET /overview": () => ({ data: OVERVIEW }),
  "GET /terminals": () => ({ data: terminalsOf() }),
  "GET /transactions": () => ({ data: TRANSACTIONS }),
  "GET /transactions/*": () => ({ data: LINK_TRANSACTION }),
  ...DISPUTE_HANDLERS,
};
const VIEWER = { "GET /session": () => ({ data: sessionOf({ merchant: { ...MERCHANT, role: "VIEWER" } }) }) };
const ITALIAN = { "GET /session": () => ({ data: sessionOf({ locale: "it" }) }) };
const AWAY = () => ({ status: 503, code: "unavailable" });
const NEVER = () => new Promise<never>(() => {});

const drawer = (page: Page) => page.locator("dialog.drawer");
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).first().click();
const open = { dispute: `/portal/disputes/${DISPUTES.open.id}`, alert: `/portal/alerts/${ALERTS.pending.id}` };
const prepared = `/portal/disputes/${DISPUTES.prepared.id}`;
const RULES = "/portal/alerts?tab=rules";

const pdf = (name: string) => ({ name, mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7") });

/** The pages of disputes and alerts in every state, with their dialogs. */
export const DISPUTE_CASES: readonly AccessibilityCase[] = [
  { name: "the board of disputes", path: "/portal/disputes", handlers: ANNA, until: (page) => page.locator(".case").nth(7).waitFor() },
  {
    name: "a full board in Italian",
    path: "/portal/disputes",
    handlers: {
      ...ANNA,
      ...ITALIAN,
      "GET /disputes": ({ query }) => {
        const of = query.get("status") === "ALERT" ? alertItemOf(ALERTS.pending) : itemOf(DISPUTES.prepared);
        return { data: { items: Array.from({ length: 9 }, (_, index) => ({ ...of, id: `${of.id}${index}` })), next: "more" } };
      },
    },
    until: (page) => page.getByText("Mostra tutto").nth(3).waitFor(),
  },
  {
    name: "no disputes",
    path: "/portal/disputes",
    handlers: { ...ANNA, "GET /disputes": () => ({ data: { items: [], next: null } }), "GET /disputes/stats": () => ({ data: NO_STATS }) },
    until: (page) => page.locator(".empty").waitFor(),
  },
  {
    name: "disputes that cannot be loaded",
    path: "/portal/disputes",
    handlers: { ...ANNA, "GET /disputes": AWAY, "GET /disputes/stats": AWAY },
    until: (page) => page.getByRole("button", { name: "Try again" }).nth(1).waitFor(),
  },
  {
    name: "the list of disputes",
    path: "/portal/disputes?view=list",
    handlers: ANNA,
    until: (page) => page.getByText("9 disputes in total").waitFor(),
  },
  {
    name: "no such disputes in the list",
    path: "/portal/disputes?view=list&status=WON&category=FRAUD",
    handlers: ANNA,
    until: (page) => page.getByText("No results for these filters").waitFor(),
  },
  ...Object.entries(DISPUTES).map(([name, { id }]) => ({
    name: `a dispute: ${name}`,
    path: `/portal/disputes/${id}`,
    handlers: ANNA,
    until: (page: Page) => drawer(page).getByText("What happened", { exact: true }).waitFor(),
  })),
  {
    name: "a dispute in Italian",
    path: prepared,
    handlers: { ...ANNA, ...ITALIAN },
    until: (page) => drawer(page).getByText("Rivedi e invia").waitFor(),
  },
  {
    name: "a dispute for who may only look",
    path: prepared,
    handlers: { ...ANNA, ...VIEWER },
    until: (page) => drawer(page).getByText("Your role cannot answer").waitFor(),
  },
  {
    name: "no dispute",
    path: "/portal/disputes/none",
    handlers: ANNA,
    until: (page) => page.getByText("Dispute not found").waitFor(),
  },
  {
    name: "files under way and refused",
    path: open.dispute,
    handlers: { ...ANNA, "POST /disputes/*/evidence": NEVER },
    until: async (page) => {
      await drawer(page)
        .locator("input[type=file]")
        .setInputFiles([pdf("one.pdf"), pdf("two.pdf"), { ...pdf("sheet.xlsm"), mimeType: "application/octet-stream" }]);
      await drawer(page).locator(".file-problem").waitFor();
    },
  },
  {
    name: "a file to remove",
    path: prepared,
    handlers: ANNA,
    until: async (page) => {
      await page.getByRole("button", { name: /^Remove visits/ }).click();
      await page.getByText("Remove this file?").waitFor();
    },
  },
  {
    name: "a response to submit",
    path: prepared,
    handlers: ANNA,
    until: async (page) => {
      await press(page, "Preview and submit");
      await page.getByText("Submit this response?").waitFor();
    },
  },
  {
    name: "a response with nothing in it",
    path: open.dispute,
    handlers: ANNA,
    until: async (page) => {
      await press(page, "Preview and submit");
      await page.getByText("Write a statement or add a file first.").waitFor();
    },
  },
  {
    name: "a loss to accept",
    path: open.dispute,
    handlers: ANNA,
    until: async (page) => {
      await press(page, "Accept loss");
      await page.getByText("Accept the loss of €49.90?").waitFor();
    },
  },
  {
    name: "a response that was not saved",
    path: open.dispute,
    handlers: ANNA,
    until: async (page) => {
      await drawer(page).getByLabel("Statement").fill("It was handed over.");
      await page.keyboard.press("Escape");
      await page.getByText("Leave without saving?").waitFor();
    },
  },
  { name: "alerts", path: "/portal/alerts", handlers: ANNA, until: (page) => page.getByText("14 alerts in total").waitFor() },
  {
    name: "no alerts",
    path: "/portal/alerts",
    handlers: { ...ANNA, "GET /alerts": () => ({ data: { items: [], next: null } }), "GET /disputes/stats": () => ({ data: NO_STATS }) },
    until: (page) => page.locator(".empty").waitFor(),
  },
  ...Object.entries(ALERTS).map(([name, { id }]) => ({
    name: `an alert: ${name}`,
    path: `/portal/alerts/${id}`,
    handlers: ANNA,
    until: (page: Page) => drawer(page).getByText("Alert id").waitFor(),
  })),
  { name: "no alert", path: "/portal/alerts/none", handlers: ANNA, until: (page) => page.getByText("Alert not found").waitFor() },
  {
    name: "an alert to refund, whose outcome is not known",
    path: open.alert,
    handlers: { ...ANNA, "POST /alerts/*/refund": () => ({ status: 409, code: "outcome_unknown" }) },
    until: async (page) => {
      await press(page, "Refund");
      await press(page, "Refund €49.90");
      await page.getByText("We keep checking").waitFor();
    },
  },
  {
    name: "an alert to decline",
    path: open.alert,
    handlers: ANNA,
    until: async (page) => {
      await press(page, "Decline");
      await page.getByText("Decline this alert?").waitFor();
    },
  },
  { name: "rules for alerts", path: RULES, handlers: ANNA, until: (page) => page.getByText("never-received").waitFor() },
  {
    name: "no rules for alerts",
    path: RULES,
    handlers: { ...ANNA, "GET /alert-rules": () => ({ data: NO_RULES }) },
    until: (page) => page.getByText("No rules yet.").waitFor(),
  },
  {
    name: "rules that were tried",
    path: RULES,
    handlers: { ...ANNA, "POST /alert-rules/dry-run": () => ({ data: DRY_RUN }) },
    until: async (page) => {
      await press(page, "Edit rules");
      await press(page, "Test on the last 90 days");
      await page.getByText("€39.80 in total.").waitFor();
    },
  },
  {
    name: "rules with what is wrong, in Italian",
    path: RULES,
    handlers: { ...ANNA, ...ITALIAN },
    until: async (page) => {
      await press(page, "Modifica regole");
      await press(page, "Aggiungi regola");
      await press(page, "Salva regole");
      await page.getByText("Inserisci da 1 a 32 lettere").waitFor();
    },
  },
  {
    name: "rules that were changed meanwhile",
    path: RULES,
    handlers: { ...ANNA, "PUT /alert-rules": () => ({ status: 409, code: "conflict" }) },
    until: async (page) => {
      await press(page, "Edit rules");
      await press(page, "Save rules");
      await page.getByText("Somebody else has changed the rules").waitFor();
    },
  },
  {
    name: "a transaction under dispute",
    path: `/portal/transactions/${LINK_TRANSACTION.uuid}`,
    handlers: {
      ...ANNA,
      "GET /transactions/*": () => ({
        data: {
          ...{ ...LINK_TRANSACTION, refund: { possible: false, reason: "under_dispute" } },
          ...{ disputes: [{ id: DISPUTES.open.id, status: "OPEN", respondBy: DISPUTES.open.respondBy }] },
          alerts: [{ id: ALERTS.pending.id, state: "PENDING", respondBy: ALERTS.pending.respondBy }],
        },
      }),
    },
    until: (page) => page.getByText("Open the dispute").waitFor(),
  },
  {
    name: "the overview with complaints to answer",
    path: "/portal",
    handlers: {
      ...ANNA,
      "GET /overview": () => ({
        data: {
          ...OVERVIEW,
          tasks: [
            taskOf({ kind: "dispute_due", subject: DISPUTES.open.id, dueAt: DISPUTES.open.respondBy, category: "FRAUD" }),
            taskOf({ kind: "alert_pending", subject: ALERTS.pending.id, dueAt: ALERTS.pending.respondBy, category: "OTHER" }),
          ],
        },
      }),
    },
    until: (page) => page.getByText("Decide on an alert").waitFor(),
  },
];
