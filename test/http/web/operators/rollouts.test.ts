import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import type { DeploymentJson } from "../../../../http/web/operators/api/types.ts";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { eventually } from "../../../support/within.ts";
import { fakeRelay } from "../portal/fake-relay.ts";
import { openPortal } from "../portal/portal-page.ts";
import { deploymentOf, PAOLA, progressOf, RINGS, sessionOf, VERSIONS } from "./fake-operations.ts";

const skip = { skip: NO_BROWSER, timeout: 60_000 };

const seen = (page: Page, text: string) => page.getByText(text).filter({ visible: true }).first().waitFor();
const dialog = (page: Page) => page.locator("dialog").last();
const press = (page: Page, name: string) => dialog(page).getByRole("button", { name, exact: true }).click();

const APK = { name: "app.apk", mimeType: "application/vnd.android.package-archive", buffer: Buffer.from("PK\u0003\u0004 an app") };

test("roll-outs update by themselves while they are seen, and are paused and resumed after a question", skip, async (t) => {
  const { url, page, faults } = await openPortal(t, "operators");
  let installed = 661;
  let state: DeploymentJson["state"] = "active";
  const shown = () => deploymentOf({ state, counts: { offered: 812, downloaded: 790, installed, failed: 44 } });
  const { calls } = await fakeRelay(
    page,
    {
      ...PAOLA,
      "GET /app-deployments": () => ({ data: [shown()] }),
      "GET /app-deployments/7/progress": () => ({ data: progressOf(shown()) }),
      "POST /app-deployments/7/pause": () => {
        state = "paused";
        return { data: shown() };
      },
      "POST /app-deployments/7/resume": () => {
        state = "active";
        return { data: shown() };
      },
    },
    "/admin",
  );
  await page.goto(`${url}/admin/ui/rollouts`);
  await seen(page, "661 of 812 installed");
  installed = 700;
  await seen(page, "700 of 812 installed");
  await page.locator(".row-button").first().click();
  await page.waitForURL("**/admin/ui/rollouts/7");
  await press(page, "Pause");
  await press(page, "Pause");
  await dialog(page).getByText("Paused", { exact: true }).waitFor();
  await press(page, "Resume");
  await press(page, "Resume");
  await dialog(page).getByText("Offered", { exact: true }).waitFor();
  assert.deepEqual(
    calls.filter(({ method }) => method === "POST").map(({ path }) => path),
    ["/app-deployments/7/pause", "/app-deployments/7/resume"],
  );
  assert.deepEqual(faults, []);
});

test("the terminals of each state are listed, and failures are grouped by their reasons", skip, async (t) => {
  const { url, page, faults } = await openPortal(t, "operators");
  const { calls } = await fakeRelay(page, PAOLA, "/admin");
  await page.goto(`${url}/admin/ui/rollouts/7`);
  await seen(page, "The terminal gave no reason");
  await seen(page, "needs 120 MB of free space");
  const tiles = await page.locator(".state-tiles button").allInnerTexts();
  assert.deepEqual(
    tiles.map((tile) => tile.split(/\n+/)),
    [
      ["661", "Installed"],
      ["85", "Downloading"],
      ["12", "Waiting"],
      ["10", "Offline"],
      ["44", "Failed"],
    ],
  );
  const rows = dialog(page).locator("tbody a");
  await rows.nth(1).waitFor();
  await page.getByRole("button", { name: "44 Failed" }).click();
  await eventually(async () => assert.deepEqual(await rows.allInnerTexts(), ["SIM00002"]));
  assert.equal(calls.findLast(({ path }) => path.endsWith("/terminals"))?.query.get("state"), "FAILED");
  assert.deepEqual(faults, []);
});

test("the next ring is started after a question, and a refusal is told in the relay's words", skip, async (t) => {
  const { url, page } = await openPortal(t, "operators");
  let started = 1;
  const shown = () => ({ ...RINGS, ringsStarted: started });
  await fakeRelay(
    page,
    {
      ...PAOLA,
      "GET /app-deployments/8/progress": () => ({ data: progressOf(shown()) }),
      "POST /app-deployments/8/next-ring": () => {
        started += 1;
        return { data: shown() };
      },
      "POST /app-deployments/8/stop": () => ({ status: 409, code: "conflict", message: "This deployment has already ended" }),
    },
    "/admin",
  );
  await page.goto(`${url}/admin/ui/rollouts/8`);
  await seen(page, "pilot, offices");
  assert.equal(await page.getByText("not started").count(), 2);
  await press(page, "Start next ring");
  await press(page, "Start next ring");
  await seen(page, "Ring 2 of 3");
  await press(page, "Stop");
  await press(page, "Stop");
  await seen(page, "This deployment has already ended");
});

