import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { eventually } from "../../../support/within.ts";
import { AGENT_HANDLERS, AGENTS, MADE, TOKEN } from "./fake-agents.ts";
import { type FakeHandler, type FakeRequest, fakeRelay, MERCHANT, meOf, sessionOf } from "./fake-relay.ts";
import { openPortal, stopTime } from "./portal-page.ts";

const skip = { skip: NO_BROWSER, timeout: 60_000 };

const ANNA: Readonly<Record<string, FakeHandler>> = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /me": () => ({ data: meOf() }),
  ...AGENT_HANDLERS,
};

const as = (role: "ADMIN" | "FINANCE" | "DEVELOPER" | "VIEWER") => ({
  ...ANNA,
  "GET /session": () => ({ data: sessionOf({ merchant: { ...MERCHANT, role } }) }),
});

const PATH = "/portal/agents";
const drawer = (page: Page) => page.locator("dialog.drawer");
const dialog = (page: Page) => page.locator("dialog.dialog");
const answer = (page: Page, name: string) => dialog(page).getByRole("button", { name, exact: true });
const heading = (page: Page, name: string) => dialog(page).getByRole("heading", { name }).waitFor();
const changesOf = (calls: readonly FakeRequest[]) => calls.filter(({ method, path }) => method !== "GET" && path.startsWith("/agent-"));

test(
  "the list names every state, what is used of the limits, when each ends and when it was used; a state of the address narrows it",
  skip,
  async (t) => {
    const { url, page, faults } = await openPortal(t);
    const { calls } = await fakeRelay(page, ANNA);
    await page.goto(`${url}${PATH}?state=NONSENSE`);
    await page.getByText("6 credentials in total").waitFor();
    assert.deepEqual(await page.locator("main tbody .badge").allTextContents(), [
      "Active",
      "Used up",
      "Active",
      "Active",
      "Expired",
      "Revoked",
    ]);
    const totals = await page.locator('main td[data-label="All links together"]').allTextContents();
    assert.deepEqual(totals.slice(0, 3), ["€410.50 of €5,000.00", "€5,000.00 of €5,000.00", "No links"]);
    const meter = page.locator("main tbody tr").first().getByRole("meter", { name: "All links together" });
    assert.deepEqual([await meter.getAttribute("value"), await meter.getAttribute("max")], ["41050", "500000"]);
    assert.equal((await page.locator('main td[data-label="Last used"]').allTextContents()).at(2), "Never");
    assert.equal((await page.locator('main td[data-label="Expires"]').allTextContents()).at(5), "–");
    await page.locator(".filters-desk").getByLabel("State").selectOption("REVOKED");
    await page.getByText("1 credential", { exact: true }).waitFor();
    assert.equal(calls.at(-1)?.query.get("state"), "REVOKED");
    assert.match(page.url(), /state=REVOKED/);
    assert.deepEqual(faults, []);
  },
);

test("a credential says what it may do and has done, and leads to its links", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  await fakeRelay(page, { ...ANNA, "GET /payment-links": () => ({ data: { items: [], next: null } }) });
  await page.goto(`${url}${PATH}/${AGENTS.active.id}`);
  const shown = drawer(page);
  for (const words of [
    "€410.50 of €5,000.00",
    "€475.00 of €500.00",
    "3 of 20",
    "Over the limit for one link",
    "2 times",
    "Create payment links",
    "203.0.113.0/24",
    "a_tool_of_a_later_version",
    "Token ends in x7Qa",
  ]) {
    await shown.getByText(words).first().waitFor();
  }
  assert.equal(await shown.getByText("View payments").count(), 0);
  assert.deepEqual(await shown.locator(".timeline .badge").allTextContents(), ["Done", "Rejected", "Failed"]);
  await shown.getByRole("link", { name: "Show its links" }).click();
  await page.getByRole("heading", { name: "Payment links", level: 1 }).waitFor();
  await page.getByText("No results").waitFor();
  assert.equal(new URL(page.url()).searchParams.get("agentId"), AGENTS.active.id);
  const field = page.locator(".filters-desk").getByLabel("AI agent");
  await eventually(async () => assert.equal(await field.locator("option:checked").textContent(), "Booking assistant"));
  await field.selectOption({ label: "All" });
  await page.getByText("No payment links yet").waitFor();
  assert.deepEqual(faults, []);
});

test("a state that is not as usual is explained, and an ended credential cannot be revoked", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, ANNA);
  for (const [{ id }, words, isRevocable] of [
    [AGENTS.exhausted, "Its links have reached the limit of €5,000.00.", true],
    [AGENTS.looks, "It cannot create links, so it has no amount limits.", true],
    [AGENTS.soon, "create a new credential before then", true],
    [AGENTS.expired, "It has expired", false],
    [AGENTS.revoked, "Revoked on 24 Nov 2026, 09:00 by Former user.", false],
  ] as const) {
    await page.goto(`${url}${PATH}/${id}`);
    await drawer(page).getByText(words).waitFor();
    assert.equal(await drawer(page).getByRole("button", { name: "Revoke" }).count(), isRevocable ? 1 : 0, words);
  }
  await page.goto(`${url}${PATH}/none`);
  await page.getByText("Credential not found").waitFor();
});

