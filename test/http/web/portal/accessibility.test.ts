import { test } from "node:test";
import type { Page } from "playwright-core";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { type AccessibilityCase, lookAtEvery } from "./accessibility-cases.ts";
import { DISPUTE_CASES } from "./dispute-cases.ts";
import {
  AUDIT,
  CALL_LOG,
  COMPAT_SETTINGS,
  DELIVERIES,
  DELIVERY,
  endpointOf,
  invitationOf,
  KEYS,
  LINK_TRANSACTION,
  LINKS,
  linkAt,
  MERCHANT,
  METHODS,
  meOf,
  NEW_KEYS,
  OVERVIEW,
  PAYMENT_LINKS,
  PENDING_KEYS,
  RECOVERY_CODES,
  SESSIONS,
  sessionOf,
  signedOut,
  TEAM,
  TOTP,
  TRANSACTION,
  TRANSACTIONS,
  taskOf,
  terminalsOf,
  WEBHOOKS,
  WORKFLOW_LOG,
} from "./fake-relay.ts";

const NOBODY = { "GET /session": () => ({ data: signedOut() }) };
const ANNA = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /users": () => ({ data: TEAM }),
  "GET /me": () => ({ data: meOf() }),
  "GET /sessions": () => ({ data: SESSIONS }),
  "GET /overview": () => ({ data: OVERVIEW }),
  "GET /transactions": () => ({ data: TRANSACTIONS }),
  "GET /transactions/*": () => ({ data: TRANSACTION }),
  "GET /payment-links": () => ({ data: PAYMENT_LINKS }),
  "GET /payment-links/*": linkAt,
  "GET /terminals": () => ({ data: terminalsOf() }),
  "GET /audit": () => ({ data: AUDIT }),
  "GET /logs/workflow": () => ({ data: WORKFLOW_LOG }),
  "GET /logs/calls": () => ({ data: CALL_LOG }),
  "GET /webhooks": () => ({ data: WEBHOOKS }),
  "GET /webhooks/deliveries": () => ({ data: DELIVERIES }),
  "GET /webhooks/deliveries/*": () => ({ data: DELIVERY }),
  "POST /webhooks": () => ({ data: { endpoint: endpointOf(), secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" } }),
  "GET /payment-methods": () => ({ data: METHODS }),
  "GET /keys": () => ({ data: KEYS }),
  "GET /compatible-api": () => ({ data: COMPAT_SETTINGS }),
};
const TWO_MERCHANTS = {
  ...ANNA,
  "GET /session": () => ({
    data: sessionOf({
      merchants: [MERCHANT, { merchantId: "SHOP-002", merchantName: "Bar Centrale", environment: "LIVE", role: "VIEWER" }],
    }),
  }),
};
const ENROLLING = {
  "GET /session": () => ({ data: sessionOf({ stage: "enrol", methods: [] }) }),
  "POST /me/totp": () => ({ data: TOTP }),
  "POST /me/totp/confirm": () => ({ data: { recoveryCodes: RECOVERY_CODES, session: sessionOf() } }),
};
const GONE = () => ({ status: 410, code: "used_or_expired" });

const openRow = (index: number) => async (page: Page) => {
  await page.locator(".row-button").nth(index).click();
  await page.locator("dialog h2").waitFor();
};

const CASES: AccessibilityCase[] = [
  { name: "sign-in", path: "/portal", handlers: NOBODY, until: (page) => page.getByLabel("E-mail address").waitFor() },
  {
    name: "a refused sign-in",
    path: "/portal/sign-in",
    handlers: { ...NOBODY, "POST /session": () => ({ status: 401, code: "invalid_login" }) },
    until: async (page) => {
      await page.getByLabel("E-mail address").fill("anna.rossi@example.com");
      await page.getByLabel("Password", { exact: true }).fill("wrong");
      await page.keyboard.press("Enter");
      await page.getByText("is wrong").waitFor();
    },
  },
  {
    name: "the second factor",
    path: "/portal/users",
    handlers: { "GET /session": () => ({ data: sessionOf({ stage: "factor", methods: ["totp", "passkey", "recovery"] }) }) },
    until: (page) => page.getByLabel("Code").waitFor(),
  },
  { name: "enrolment", path: "/portal", handlers: ENROLLING, until: (page) => page.getByRole("img", { name: /QR code/ }).waitFor() },
  {
    name: "recovery codes",
    path: "/portal",
    handlers: ENROLLING,
    until: async (page) => {
      await page.getByLabel("Code").fill("123456");
      await page.keyboard.press("Enter");
      await page.getByText(RECOVERY_CODES[0] ?? "").waitFor();
    },
  },
  {
    name: "an invitation",
    path: "/portal/invitation/a-token",
    handlers: { ...NOBODY, "GET /invitations/*": () => ({ data: invitationOf() }) },
    until: (page) => page.getByLabel("New password", { exact: true }).waitFor(),
  },
  {
    name: "an invitation for somebody with an account",
    path: "/portal/invitation/a-token",
    handlers: { ...NOBODY, "GET /invitations/*": () => ({ data: invitationOf({ hasAccount: true }) }) },
    until: (page) => page.getByLabel("Password", { exact: true }).waitFor(),
  },
  {
    name: "an invitation that was used",
    path: "/portal/invitation/a-token",
    handlers: { ...NOBODY, "GET /invitations/*": GONE },
    until: (page) => page.getByText("is no longer valid").waitFor(),
  },
  { name: "a forgotten password", path: "/portal/forgot", handlers: NOBODY, until: (page) => page.getByLabel("E-mail address").waitFor() },
  {
    name: "a new password",
    path: "/portal/reset/a-token",
    handlers: NOBODY,
    until: (page) => page.getByLabel("New password", { exact: true }).waitFor(),
  },
  {
    name: "the overview",
    path: "/portal",
    handlers: ANNA,
    until: async (page) => {
      await page.locator("canvas").waitFor();
      await page.getByText("1 of 2").waitFor();
    },
  },
  {
    name: "the overview as a table",
    path: "/portal",
    handlers: ANNA,
    until: async (page) => {
      await page.getByRole("button", { name: "Show as table" }).click();
      await page.getByRole("button", { name: "Show as chart" }).waitFor();
    },
  },
  {
    name: "an overview that cannot be loaded",
    path: "/portal",
    handlers: { ...ANNA, "GET /overview": () => ({ status: 503, code: "unavailable" }) },
    until: (page) => page.getByRole("button", { name: "Try again" }).waitFor(),
  },
  { name: "transactions", path: "/portal/transactions", handlers: ANNA, until: (page) => page.locator(".row-button").nth(2).waitFor() },
  {
    name: "no transactions",
    path: "/portal/transactions?status=KO",
    handlers: { ...ANNA, "GET /transactions": () => ({ data: { items: [], next: null } }) },
    until: (page) => page.locator(".empty").waitFor(),
  },
  {
    name: "a transaction",
    path: `/portal/transactions/${TRANSACTION.uuid}`,
    handlers: ANNA,
    until: (page) => page.locator("dialog").getByText("A1B2C3").waitFor(),
  },
  { name: "payment links", path: "/portal/payment-links", handlers: ANNA, until: (page) => page.locator(".row-button").nth(7).waitFor() },
  {
    name: "no payment links",
    path: "/portal/payment-links",
    handlers: { ...ANNA, "GET /payment-links": () => ({ data: { items: [], next: null } }) },
    until: (page) => page.locator(".empty").waitFor(),
  },
  ...Object.entries(LINKS).map(([name, { id }]) => ({
    name: `a payment link: ${name}`,
    path: `/portal/payment-links/${id}`,
    handlers: ANNA,
    until: (page: Page) => page.locator("dialog").getByText("Payment attempts").waitFor(),
  })),
  {
    name: "a payment link to create, with what is wrong",
    path: "/portal/payment-links",
    handlers: ANNA,
    until: async (page) => {
      await page.locator("main").getByRole("button", { name: "New link" }).first().click();
      await page.locator("dialog").getByLabel("Valid for").selectOption("other");
      await page.locator("dialog").getByRole("button", { name: "Create link" }).click();
      await page.getByText("Enter an amount, for example").waitFor();
    },
  },
  {
    name: "a payment link that was created",
    path: "/portal/payment-links",
    handlers: { ...ANNA, "POST /payment-links": () => ({ status: 201, data: LINKS.pending }) },
    until: async (page) => {
      await page.locator("main").getByRole("button", { name: "New link" }).first().click();
      await page.locator("dialog").getByLabel("Amount").fill("49.90");
      await page.locator("dialog").getByLabel("Description").fill("Two tickets");
      await page.keyboard.press("Enter");
      await page.getByText("The link is ready").waitFor();
    },
  },
  {
    name: "a QR code",
    path: `/portal/payment-links/${LINKS.pending.id}`,
    handlers: ANNA,
    until: async (page) => {
      await page.getByRole("button", { name: "QR code" }).click();
      await page.getByText("Download as SVG").waitFor();
    },
  },
  {
    name: "a mail with a payment link",
    path: `/portal/payment-links/${LINKS.pending.id}`,
    handlers: ANNA,
    until: async (page) => {
      await page.getByRole("button", { name: "Send by e-mail" }).click();
      await page.getByText("Language of the e-mail").waitFor();
    },
  },
  {
    name: "a payment link to cancel",
    path: `/portal/payment-links/${LINKS.beingPaid.id}`,
    handlers: ANNA,
    until: async (page) => {
      await page.getByRole("button", { name: "Cancel link" }).click();
      await page.getByText("Cancel this payment link?").waitFor();
    },
  },
  {
    name: "a refund whose outcome is not known",
    path: `/portal/transactions/${LINK_TRANSACTION.uuid}`,
    handlers: {
      ...ANNA,
      "GET /transactions/*": () => ({ data: LINK_TRANSACTION }),
      "POST /transactions/*/refund": () => ({ status: 409, code: "outcome_unknown" }),
    },
    until: async (page) => {
      await page.getByRole("button", { name: "Refund", exact: true }).click();
      await page.getByRole("button", { name: "Refund €49.90" }).click();
      await page.getByText("We keep checking").waitFor();
    },
  },
  {
    name: "the overview with tasks of links",
    path: "/portal",
    handlers: {
      ...ANNA,
      "GET /overview": () => ({
        data: {
          ...OVERVIEW,
          tasks: ["link_late", "link_paid_twice", "link_refund_unknown"].map((kind) =>
            taskOf({ kind, subject: LINKS.late.id, amountMinor: 4_990, currency: "EUR", about: "Ten seats" }),
          ),
        },
      }),
    },
    until: (page) => page.getByText("Link paid twice").waitFor(),
  },
  { name: "terminals", path: "/portal/terminals", handlers: ANNA, until: (page) => page.locator(".row-button").nth(1).waitFor() },
  {
    name: "a terminal",
    path: "/portal/terminals/SIM00001",
    handlers: ANNA,
    until: (page) => page.locator("dialog h2").waitFor(),
  },
  {
    name: "the audit log",
    path: "/portal/audit",
    handlers: ANNA,
    until: (page) => page.getByText("last_owner").or(page.locator(".badge-bad")).first().waitFor(),
  },
  {
    name: "endpoints of webhooks",
    path: "/portal/webhooks",
    handlers: ANNA,
    until: (page) => page.getByText("2 of 16 endpoints").waitFor(),
  },
  {
    name: "no endpoints of webhooks",
    path: "/portal/webhooks",
    handlers: { ...ANNA, "GET /webhooks": () => ({ data: { ...WEBHOOKS, items: [] } }) },
    until: (page) => page.getByText("No endpoints yet").waitFor(),
  },
  { name: "an endpoint of webhooks", path: "/portal/webhooks", handlers: ANNA, until: openRow(1) },
  {
    name: "an endpoint to write",
    path: "/portal/webhooks",
    handlers: ANNA,
    until: async (page) => {
      await page.getByText("2 of 16 endpoints").waitFor();
      await page.getByRole("button", { name: "Add endpoint" }).click();
      await page.getByRole("radio", { name: "Selected events" }).check();
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText("Choose at least one event.").waitFor();
    },
  },
  {
    name: "the secret of an endpoint",
    path: "/portal/webhooks",
    handlers: ANNA,
    until: async (page) => {
      await page.getByText("2 of 16 endpoints").waitFor();
      await page.getByRole("button", { name: "Add endpoint" }).click();
      await page.getByLabel("Address").fill("https://shop.example/hooks");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText("The secret is shown only now").waitFor();
    },
  },
  {
    name: "deliveries of webhooks",
    path: "/portal/webhooks?tab=deliveries",
    handlers: ANNA,
    until: (page) => page.getByText("3 deliveries in total").waitFor(),
  },
  {
    name: "a delivery of a webhook",
    path: "/portal/webhooks/evt_0d8f5k2m9q4r7s1t3u6v8w0x.we_1a2b3c4d5e6f7g8h9i0j1k2l?tab=deliveries",
    handlers: ANNA,
    until: (page) => page.getByText("Response 500").waitFor(),
  },
  { name: "the log of steps", path: "/portal/logs", handlers: ANNA, until: (page) => page.getByText("3 entries in total").waitFor() },
  {
    name: "the log of calls",
    path: "/portal/logs?tab=calls",
    handlers: ANNA,
    until: (page) => page.getByText("3 entries in total").waitFor(),
  },
  { name: "a step of the log", path: "/portal/logs", handlers: ANNA, until: openRow(0) },
  { name: "a call of the log", path: "/portal/logs?tab=calls", handlers: ANNA, until: openRow(0) },
  {
    name: "the logs without their database",
    path: "/portal/logs",
    handlers: { ...ANNA, "GET /logs/workflow": () => ({ status: 503, code: "unavailable" }) },
    until: (page) => page.getByText("Not available at the moment").waitFor(),
  },
  { name: "users", path: "/portal/users", handlers: ANNA, until: (page) => page.getByText("4 of 5 users").waitFor() },
  { name: "a user", path: "/portal/users", handlers: ANNA, until: openRow(1) },
  { name: "the last owner", path: "/portal/users", handlers: ANNA, until: openRow(0) },
  {
    name: "an invitation to write",
    path: "/portal/users",
    handlers: ANNA,
    until: async (page) => {
      await page.getByText("4 of 5 users").waitFor();
      await page.getByRole("button", { name: "Invite a user" }).click();
      await page.locator("dialog h2").waitFor();
    },
  },
  {
    name: "users that cannot be loaded",
    path: "/portal/users",
    handlers: { ...ANNA, "GET /users": () => ({ status: 503, code: "unavailable" }) },
    until: (page) => page.getByRole("button", { name: "Try again" }).waitFor(),
  },
  { name: "settings", path: "/portal/settings", handlers: ANNA, until: (page) => page.getByText("Safari on iPhone").waitFor() },
  {
    name: "the question for a second factor",
    path: "/portal/settings",
    handlers: { ...ANNA, "POST /me/recovery-codes": () => ({ status: 403, code: "step_up_required" }) },
    until: async (page) => {
      await page.getByRole("button", { name: "Create new codes" }).click();
      await page.locator("dialog").getByRole("button", { name: "Create new codes" }).click();
      await page.getByText("Confirm it is you").waitFor();
    },
  },
  {
    name: "the choice of merchants",
    path: "/portal/settings",
    handlers: TWO_MERCHANTS,
    until: async (page) => {
      await page.getByText("Safari on iPhone").waitFor();
      await page.getByRole("button", { name: "Switch merchant" }).click();
      await page.getByText("Bar Centrale").waitFor();
    },
  },
  {
    name: "no page",
    path: "/portal/nothing-here",
    handlers: ANNA,
    until: (page) => page.getByRole("link", { name: "Go to the start page" }).waitFor(),
  },
  {
    name: "payment methods",
    path: "/portal/payment-methods",
    handlers: ANNA,
    until: (page) => page.getByRole("switch", { name: "Use Bizum" }).waitFor(),
  },
  {
    name: "a payment method's form with what is wrong",
    path: "/portal/payment-methods/BANCOMAT_PAY",
    handlers: ANNA,
    until: async (page) => {
      await page.getByLabel("Name shown to customers").fill("A name of more than thirty-five characters");
      await page.getByText("At most 35 characters.").waitFor();
    },
  },
  {
    name: "a payment method of free members",
    path: "/portal/payment-methods/IGFS",
    handlers: ANNA,
    until: async (page) => {
      await page.getByRole("button", { name: "Add" }).click();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("This field is required.").first().waitFor();
    },
  },
  {
    name: "a payment method that was changed meanwhile",
    path: "/portal/payment-methods/BANCOMAT_PAY",
    handlers: { ...ANNA, "PUT /payment-methods/*": () => ({ status: 409, code: "conflict" }) },
    until: async (page) => {
      await page.getByLabel("Name shown to customers").fill("Bar");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Somebody else has changed this configuration").waitFor();
    },
  },
  {
    name: "a payment method for who may only look",
    path: "/portal/payment-methods/BANCOMAT_PAY",
    handlers: { ...ANNA, "GET /session": () => ({ data: sessionOf({ merchant: { ...MERCHANT, role: "VIEWER" } }) }) },
    until: (page) => page.getByText("Name shown to customers").waitFor(),
  },
  { name: "keys", path: "/portal/keys", handlers: ANNA, until: (page) => page.getByText(KEYS.publishableKey ?? "").waitFor() },
  {
    name: "keys that wait for an owner",
    path: "/portal/keys",
    handlers: { ...ANNA, "GET /keys": () => ({ data: { ...KEYS, pending: PENDING_KEYS } }) },
    until: (page) => page.getByRole("button", { name: "Reject them" }).waitFor(),
  },
  {
    name: "a question before new keys",
    path: "/portal/keys",
    handlers: ANNA,
    until: async (page) => {
      await page.getByRole("button", { name: "Create a new pair" }).click();
      await page.getByText("cannot take payments until").waitFor();
    },
  },
  {
    name: "new keys",
    path: "/portal/keys",
    handlers: { ...ANNA, "POST /keys": () => ({ status: 201, data: NEW_KEYS }) },
    until: async (page) => {
      await page.getByRole("button", { name: "Create a new pair" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Create a new pair" }).click();
      await page.getByText(NEW_KEYS.secretKey).waitFor();
    },
  },
];

test("breaks neither WCAG A or AA, its policy nor its width, in both themes, on a phone and on a desk", {
  skip: NO_BROWSER,
  timeout: 900_000,
}, async (t) => {
  await lookAtEvery(t, "portal", CASES);
});

test("keeps the same rules on the pages of disputes and alerts in every state", { skip: NO_BROWSER, timeout: 900_000 }, async (t) => {
  await lookAtEvery(t, "portal", DISPUTE_CASES);
});
