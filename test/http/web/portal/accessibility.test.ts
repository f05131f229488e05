import { test } from "node:test";
import type { Page } from "playwright-core";
import { NO_BROWSER } from "../../../support/browser.ts";
import { type AccessibilityCase, lookAtEvery } from "./accessibility-cases.ts";
import {
  AUDIT,
  invitationOf,
  MERCHANT,
  meOf,
  OVERVIEW,
  RECOVERY_CODES,
  SESSIONS,
  sessionOf,
  signedOut,
  TEAM,
  TOTP,
  TRANSACTION,
  TRANSACTIONS,
  terminalsOf,
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
  "GET /terminals": () => ({ data: terminalsOf() }),
  "GET /audit": () => ({ data: AUDIT }),
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
      await page.getByText("is not right").waitFor();
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
    until: (page) => page.getByText("does not work any more").waitFor(),
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
      await page.getByRole("button", { name: "Make new codes" }).click();
      await page.locator("dialog").getByRole("button", { name: "Make new codes" }).click();
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
];

test("no page breaks WCAG A or AA, its policy or its width, in both themes, on a phone and on a desk", {
  skip: NO_BROWSER,
  timeout: 300_000,
}, async (t) => {
  await lookAtEvery(t, "portal", CASES);
});
