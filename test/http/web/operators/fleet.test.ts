import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { type FakeHandler, fakeRelay } from "../portal/fake-relay.ts";
import { openPortal } from "../portal/portal-page.ts";
import { actionOf, FLEET_SUMMARY, PAOLA, sessionOf } from "./fake-operations.ts";

const skip = { skip: NO_BROWSER, timeout: 60_000 };

const seen = (page: Page, text: string) => page.getByText(text).filter({ visible: true }).first().waitFor();
const dialog = (page: Page) => page.locator("dialog").last();
const click = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).last().click();

const few: FakeHandler = () => ({ data: { ...FLEET_SUMMARY, matching: 3 } });
const created: FakeHandler = () => ({ status: 201, data: actionOf() });

test("the fleet is filtered by what the address says, with the values that terminals have as choices", skip, async (t) => {
  const { url, page, faults } = await openPortal(t, "operators");
  const { calls } = await fakeRelay(page, PAOLA, "/admin");
  await page.goto(`${url}/admin/ui/fleet?connection=OFFLINE&seen=NEVER&version=4.1.0`);
  await seen(page, "3 terminals");
  const list = calls.find(({ path }) => path === "/fleet/terminals");
  assert.deepEqual(Object.fromEntries(list?.query ?? []), { connection: "OFFLINE", version: "4.1.0", limit: "50" });
  assert.deepEqual(await page.getByLabel("App version").locator("option").allInnerTexts(), ["All", "4.1.0 (900)", "4.2.0 (304)"]);
  await page.getByLabel("Group", { exact: true }).selectOption("pilot");
  await page.waitForURL("**version=4.1.0&group=pilot");
  await seen(page, "3 terminals");
  assert.equal(calls.findLast(({ path }) => path === "/fleet/terminals")?.query.get("group"), "pilot");
  assert.equal(calls.findLast(({ path }) => path === "/fleet")?.query.get("group"), "pilot");
  assert.deepEqual(faults, []);
});

test("logs are requested of selected terminals, and the progress of each is shown until it ends", skip, async (t) => {
  const { url, page, faults } = await openPortal(t, "operators");
  let action = actionOf();
  const { calls } = await fakeRelay(
    page,
    { ...PAOLA, "GET /fleet": few, "POST /fleet/actions": created, "GET /fleet/actions/*": () => ({ data: action }) },
    "/admin",
  );
  await page.goto(`${url}/admin/ui/fleet`);
  await page.getByLabel("Select SIM00001").check();
  await page.getByLabel("Select SIM00003").check();
  await page.getByLabel("Select SIM00002").check();
  await page.getByLabel("Select SIM00003").uncheck();
  await seen(page, "Selected: 2");
  await click(page, "Request logs");
  await seen(page, "Request logs: 2 terminals");
  await click(page, "Start");
  await page.waitForURL("**/admin/ui/fleet/fla_1");
  await seen(page, "The terminal is offline.");
  await dialog(page).getByText("2 of 3").waitFor();
  const [first, second, third] = action.tasks;
  assert.ok(first && second && third);
  action = actionOf({
    state: "DONE",
    counts: { ...action.counts, PENDING: 0, SENT: 2 },
    tasks: [first, second, { ...third, outcome: "SENT" }],
  });
  await dialog(page).getByText("3 of 3").waitFor();
  assert.equal(await dialog(page).getByRole("button", { name: "Stop" }).count(), 0);
  await dialog(page).getByRole("button", { name: "1 Refused" }).click();
  assert.deepEqual(await dialog(page).locator("tbody a").allInnerTexts(), ["SIM00002"]);
  const [sent] = calls.filter(({ method }) => method === "POST");
  assert.deepEqual([sent?.path, sent?.body], ["/fleet/actions", { type: "LOGS", terminalIds: ["SIM00001", "SIM00002"] }]);
  assert.deepEqual(faults, []);
});

