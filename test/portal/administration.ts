import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { listOf, member, textMember } from "../support/http/matches.ts";
import { packageBytes } from "../support/people/package-upload.ts";
import { eventually } from "../support/within.ts";
import { visitAsAdministrator } from "./operators.ts";
import { shopWithOwner } from "./people.ts";
import type { PortalWorld } from "./portal-world.ts";

const CODE = 770_001;
const NAME = "7.7.1";

const dialog = (page: Page) => page.locator("dialog").last();
const press = (page: Page, name: string) => dialog(page).getByRole("button", { name, exact: true }).click();
const seen = (page: Page, text: string) => page.getByText(text).filter({ visible: true }).first().waitFor();

/** What administrators do with versions, merchants and many terminals on their pages. */
export function administration(world: PortalWorld): void {
  test("administration: a package is uploaded, rolled out in rings, paused and resumed, while a terminal installs it", async () => {
    const { relay } = world;
    const { shop } = await shopWithOwner(relay, "Macelleria Bruno", 2);
    const [pilot = "", other = ""] = shop.terminalIds;
    const configured = await relay.administrator().post("/admin/cloud-configs", { terminalId: pilot, group: "pilot-shops" });
    assert.equal(configured.status, 200, configured.text);
    for (const terminalId of [pilot, other]) assert.equal((await relay.fleet().take(terminalId)).status, 204);
    const offered = async (terminalId: string) => (await relay.fleet().get(`/api/v1/app/version?terminalId=${terminalId}`)).status === 200;
    const report = async (terminalId: string, members: object) => {
      const answer = await relay.fleet().post("/api/v1/app/install-log", { terminalId, versionCode: CODE, ...members });
      assert.equal(answer.status, 200, answer.text);
    };

    const { page } = await visitAsAdministrator(world, "operator", "/admin/ui/rollouts");
    await page.getByRole("button", { name: "Upload a version" }).click();
    await page.getByLabel("Version name").fill(NAME);
    await page.getByLabel("Version code").fill(String(CODE));
    const choose = (buffer: Buffer) =>
      dialog(page).locator("input[type=file]").setInputFiles({ name: "app.apk", mimeType: "application/zip", buffer });
    await choose(Buffer.from("no package"));
    await press(page, "Upload");
    await seen(page, "does not begin like a ZIP file");
    await choose(packageBytes(200_000));
    await press(page, "Upload");
    await seen(page, `The package of ${NAME} is stored.`);

    await page.getByRole("button", { name: "New roll-out" }).click();
    await dialog(page)
      .getByLabel("Version")
      .selectOption({ label: `${NAME} (${CODE})` });
    await dialog(page).getByLabel("Terminals", { exact: true }).selectOption("merchant");
    await page.getByLabel("Merchant id").fill(shop.merchantId);
    await page.getByLabel("In rings").check();
    await page.getByLabel("Ring 1: groups").fill("pilot-shops");
    await page.getByLabel("Ring 1: percentage").fill("");
    await page.getByRole("button", { name: "Remove ring 2" }).click();
    await press(page, "Create");
    await dialog(page).getByText("Not started", { exact: true }).waitFor();
    assert.deepEqual([await offered(pilot), await offered(other)], [false, false]);
    await press(page, "Start");
    await press(page, "Start");
    await dialog(page).getByText("Offered", { exact: true }).waitFor();
    assert.deepEqual([await offered(pilot), await offered(other)], [true, false]);
    await press(page, "Pause");
    await press(page, "Pause");
    await dialog(page).getByText("Paused", { exact: true }).waitFor();
    assert.equal(await offered(pilot), false);
    await press(page, "Resume");
    await press(page, "Resume");
    await dialog(page).getByText("Offered", { exact: true }).waitFor();
    await press(page, "Start next ring");
    await press(page, "Start next ring");
    await dialog(page).getByText("Ring 2 of 2").waitFor();
    assert.deepEqual([await offered(pilot), await offered(other)], [true, true]);
    await report(pilot, { status: "completed" });
    await report(other, { status: "failed", message: "needs 120 MB" });
    relay.advance(5_000);
    await dialog(page).getByRole("button", { name: "1 Installed" }).waitFor();
    await dialog(page).getByRole("button", { name: "1 Failed" }).click();
    await seen(page, "needs 120 MB");
    await eventually(async () => assert.deepEqual(await dialog(page).locator("tbody a").allInnerTexts(), [other]));
    await press(page, "Stop");
    await press(page, "Stop");
    await dialog(page).getByText("Stopped", { exact: true }).waitFor();
    assert.equal(await offered(other), false);
  });

  test("administration: terminals are filtered, selected and acted on, with the outcome at each and one audit entry", async () => {
    const { relay } = world;
    const { shop } = await shopWithOwner(relay, "Enoteca Regionale", 3);
    const [restarts = "", silent = "", away = ""] = [...shop.terminalIds].sort();
    const told = { "x-app-version": "1.1", "x-device-model": "P2" };
    const poll = (terminalId: string, commands?: string) =>
      relay.fleet().take(terminalId, commands === undefined ? told : { ...told, "x-terminal-commands": commands });
    assert.equal((await poll(away)).status, 204);
    relay.advance(180_000);
    assert.equal((await poll(restarts, "LOGCAT,RESTART")).status, 204);
    assert.equal((await poll(silent)).status, 204);
    const connection = await relay.administrator().get(`/api/v1/${restarts}/connection`);
    assert.deepEqual(member(connection.body, "data", "commands"), ["LOGCAT", "RESTART"]);
    relay.advance(5_000);

    const { page, person } = await visitAsAdministrator(world, "operator", `/admin/ui/fleet?merchantId=${shop.merchantId}`);
    await seen(page, "3 terminals");
    await page.getByRole("button", { name: "Select all that match (3)" }).click();
    await page.getByRole("button", { name: "Restart", exact: true }).click();
    await press(page, "Start");
    await dialog(page).getByText("3 of 3").waitFor();
    const outcomes = async () => {
      const rows = await dialog(page).locator("tbody tr").allInnerTexts();
      return rows.map((row) => row.split(/\s*\t\s*|\n+/).filter((cell) => cell !== ""));
    };
    await eventually(async () =>
      assert.deepEqual(await outcomes(), [
        [restarts, "Waits for the terminal", "–"],
        [silent, "Refused", "The terminal does not declare this command."],
        [away, "Refused", "The terminal does not declare this command."],
      ]),
    );
    const command = await poll(restarts, "LOGCAT,RESTART");
    assert.equal(textMember(command.body, "service"), "RESTART");

    // The restart has no result yet: another one is refused.
    await page.goto(`/admin/ui/fleet?merchantId=${shop.merchantId}&connection=ONLINE`);
    await page.getByLabel(`Select ${restarts}`).check();
    await page.getByRole("button", { name: "Restart", exact: true }).click();
    await press(page, "Start");
    await seen(page, "The terminal has an open command.");

    await page.goto(`/admin/ui/fleet?merchantId=${shop.merchantId}`);
    await page.getByRole("button", { name: "Select all that match (3)" }).click();
    await page.getByRole("button", { name: "Apply settings" }).click();
    await page.getByLabel("Set the group").check();
    await dialog(page).getByLabel("Group", { exact: true }).fill("wine");
    await page.getByLabel("Settings", { exact: true }).fill("brightness = 80");
    await press(page, "Start");
    await dialog(page).getByRole("button", { name: "3 Applied" }).waitFor();
    const { body } = await relay.administrator().get("/admin/cloud-configs");
    const config = listOf(member(body, "data")).find((one) => member(one, "terminalId") === away);
    assert.deepEqual([member(config, "group"), member(config, "settings")], ["wine", { brightness: 80 }]);

    await page.goto("/admin/ui/audit?q=fleet.action");
    await page.locator("main .row-button").first().waitFor();
    const rows = await page.locator("main tbody tr").allInnerTexts();
    assert.equal(rows.filter((row) => row.includes("fleet.action") && row.includes(person.username)).length, 3);
  });

  test("administration: a merchant is found by a part of its name, with its terminals and people", async () => {
    const { relay } = world;
    const { shop } = await shopWithOwner(relay, "Gelateria Sotto i Portici", 1);
    const [terminalId = ""] = shop.terminalIds;
    assert.equal((await relay.fleet().take(terminalId)).status, 204);
    relay.advance(5_000);
    const { page, person } = await visitAsAdministrator(world, "read-only", "/admin/ui/merchants?q=sotto+i");
    await page.getByText("1 merchant", { exact: true }).waitFor();
    await page.locator("main .row-button").first().click();
    await dialog(page).getByRole("link", { name: terminalId }).waitFor();
    await seen(page, "1 of 5 users");
    assert.equal((await person.signIn()).status, 200);
    assert.equal((await person.send("POST", "/fleet/actions", { type: "LOGS", terminalIds: [terminalId] })).status, 403);
  });
}