test("the wizard says what is wrong at each step, keeps what was written on the way back, and sends it once after a second factor; the token is shown once", {
  ...skip,
  timeout: 90_000,
}, async (t) => {
  const { url, page, faults } = await openPortal(t);
  const answers = [
    { status: 403, code: "step_up_required" },
    { status: 503, code: "unavailable" },
  ];
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "POST /session/step-up": () => ({ data: sessionOf() }),
    "POST /agent-credentials": () => answers.shift() ?? { status: 201, data: MADE },
  });
  await page.goto(url + PATH);
  await page.getByText("6 credentials in total").waitFor();
  await page.getByRole("button", { name: "New credential" }).click();
  await heading(page, "Permissions (1 of 4)");
  await dialog(page).getByLabel("Create payment links").uncheck();
  await dialog(page).getByLabel("View its own links").uncheck();
  await answer(page, "Continue").click();
  await page.getByText("This field is required.").waitFor();
  await page.getByText("Choose at least one permission.").waitFor();
  await dialog(page).getByLabel("Name").fill("  Booking assistant ");
  await dialog(page).getByLabel("Create payment links").check();
  await dialog(page).getByLabel("View payments").check();
  await answer(page, "Continue").click();

  await heading(page, "Limits (2 of 4)");
  await answer(page, "Continue").click();
  await page.getByText("Enter an amount, for example €50.00.").first().waitFor();
  await dialog(page).getByLabel("One link at most").fill("600");
  await dialog(page).getByLabel("Limit for one day").fill("500");
  await dialog(page).getByLabel("Limit for all links together").fill("400");
  await dialog(page).getByLabel("Links per hour").fill("1001");
  await page.getByText("This is more than the limit for all links together.").first().waitFor();
  await page.getByText("Enter a whole number from 1 to 1000.").waitFor();
  await dialog(page).getByLabel("Limit for all links together").fill("5000");
  await page.getByText("This is more than the limit for one day.").waitFor();
  await dialog(page).getByLabel("One link at most").fill("200");
  await dialog(page).getByLabel("Links per hour").fill("30");
  await answer(page, "Continue").click();

  await heading(page, "Validity and addresses (3 of 4)");
  await answer(page, "Back").click();
  await heading(page, "Limits (2 of 4)");
  assert.equal(await dialog(page).getByLabel("One link at most").inputValue(), "200");
  await answer(page, "Continue").click();
  await dialog(page).getByLabel("Expires in").selectOption("other");
  await dialog(page).getByLabel("Days").fill("91");
  await dialog(page).getByLabel("Allowed addresses").fill("203.0.113.0/24\n300.1.1.1");
  await answer(page, "Continue").click();
  await page.getByText("Enter a whole number from 1 to 90.").waitFor();
  await page.getByText("“300.1.1.1” is not an IP address or a network.").waitFor();
  await dialog(page).getByLabel("Days").fill("90");
  await dialog(page).getByLabel("Allowed addresses").fill("203.0.113.0/24, 2001:db8::/32");
  await answer(page, "Continue").click();

  await heading(page, "Check and create (4 of 4)");
  await page
    .getByText("it can create links for €5,000.00 in total: at most €200.00 per link, €500.00 per day and 30 links per hour.")
    .waitFor();
  await dialog(page).getByText("203.0.113.0/24, 2001:db8::/32").waitFor();
  await answer(page, "Create credential").click();
  const question = page.locator("dialog", { hasText: "Confirm it is you" });
  await question.getByLabel("Code").fill("123456");
  await question.getByRole("button", { name: "Confirm" }).click();
  await page.getByText("Part of the service is not available right now.").waitFor();
  // Whoever looks at an earlier step meanwhile asks for the same one all the same.
  await answer(page, "Back").click();
  await heading(page, "Validity and addresses (3 of 4)");
  await answer(page, "Continue").click();
  await answer(page, "Create credential").click();

  await heading(page, "The credential is ready");
  assert.equal(await dialog(page).locator("[data-secret]").textContent(), TOKEN);
  await dialog(page)
    .locator(".code-block", { hasText: `Bearer ${TOKEN}` })
    .waitFor();
  await page.keyboard.press("Escape");
  const done = answer(page, "Done");
  assert.equal(await done.isDisabled(), true, "it may not be closed before it is kept");
  await dialog(page).getByLabel("I have given it to my agent or stored it safely").check();
  await done.click();
  await dialog(page).waitFor({ state: "detached" });
  assert.equal((await page.content()).includes(TOKEN), false, "the token is gone from the page");

  const sent = changesOf(calls);
  assert.equal(sent.length, 3);
  assert.deepEqual([...new Set(sent.map(({ headers }) => headers["idempotency-key"]))].length, 1, "it was one request all the time");
  assert.deepEqual(sent.at(-1)?.body, {
    ...{ name: "Booking assistant", scopes: ["links:create", "transactions:read"], expiresInDays: 90 },
    limits: { currency: "EUR", perLinkMaxMinor: 20_000, perDayMinor: 50_000, totalMinor: 500_000, linksPerHour: 30 },
    ipAllow: ["203.0.113.0/24", "2001:db8::/32"],
  });
  assert.deepEqual(faults, []);
});