test("all that match are selected by the filter; settings are set, and too many terminals are refused before", skip, async (t) => {
  const { url, page } = await openPortal(t, "operators");
  let matching = FLEET_SUMMARY.matching;
  const { calls } = await fakeRelay(
    page,
    { ...PAOLA, "GET /fleet": () => ({ data: { ...FLEET_SUMMARY, matching } }), "POST /fleet/actions": created },
    "/admin",
  );
  await page.goto(`${url}/admin/ui/fleet?model=P2`);
  await click(page, "Select all that match (1,204)");
  await seen(page, "1,204 terminals match. An action may have at most 1,000: filter further.");
  assert.equal(await page.getByRole("button", { name: "Restart" }).isDisabled(), true);
  matching = 3;
  await page.goto(`${url}/admin/ui/fleet?model=P2&connection=ONLINE`);
  await click(page, "Select all that match (3)");
  await click(page, "Apply settings");
  await click(page, "Start");
  await seen(page, "Enter settings, or set the group.");
  await page.getByLabel("Settings", { exact: true }).fill("brightness = 80\nidleText=Buongiorno\n\nkiosk = true");
  await page.getByLabel("Set the group").check();
  await dialog(page).getByLabel("Group", { exact: true }).fill("pilot");
  await click(page, "Start");
  await page.waitForURL("**/admin/ui/fleet/fla_1");
  assert.deepEqual(calls.find(({ method }) => method === "POST")?.body, {
    type: "SETTINGS",
    filter: { connection: "ONLINE", model: "P2" },
    group: "pilot",
    settings: { brightness: 80, idleText: "Buongiorno", kiosk: true },
  });
});

test("a version is installed and terminals are restarted after a question; a refusal is told in the relay's words", skip, async (t) => {
  const { url, page } = await openPortal(t, "operators");
  const { calls } = await fakeRelay(
    page,
    {
      ...PAOLA,
      "GET /fleet": few,
      "POST /fleet/actions": () => ({ status: 409, code: "conflict", message: "3 actions are running; wait for one, or stop it" }),
    },
    "/admin",
  );
  await page.goto(`${url}/admin/ui/fleet`);
  await click(page, "Select the shown ones (3)");
  await click(page, "Install a version");
  await click(page, "Start");
  await dialog(page).locator(".field-error", { hasText: "Choose a version." }).waitFor();
  await dialog(page).getByLabel("App version").selectOption("3");
  await click(page, "Start");
  await seen(page, "3 actions are running; wait for one, or stop it");
  await page.keyboard.press("Escape");
  await click(page, "Restart");
  await seen(page, "Only terminals that say that they can restart are restarted");
  await click(page, "Start");
  await seen(page, "3 actions are running; wait for one, or stop it");
  const ids = ["SIM00001", "SIM00002", "SIM00003"];
  assert.deepEqual(
    calls.filter(({ method }) => method === "POST").map(({ body }) => body),
    [
      { type: "INSTALL", terminalIds: ids, versionId: 3 },
      { type: "RESTART", terminalIds: ids },
    ],
  );
});

test("a running action is stopped after a question", skip, async (t) => {
  const { url, page } = await openPortal(t, "operators");
  let action = actionOf();
  const { calls } = await fakeRelay(
    page,
    {
      ...PAOLA,
      "GET /fleet/actions/*": () => ({ data: action }),
      "POST /fleet/actions/fla_1/stop": () => {
        action = actionOf({ state: "STOPPED", counts: { ...action.counts, PENDING: 0, SKIPPED: 1 } });
        return { data: action };
      },
    },
    "/admin",
  );
  await page.goto(`${url}/admin/ui/fleet?tab=actions`);
  await page.locator(".row-button").first().click();
  await click(page, "Stop");
  await click(page, "Stop");
  await dialog(page).getByText("Stopped", { exact: true }).waitFor();
  assert.equal(calls.filter(({ method }) => method === "POST").length, 1);
});

test("read-only administrators look at the fleet and at actions, and select nothing", skip, async (t) => {
  const { url, page } = await openPortal(t, "operators");
  await fakeRelay(page, { ...PAOLA, "GET /session": () => ({ data: sessionOf({ role: "read-only" }) }) }, "/admin");
  await page.goto(`${url}/admin/ui/fleet`);
  await seen(page, "3 terminals");
  assert.equal(await page.locator("main input[type=checkbox]").count(), 0);
  assert.equal(await page.getByRole("button", { name: /select|restart|install|logs/i }).count(), 0);
  await page.goto(`${url}/admin/ui/fleet/fla_1`);
  await seen(page, "The terminal is offline.");
  assert.equal(await page.getByRole("button", { name: "Stop" }).count(), 0);
});
