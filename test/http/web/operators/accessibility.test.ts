import { test } from "node:test";
import type { Page } from "playwright-core";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { type AccessibilityCase, lookAtEvery } from "../portal/accessibility-cases.ts";
import { RECOVERY_CODES, TOTP } from "../portal/fake-relay.ts";
import { FLEET_SUMMARY, NOBODY, nodeOf, PAOLA, partnerOf, sessionOf, UUID } from "./fake-operations.ts";

const SIGNED_OUT = { "GET /session": () => ({ data: NOBODY }) };
const ENROLLING = {
  "GET /session": () => ({ data: sessionOf({ stage: "enrol", methods: [] }) }),
  "POST /factors/totp": () => ({ data: TOTP }),
  "POST /factors/totp/confirm": () => ({ data: { recoveryCodes: RECOVERY_CODES, session: sessionOf() } }),
};

const seen = (text: string) => (page: Page) => page.getByText(text).filter({ visible: true }).first().waitFor();

const CASES: AccessibilityCase[] = [
  { name: "sign-in", path: "/admin", handlers: SIGNED_OUT, until: (page) => page.getByLabel("Name", { exact: true }).waitFor() },
  {
    name: "a refused sign-in",
    path: "/admin/ui/sign-in",
    handlers: { ...SIGNED_OUT, "POST /session": () => ({ status: 401, code: "invalid_login" }) },
    until: async (page) => {
      await page.getByLabel("Name", { exact: true }).fill("paola");
      await page.getByLabel("Password", { exact: true }).fill("wrong");
      await page.keyboard.press("Enter");
      await page.getByText("is wrong").waitFor();
    },
  },
  {
    name: "the second factor",
    path: "/admin",
    handlers: { "GET /session": () => ({ data: sessionOf({ stage: "factor", methods: ["totp", "passkey", "recovery"] }) }) },
    until: (page) => page.getByLabel("Code").waitFor(),
  },
  { name: "enrolment", path: "/admin", handlers: ENROLLING, until: (page) => page.getByRole("img", { name: /QR code/ }).waitFor() },
  {
    name: "recovery codes",
    path: "/admin",
    handlers: ENROLLING,
    until: async (page) => {
      await page.getByLabel("Code").fill("123456");
      await page.keyboard.press("Enter");
      await page.getByText(RECOVERY_CODES[0] ?? "").waitFor();
    },
  },
  { name: "attention", path: "/admin", handlers: PAOLA, until: seen("4 entries") },
  { name: "attention of a kind", path: "/admin?kind=unreadable&order=oldest", handlers: PAOLA, until: seen("1 entry") },
  {
    name: "an entry",
    path: "/admin?kind=unreadable",
    handlers: PAOLA,
    until: async (page) => {
      await page.locator(".row-button").first().click();
      await page.getByRole("heading", { name: "Received data" }).waitFor();
    },
  },
  {
    name: "nothing to look at",
    path: "/admin",
    handlers: { ...PAOLA, "GET /attention": () => ({ data: [] }), "GET /session": () => ({ data: sessionOf({ mode: "sandbox" }) }) },
    until: seen("Nothing needs attention"),
  },
  {
    name: "attention that cannot be loaded",
    path: "/admin",
    handlers: { ...PAOLA, "GET /attention": () => ({ status: 503, code: "unavailable" }) },
    until: (page) => page.getByRole("button", { name: "Try again" }).waitFor(),
  },
  { name: "search", path: "/admin/ui/search", handlers: PAOLA, until: (page) => page.getByLabel("Uuid or id").waitFor() },
  { name: "what was found", path: `/admin/ui/search?q=${UUID}`, handlers: PAOLA, until: seen("3 results") },
  {
    name: "nothing found",
    path: "/admin/ui/search?q=none",
    handlers: {
      ...PAOLA,
      "GET /search": () => ({
        data: { items: [], clickhouse: "away", places: [], near: [{ kind: "terminal", id: "SIM00001", name: null }] },
      }),
    },
    until: seen("No results"),
  },
  { name: "terminals", path: "/admin/ui/terminals", handlers: PAOLA, until: seen("3 terminals") },
  { name: "no terminals", path: "/admin/ui/terminals?q=X", handlers: PAOLA, until: (page) => page.locator(".empty").waitFor() },
  { name: "a terminal", path: "/admin/ui/terminals/SIM00001", handlers: PAOLA, until: seen("Last results") },
  {
    name: "a question",
    path: "/admin/ui/terminals/SIM00002",
    handlers: PAOLA,
    until: async (page) => {
      await page.getByRole("button", { name: "Restore login" }).click();
      await page.getByText("It can connect again at once.").waitFor();
    },
  },
  { name: "partners", path: "/admin/ui/partners", handlers: PAOLA, until: seen("2 partners") },
  { name: "a partner", path: "/admin/ui/partners/7", handlers: PAOLA, until: seen("Bar Centrale") },
  {
    name: "rates of a partner",
    path: "/admin/ui/partners/7",
    handlers: { ...PAOLA, "GET /api/partners/7": () => ({ data: partnerOf({ rateLimits: { pay: 200, get: 500 } }) }) },
    until: async (page) => {
      await page.getByRole("button", { name: "Change rates" }).click();
      await page.locator("dialog.dialog").getByLabel("Get").fill("5000");
      await page.keyboard.press("Enter");
      await page.getByText("Enter a whole number from 1 to 1,000").waitFor();
    },
  },
  { name: "merchants", path: "/admin/ui/merchants", handlers: PAOLA, until: seen("2 merchants") },
  { name: "a merchant", path: "/admin/ui/merchants/SHOP-001", handlers: PAOLA, until: seen("luca.ferrari@example.com") },
  { name: "no merchant", path: "/admin/ui/merchants/SHOP-009", handlers: PAOLA, until: seen("Merchant not found") },
  {
    name: "an invitation to write",
    path: "/admin/ui/merchants/SHOP-001",
    handlers: PAOLA,
    until: async (page) => {
      await page.getByRole("button", { name: "Invite a user" }).click();
      await page.getByRole("heading", { name: "Invite a user" }).waitFor();
    },
  },
  { name: "roll-outs", path: "/admin/ui/rollouts", handlers: PAOLA, until: seen("44 failed") },
  { name: "a roll-out", path: "/admin/ui/rollouts/7", handlers: PAOLA, until: seen("needs 120 MB") },
  { name: "a roll-out in rings", path: "/admin/ui/rollouts/8", handlers: PAOLA, until: seen("Ring 2 of 3") },
  {
    name: "a version to upload",
    path: "/admin/ui/rollouts",
    handlers: PAOLA,
    until: async (page) => {
      await page.getByRole("button", { name: "Upload a version" }).click();
      await page.locator("dialog").getByRole("button", { name: "Upload" }).click();
      await page.getByText("Choose the package.").waitFor();
    },
  },
  {
    name: "a roll-out to plan",
    path: "/admin/ui/rollouts",
    handlers: PAOLA,
    until: async (page) => {
      await page.getByRole("button", { name: "New roll-out" }).click();
      await page.getByLabel("In rings").check();
      await page.getByLabel("Ring 2: percentage").fill("500");
      await page.locator("dialog").getByRole("button", { name: "Create" }).click();
      await page.getByText("Enter a number from 0 to 100.").waitFor();
    },
  },
  {
    name: "the fleet",
    path: "/admin/ui/fleet?version=4.2.0&seen=WEEK",
    handlers: PAOLA,
    until: async (page) => {
      await page.getByText("3 terminals").waitFor();
      await page.getByLabel("Select SIM00001").check();
      await page.getByText("Selected: 1").waitFor();
    },
  },
  {
    name: "settings for the fleet",
    path: "/admin/ui/fleet",
    handlers: { ...PAOLA, "GET /fleet": () => ({ data: { ...FLEET_SUMMARY, matching: 3, complete: false } }) },
    until: async (page) => {
      await page.getByRole("button", { name: "Select all that match (3)" }).click();
      await page.getByRole("button", { name: "Apply settings" }).click();
      await page.getByLabel("Set the group").check();
      await page.getByLabel("Settings", { exact: true }).fill("no setting");
      await page.getByRole("button", { name: "Start", exact: true }).click();
      await page.getByText("This line is no setting: no setting").waitFor();
    },
  },
  { name: "actions", path: "/admin/ui/fleet?tab=actions", handlers: PAOLA, until: seen("2 actions") },
  { name: "an action", path: "/admin/ui/fleet/fla_1", handlers: PAOLA, until: seen("The terminal is offline.") },
  { name: "machine tokens", path: "/admin/ui/machines", handlers: PAOLA, until: seen("network-feed") },
  {
    name: "a machine token to make",
    path: "/admin/ui/machines",
    handlers: PAOLA,
    until: async (page) => {
      await page.getByRole("button", { name: "Create token" }).click();
      await page.getByLabel("Valid for (days)").waitFor();
    },
  },
  { name: "the audit log", path: "/admin/ui/audit", handlers: PAOLA, until: seen("partner.create") },
  {
    name: "an entry of the audit log",
    path: "/admin/ui/audit",
    handlers: PAOLA,
    until: async (page) => {
      await page.locator(".row-button").nth(1).click();
      await page.locator("dialog").getByText("gwTml").waitFor();
    },
  },
  { name: "mails", path: "/admin/ui/mails", handlers: PAOLA, until: seen("2 e-mails") },
  {
    name: "a mail",
    path: "/admin/ui/mails/inv_4fK2mQ8vX1cZ7nB3sD5gHj",
    handlers: PAOLA,
    until: async (page) => {
      await page.getByRole("button", { name: "Show content" }).click();
      await page.getByText("You are invited to the portal").waitFor();
    },
  },
  { name: "health", path: "/admin/ui/cluster", handlers: PAOLA, until: seen("relay-2") },
  {
    name: "a node to drain",
    path: "/admin/ui/cluster",
    handlers: PAOLA,
    until: async (page) => {
      await page.getByRole("button", { name: "Drain: relay-1" }).click();
      await page.locator("dialog h2").waitFor();
    },
  },
  {
    name: "the only live node",
    path: "/admin/ui/cluster",
    handlers: { ...PAOLA, "POST /cluster/nodes/*/drain": () => ({ status: 409, code: "conflict" }) },
    until: async (page) => {
      await page.getByRole("button", { name: "Drain: relay-1" }).click();
      await page.locator("dialog").getByRole("button", { name: "Drain" }).click();
      await page.getByLabel("Drain it anyway").waitFor();
    },
  },
  {
    name: "a node that drains",
    path: "/admin/ui/cluster",
    handlers: {
      ...PAOLA,
      "GET /cluster": () => ({ data: { nodes: [nodeOf({ state: "draining" }), nodeOf({ nodeId: "relay-2", incarnation: "relay-2#1" })] } }),
    },
    until: seen("Draining"),
  },
  { name: "the own account", path: "/admin/ui/account", handlers: PAOLA, until: seen("Work laptop") },
  {
    name: "a new password",
    path: "/admin/ui/account",
    handlers: PAOLA,
    until: async (page) => {
      await page.getByRole("button", { name: "Change the password" }).click();
      await page.locator("dialog").getByLabel("New password", { exact: true }).waitFor();
    },
  },
  {
    name: "no page",
    path: "/admin/ui/nothing-here",
    handlers: PAOLA,
    until: (page) => page.getByRole("link", { name: "Go to the start page" }).waitFor(),
  },
];

test("no page for operators breaks WCAG A or AA, its policy or its width, in both themes, on a phone and on a desk", {
  skip: NO_BROWSER,
  timeout: 600_000,
}, async (t) => {
  await lookAtEvery(t, "operators", CASES);
});