test("a version is created and its package uploaded; after a failure only the package is sent again", skip, async (t) => {
  const { url, page, faults } = await openPortal(t, "operators");
  let attempts = 0;
  const [version] = VERSIONS;
  const { calls } = await fakeRelay(
    page,
    {
      ...PAOLA,
      "POST /app-versions": () => ({ data: { ...version, id: 9, versionName: "5.0.0", versionCode: 50, apkUrl: null } }),
      "POST /app-versions/9/upload-apk": () => {
        attempts += 1;
        const message = "file: is not an app package, because it does not begin like a ZIP file";
        return attempts === 1 ? { status: 400, code: "invalid_request", message } : { data: "stored" };
      },
    },
    "/admin",
  );
  await page.goto(`${url}/admin/ui/rollouts`);
  await page.getByRole("button", { name: "Upload a version" }).click();
  await press(page, "Upload");
  for (const problem of ["Enter the name of the version.", "Enter a whole number from 1 to", "Choose the package."])
    await seen(page, problem);
  assert.equal(
    calls.some(({ method }) => method === "POST"),
    false,
  );
  await dialog(page).getByLabel("Version name").fill("5.0.0");
  await dialog(page).getByLabel("Version code").fill("50");
  await dialog(page).locator("input[type=file]").setInputFiles(APK);
  await press(page, "Upload");
  await seen(page, "does not begin like a ZIP file");
  await seen(page, "Version 5.0.0 exists. Only its package is missing.");
  await press(page, "Upload");
  await seen(page, "The package of 5.0.0 is stored.");
  assert.deepEqual(
    calls.filter(({ method }) => method === "POST").map(({ path }) => path),
    ["/app-versions", "/app-versions/9/upload-apk", "/app-versions/9/upload-apk"],
  );
  const created = calls.find(({ path, method }) => path === "/app-versions" && method === "POST");
  assert.deepEqual(created?.body, { versionName: "5.0.0", versionCode: 50, mandatory: false, releaseNotes: "" });
  assert.match(
    String(calls.at(-1)?.headers["content-type"] ?? calls.find(({ path }) => path.endsWith("apk"))?.headers["content-type"]),
    /./,
  );
  assert.deepEqual(
    faults.filter((fault) => !fault.includes("400")),
    [],
  );
});

test("a roll-out is planned in rings or by percentage, and is started later unless it is to start at once", skip, async (t) => {
  const { url, page } = await openPortal(t, "operators");
  const { calls } = await fakeRelay(
    page,
    {
      ...PAOLA,
      "POST /app-versions/3/deploy-global": () => ({ data: RINGS }),
      "POST /app-versions/3/deploy-merchant": () => ({ data: deploymentOf() }),
    },
    "/admin",
  );
  await page.goto(`${url}/admin/ui/rollouts`);
  await page.getByRole("button", { name: "New roll-out" }).click();
  await page.getByLabel("In rings").check();
  await page.getByLabel("Ring 1: groups").fill("pilot, offices,pilot");
  await page.getByLabel("Ring 1: percentage").fill("");
  await page.getByRole("button", { name: "Remove ring 3" }).click();
  await page.getByLabel("Next ring").selectOption("automatic");
  await page.getByLabel("Reports before the next ring").fill("30");
  await press(page, "Create");
  await page.waitForURL("**/admin/ui/rollouts/8");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "New roll-out" }).click();
  await dialog(page).getByLabel("Terminals", { exact: true }).selectOption("merchant");
  await press(page, "Create");
  await seen(page, "Enter an id:");
  await page.getByLabel("Merchant id").fill("SHOP-001");
  await page.getByLabel("Percentage of the terminals").fill("12.5");
  await page.getByLabel("Pause at this percentage of failures").fill("");
  await page.getByLabel("Start it at once").check();
  await press(page, "Create and start");
  await page.waitForURL("**/admin/ui/rollouts/7");
  assert.deepEqual(
    calls.filter(({ method }) => method === "POST").map(({ path, body }) => [path, body]),
    [
      [
        "/app-versions/3/deploy-global",
        {
          rings: [
            { groups: ["pilot", "offices"], percent: 0 },
            { groups: [], percent: 25 },
          ],
          ...{ advanceAfterReports: 30, pauseAtFailurePercent: 10, pauseAfterReports: 10, startsByHand: true },
        },
      ],
      ["/app-versions/3/deploy-merchant", { merchantId: "SHOP-001", rolloutPercent: 12.5, startsByHand: false }],
    ],
  );
});

test("a version is withdrawn after a question, and read-only administrators only watch", skip, async (t) => {
  const { url, page } = await openPortal(t, "operators");
  let role: "operator" | "read-only" = "operator";
  const { calls } = await fakeRelay(
    page,
    {
      ...PAOLA,
      "GET /session": () => ({ data: sessionOf({ role }) }),
      "PATCH /app-versions/3/active": () => ({ data: "Done" }),
    },
    "/admin",
  );
  await page.goto(`${url}/admin/ui/rollouts`);
  await page.getByRole("button", { name: "Withdraw: 4.2.0" }).click();
  await press(page, "Withdraw");
  await seen(page, "Done.");
  assert.deepEqual(calls.find(({ method }) => method === "PATCH")?.body, { active: false });
  role = "read-only";
  await page.goto(`${url}/admin/ui/rollouts/8`);
  await seen(page, "Ring 2 of 3");
  await seen(page, "661");
  const names = await page.locator("button").allInnerTexts();
  assert.deepEqual(
    names.filter((name) => /upload|roll-out|withdraw|offer again|pause|start|stop|roll back/i.test(name)),
    [],
  );
});