test("one that only looks is made without limits, and the relay's own words are shown where it refuses", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const answers = [{ status: 409, code: "credentials_full" }];
  const { calls } = await fakeRelay(page, { ...ANNA, "POST /agent-credentials": () => answers.shift() ?? { status: 201, data: MADE } });
  await page.goto(url + PATH);
  await page.getByRole("button", { name: "New credential" }).click();
  await dialog(page).getByLabel("Name").fill("Reports");
  await dialog(page).getByLabel("Create payment links").uncheck();
  await dialog(page).getByLabel("View totals").check();
  await answer(page, "Continue").click();
  await heading(page, "Validity and addresses (2 of 3)");
  await answer(page, "Continue").click();
  await page.getByText("it can view data, but not create links.").waitFor();
  await answer(page, "Create credential").click();
  await page.getByText("The maximum of 20 active credentials is reached. Revoke one first.").waitFor();
  await answer(page, "Create credential").click();
  await heading(page, "The credential is ready");
  assert.deepEqual(changesOf(calls).at(-1)?.body, { name: "Reports", scopes: ["links:read", "analytics:read"], expiresInDays: 30 });
});

test("one is revoked after a question, and all of them at once", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  let credential = AGENTS.active;
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "GET /agent-credentials/*": () => ({ data: credential }),
    "DELETE /agent-credentials/*": () => {
      credential = { ...AGENTS.revoked, id: AGENTS.active.id, name: AGENTS.active.name };
      return { data: credential };
    },
    "POST /agent-credentials/revoke-all": () => ({ data: { revoked: 3 } }),
  });
  await page.goto(`${url}${PATH}/${AGENTS.active.id}`);
  await drawer(page).getByRole("button", { name: "Revoke" }).click();
  await heading(page, "Revoke “Booking assistant”?");
  await answer(page, "Cancel").click();
  assert.equal(changesOf(calls).length, 0);
  await drawer(page).getByRole("button", { name: "Revoke" }).click();
  await answer(page, "Revoke").click();
  await page.getByText("“Booking assistant” is revoked.").waitFor();
  await drawer(page).getByText("Revoked on 24 Nov 2026").waitFor();
  await page.keyboard.press("Escape");
  await drawer(page).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Revoke all" }).click();
  await heading(page, "Revoke all credentials?");
  await answer(page, "Revoke all").click();
  await page.getByText("3 credentials are revoked.").waitFor();
  assert.deepEqual(
    changesOf(calls).map(({ method, path }) => `${method} ${path}`),
    [`DELETE /agent-credentials/${AGENTS.active.id}`, "POST /agent-credentials/revoke-all"],
  );
  assert.deepEqual(faults, []);
});

test("whoever may not administer agents looks: nothing is offered that would be refused", skip, async (t) => {
  const { url, page } = await openPortal(t);
  for (const role of ["FINANCE", "DEVELOPER", "VIEWER"] as const) {
    await page.unrouteAll();
    await fakeRelay(page, as(role));
    await page.goto(`${url}${PATH}/${AGENTS.active.id}`);
    await drawer(page).getByText("Token ends in x7Qa").waitFor();
    assert.equal(await page.getByRole("button", { name: /Revoke|New credential/, includeHidden: true }).count(), 0, role);
    await page.getByRole("link", { name: "AI agents", includeHidden: true }).first().waitFor({ state: "attached" });
  }
  await page.unrouteAll();
  await fakeRelay(page, { ...as("VIEWER"), "GET /agent-credentials": () => ({ data: { items: [], next: null } }) });
  await page.goto(url + PATH);
  await page.getByText("Owners and admins create credentials for agents. They appear here.").waitFor();
});

test("the address for agents is to be copied, with examples that hold no token", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  await fakeRelay(page, ANNA);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.clock.install();
  await page.goto(url + PATH);
  await page.getByText("6 credentials in total").waitFor();
  // The button says for two seconds that it has copied.
  await stopTime(page);
  await page.getByRole("button", { name: "Copy address" }).click();
  await page.getByText("Copied").first().waitFor();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), `${url}/mcp`);
  const example = page.locator("main .code-block");
  const json: unknown = JSON.parse((await example.textContent()) ?? "");
  assert.deepEqual(json, {
    mcpServers: { merchant: { type: "http", url: `${url}/mcp`, headers: { Authorization: "Bearer <the agent’s token>" } } },
  });
  await page.getByRole("tab", { name: "curl" }).click();
  assert.match((await example.textContent()) ?? "", /^curl .*\/mcp -H 'Authorization: Bearer <the agent’s token>' --json /);
  assert.deepEqual(faults, []);
});
