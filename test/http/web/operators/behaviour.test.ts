import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { PARTNER_RATE_MAX } from "../../../../engine/partners/partner.ts";
import type { PartnerJson } from "../../../../http/web/operators/api/types.ts";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { fakeRelay } from "../portal/fake-relay.ts";
import { openPortal } from "../portal/portal-page.ts";
import {
  ATTENTION,
  itemOf,
  MACHINE_TOKENS,
  MAIL,
  NOBODY,
  nodeOf,
  PAOLA,
  partnerOf,
  sessionOf,
  TERMINALS,
  terminalOf,
  UUID,
} from "./fake-operations.ts";

const skip = { skip: NO_BROWSER, timeout: 60_000 };

const seen = (page: Page, text: string) => page.getByText(text).filter({ visible: true }).first().waitFor();

/** Buttons that change something at the relay, wherever they are: those of the frame, of filters and of lists are not among them. */
const CHANGES =
  /remove entry|revoke|restore|enable|disable|invite|remove|pause|resume|roll back|upload|new roll-out|withdraw|offer again|start|stop|show content|drain|change rates|delete|create token/i;

async function changesOffered(page: Page): Promise<string[]> {
  const names = await page.locator("button").allInnerTexts();
  return names.filter((name) => CHANGES.test(name));
}

test("an administrator signs in with name, password and code, and comes to the page that was wanted", skip, async (t) => {
  const { url, page, faults } = await openPortal(t, "operators");
  let stage: "none" | "factor" | "full" = "none";
  const state = () => (stage === "none" ? NOBODY : sessionOf({ stage }));
  const { calls } = await fakeRelay(
    page,
    {
      ...PAOLA,
      "GET /session": () => ({ data: state() }),
      "POST /session": () => {
        stage = "factor";
        return { data: state() };
      },
      "POST /session/second-factor": () => {
        stage = "full";
        return { data: state() };
      },
    },
    "/admin",
  );
  await page.goto(`${url}/admin/ui/terminals?status=denied`);
  await page.getByLabel("Name", { exact: true }).fill("paola");
  await page.getByLabel("Password", { exact: true }).fill("a long and secret sentence");
  await page.keyboard.press("Enter");
  await seen(page, "Signing in as paola");
  await page.locator(`[name="code"]:focus`).waitFor();
  await page.keyboard.type("123456");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Terminals", level: 1 }).waitFor();
  assert.equal(page.url(), `${url}/admin/ui/terminals?status=denied`);
  await seen(page, "1 terminal");
  assert.deepEqual(
    calls.filter(({ method }) => method === "POST").map(({ path, body }) => [path, body]),
    [
      ["/session", { username: "paola", password: "a long and secret sentence" }],
      ["/session/second-factor", { code: "123456" }],
    ],
  );
  assert.ok(calls.every(({ headers }) => headers["x-relay-portal"] === "1"));
  assert.deepEqual(faults, []);
});

test("an answer without a code says by its status that the session is over", skip, async (t) => {
  const { url, page } = await openPortal(t, "operators");
  await page.route(
    ({ pathname }) => pathname === "/admin/app-versions" || pathname === "/admin/app-deployments",
    (route) => route.fulfill({ status: 401, json: { status: "error", error: "Unauthorized", message: "Unauthorized" } }),
  );
  await fakeRelay(page, { "GET /session": () => ({ data: sessionOf() }), "GET /attention": () => ({ data: [] }) }, "/admin");
  await page.route(
    ({ pathname }) => pathname.startsWith("/admin/app-"),
    (route) => route.fulfill({ status: 401, json: { status: "error", error: "Unauthorized", message: "Unauthorized" } }),
  );
  await page.goto(`${url}/admin/ui/rollouts`);
  await seen(page, "Your session has ended");
  // The page stays, and sign-in is over it.
  assert.equal(await page.locator("dialog").getByLabel("Name", { exact: true }).inputValue(), "paola");
  assert.equal(new URL(page.url()).pathname, "/admin/ui/rollouts");
});

test("what needs attention is counted by kind, explained, sorted, and leads to the search of its payment", skip, async (t) => {
  const { url, page, faults } = await openPortal(t, "operators");
  const { calls } = await fakeRelay(page, PAOLA, "/admin");
  await page.goto(`${url}/admin`);
  await seen(page, "4 entries");
  const kinds = await page
    .locator(".kind")
    .evaluateAll((all: { querySelector(one: string): { textContent: string } }[]) =>
      all.map((one) => [one.querySelector(".kind-title").textContent, one.querySelector(".badge").textContent]),
    );
  assert.deepEqual(kinds, [
    ["Outcome unknown", "2"],
    ["Link paid late", "1"],
    ["Unreadable result", "1"],
  ]);
  const terminals = () => page.locator("main tbody tr td:nth-child(3)").allInnerTexts();
  assert.deepEqual(await terminals(), ["SIM00002", "SIM00001", "–", "SIM00003"]);
  await page.locator(".kind").first().click();
  await seen(page, "2 entries");
  assert.equal(new URL(page.url()).search, "?kind=unknown");
  await seen(page, "Check the terminal's journal");
  await page.getByLabel("Order").selectOption("oldest");
  assert.deepEqual(await terminals(), ["SIM00001", "SIM00002"]);
  await page.locator(".row-button").first().click();
  await page.locator("dialog").getByRole("link", { name: "Search for this payment" }).click();
  await seen(page, "3 results");
  assert.equal(page.url(), `${url}/admin/ui/search?q=${UUID}`);
  assert.equal(calls.find(({ path }) => path === "/search")?.query.get("q"), UUID);
  assert.equal(await page.getByLabel("Uuid or id").inputValue(), UUID);
  await seen(page, "Link paid late");
  await page.goBack();
  await seen(page, "2 entries");
  assert.deepEqual(faults, []);
});

test("an entry that was looked at is taken away after a question, by operators alone", skip, async (t) => {
  const { url, page } = await openPortal(t, "operators");
  let items = ATTENTION;
  let role: "operator" | "read-only" = "operator";
  const { calls } = await fakeRelay(
    page,
    {
      ...PAOLA,
      "GET /session": () => ({ data: sessionOf({ role }) }),
      "GET /attention": () => ({ data: items }),
      "DELETE /attention/*": ({ path }) => {
        const id = decodeURIComponent(path.slice("/attention/".length));
        items = items.filter((item) => item.id !== id);
        return { data: { id } };
      },
    },
    "/admin",
  );
  await page.goto(`${url}/admin?kind=unknown`);
  await page.locator(".row-button").first().click();
  await page.getByRole("button", { name: "Done: remove entry" }).click();
  assert.equal(calls.filter(({ method }) => method === "DELETE").length, 0);
  await page.locator("dialog").last().getByRole("button", { name: "Done: remove entry" }).click();
  await seen(page, "The entry is removed.");
  await seen(page, "1 entry");
  assert.deepEqual(
    items.map(({ id }) => id),
    ATTENTION.map(({ id }) => id).filter((id) => id !== "unknown/SIM00002/2"),
  );
  role = "read-only";
  await page.reload();
  await page.locator(".row-button").first().click();
  await page.locator("dialog").getByText("What to do:").waitFor();
  assert.deepEqual(await changesOffered(page), []);
});

test("as much is read of attention as a page can show, and it is said that there is more", skip, async (t) => {
  const { url, page } = await openPortal(t, "operators");
  const pageOf = (from: number) =>
    Array.from({ length: 500 }, (_, index) => itemOf({ id: `unknown/T/${String(from + index).padStart(6, "0")}` }));
  const { calls } = await fakeRelay(
    page,
    { ...PAOLA, "GET /attention": ({ query }) => ({ data: pageOf(Number(query.get("after")?.slice(-6) ?? -1) + 1) }) },
    "/admin",
  );
  await page.goto(`${url}/admin`);
  await seen(page, "There are more than the 2000 entries shown here");
  assert.deepEqual(
    calls.filter(({ path }) => path === "/attention").map(({ query }) => query.get("after")),
    [null, "unknown/T/000499", "unknown/T/000999", "unknown/T/001499"],
  );
  assert.equal(await page.locator("main tbody tr").count(), 50);
});

test("nothing is asked for a text that is too short", skip, async (t) => {
  const { url, page } = await openPortal(t, "operators");
  const { calls } = await fakeRelay(page, PAOLA, "/admin");
  await page.goto(`${url}/admin/ui/search`);
  await page.getByLabel("Uuid or id").fill("x");
  await page.keyboard.press("Enter");
  await seen(page, "At least two characters.");
  await page.goto(`${url}/admin/ui/search?q=${encodeURIComponent(" x")}`);
  await page.getByLabel("Uuid or id").waitFor();
  assert.equal(calls.filter(({ path }) => path === "/search").length, 0);
});

test("the list of terminals is asked from the beginning of an id on, and page by page", skip, async (t) => {
  const { url, page } = await openPortal(t, "operators");
  const fleet = Array.from({ length: 130 }, (_, index) => terminalOf({ terminalId: `SIM${String(index).padStart(5, "0")}` }));
  const others = ["AAA1", "SIL~", "TAB9"].map((terminalId) => terminalOf({ terminalId }));
  const all = [...fleet, ...others].sort((one, other) => (one.terminalId < other.terminalId ? -1 : 1));
  const { calls } = await fakeRelay(
    page,
    {
      ...PAOLA,
      "GET /terminals": ({ query }) => ({
        data: all.filter(({ terminalId }) => terminalId > (query.get("after") ?? "")).slice(0, Number(query.get("limit"))),
      }),
    },
    "/admin",
  );
  await page.goto(`${url}/admin/ui/terminals?q=SIM`);
  await seen(page, "The first 100 terminals");
  assert.equal(calls.find(({ path }) => path === "/terminals")?.query.get("after"), "SIL~");
  await page.getByRole("button", { name: "Load more" }).click();
  // Without what begins otherwise.
  await seen(page, "130 terminals");
  assert.equal(await page.getByRole("button", { name: "Load more" }).count(), 0);
});

test("a login is withdrawn after a question, and the list says so", skip, async (t) => {
  const { url, page, faults } = await openPortal(t, "operators");
  let denied = false;
  const { calls } = await fakeRelay(
    page,
    {
      ...PAOLA,
      "GET /terminals": () => ({ data: [terminalOf({ denied })] }),
      "GET /terminals/SIM00001": () => ({ data: terminalOf({ denied }) }),
      "POST /terminals/SIM00001/deny": () => {
        denied = true;
        return { data: { terminalId: "SIM00001", denied } };
      },
    },
    "/admin",
  );
  await page.goto(`${url}/admin/ui/terminals`);
  await page.locator(".row-button").first().click();
  await page.getByRole("button", { name: "Revoke login" }).click();
  assert.equal(calls.filter(({ method }) => method === "POST").length, 0);
  await page.getByRole("heading", { name: "Revoke the login of SIM00001?" }).waitFor();
  await page.locator("dialog").last().getByRole("button", { name: "Revoke login" }).click();
  await seen(page, "SIM00001 can no longer log in.");
  await page.locator("dialog").getByRole("button", { name: "Restore login" }).waitFor();
  await page.getByRole("button", { name: "Close" }).first().click();
  await page.locator("main .badge-bad").getByText("Login revoked").waitFor();
  assert.deepEqual(faults, []);
});

test("read-only administrators are offered no change on any page, operators none of the owners'", skip, async (t) => {
  const { url, page, faults } = await openPortal(t, "operators");
  const looks: [path: string, text: string][] = [
    ["/admin", "4 entries"],
    [`/admin/ui/search?q=${UUID}`, "3 results"],
    ["/admin/ui/terminals/SIM00001", "Last results"],
    ["/admin/ui/partners/7", "Bar Centrale"],
    ["/admin/ui/merchants/SHOP-001", "luca.ferrari@example.com"],
    ["/admin/ui/rollouts", "44 failed"],
    ["/admin/ui/fleet", "3 terminals"],
    ["/admin/ui/audit", "partner.create"],
    ["/admin/ui/cluster", "relay-2"],
    ["/admin/ui/machines", "network-feed"],
  ];
  await fakeRelay(page, { ...PAOLA, "GET /session": () => ({ data: sessionOf({ role: "read-only" }) }) }, "/admin");
  for (const [path, text] of looks) {
    await page.goto(url + path);
    await seen(page, text);
    assert.deepEqual(await changesOffered(page), [], path);
  }
  // What is not looked at would not be noticed. The own account is everybody's to change.
  const offered: string[] = await page
    .locator(".sidebar .nav-link")
    .evaluateAll((links: { pathname: string }[]) => links.map((link) => link.pathname));
  const looked = looks.map(([path]) => new URL(path, url).pathname);
  assert.deepEqual(
    offered.filter((path) => !looked.some((one) => one === path || one.startsWith(`${path}/`))),
    ["/admin/ui/account"],
  );
  assert.equal(await page.getByRole("link", { name: "E-mails" }).count(), 0);
  await page.goto(`${url}/admin/ui/mails`);
  await seen(page, "Page not found");

  await page.unrouteAll();
  await fakeRelay(page, { ...PAOLA, "GET /session": () => ({ data: sessionOf({ role: "operator" }) }) }, "/admin");
  await page.goto(`${url}/admin/ui/merchants/SHOP-001`);
  await seen(page, "luca.ferrari@example.com");
  assert.deepEqual(await changesOffered(page), []);
  await page.goto(`${url}/admin/ui/mails/${MAIL.id}`);
  await page.locator("dialog").getByText("Tried until").waitFor();
  assert.deepEqual(await changesOffered(page), []);
  await page.goto(`${url}/admin/ui/partners/7`);
  await seen(page, "Bar Centrale");
  assert.deepEqual(await changesOffered(page), ["Disable"]);
  await page.goto(`${url}/admin/ui/cluster`);
  await seen(page, "relay-2");
  assert.deepEqual(await changesOffered(page), ["Drain"]);
  assert.deepEqual(faults, []);
});

test("what was found is told in words, and so is a filter that leaves nothing", skip, async (t) => {
  const { url, page, faults } = await openPortal(t, "operators");
  const at = "2026-11-25T09:15:20.000Z";
  const hit = {
    ...{ kind: "payment_link", id: UUID, terminalId: null, merchantId: null, state: "PENDING", amountMinor: 100, currency: "EUR" },
    ...{ createdAt: at, updatedAt: at, attention: [] },
    timeline: [
      { at, what: "attempt paid", detail: "refund requested" },
      { at, what: "mail unreachable", detail: null },
      { at, what: "result", detail: "CARD KO" },
      { at, what: "something new", detail: "as it is" },
    ],
  };
  await fakeRelay(
    page,
    { ...PAOLA, "GET /search": () => ({ data: { items: [hit], clickhouse: "asked", places: [], near: [] } }) },
    "/admin",
  );
  const told = async () => [
    ...(await page.locator("main .badge").allInnerTexts()),
    ...(await page.locator(".timeline-what, .timeline-detail").allInnerTexts()),
  ];
  await page.goto(`${url}/admin/ui/search?q=${UUID}`);
  await seen(page, "1 result");
  assert.deepEqual(await told(), [
    "Not paid yet",
    ...[
      "Payment taken",
      "Refund requested",
      "Sent by e-mail: Gateway not reached",
      "Result",
      "Card: Declined",
      "something new",
      "as it is",
    ],
  ]);
  await page.goto(`${url}/admin/ui/mails?state=EXPIRED`);
  await seen(page, "No results");
  await page.goto(`${url}/admin/ui/mails/none`);
  await seen(page, "not among the loaded ones");
  assert.deepEqual(faults, []);
});

test("who disables a partner that somebody else has just disabled is told so, and enables nothing", skip, async (t) => {
  const { url, page, faults } = await openPortal(t, "operators");
  let enabled = true;
  const { calls } = await fakeRelay(
    page,
    {
      ...PAOLA,
      "GET /api/partners/7": () => ({ data: partnerOf({ enabled }) }),
      "PATCH /api/partners/7/toggle": () => ({ status: 409, code: "conflict" }),
    },
    "/admin",
  );
  await page.goto(`${url}/admin/ui/partners/7`);
  await page.getByRole("button", { name: "Disable" }).click();
  enabled = false;
  await page.locator("dialog").last().getByRole("button", { name: "Disable" }).click();
  await seen(page, "Somebody else has already disabled acme.");
  await page.locator("dialog").getByRole("button", { name: "Enable" }).waitFor();
  assert.deepEqual(
    calls.filter(({ method }) => method === "PATCH").map(({ body }) => body),
    [{ enabled: false }],
  );
  assert.deepEqual(faults, []);
});

/** The table of nodes: each with its state. */
const nodeStates = (page: Page): Promise<string[][]> =>
  page
    .locator("table", { hasText: "Outages" })
    .locator("tbody tr")
    .evaluateAll((rows: { children: { textContent: string }[] }[]) =>
      rows.map(({ children: [node, state] }) => [node?.textContent ?? "", state?.textContent ?? ""]),
    );

test("a node is drained after a question, and is shown as draining until it is gone, whatever the others still say", skip, async (t) => {
  const { url, page, faults } = await openPortal(t, "operators");
  // Two nodes of one id: only their incarnations tell them apart.
  const [live, twin] = [nodeOf({ incarnation: "relay-1#1" }), nodeOf({ incarnation: "relay-1#2" })];
  let nodes = [live, twin];
  const { calls } = await fakeRelay(
    page,
    {
      ...PAOLA,
      "GET /cluster": () => ({ data: { nodes } }),
      "POST /cluster/nodes/*/drain": () => ({
        status: 202,
        data: { nodeId: "relay-1", incarnation: "relay-1#2", state: "draining" },
      }),
    },
    "/admin",
  );
  await page.goto(`${url}/admin/ui/cluster`);
  await page.getByRole("button", { name: "Drain: relay-1" }).nth(1).click();
  await page.getByRole("heading", { name: "Drain relay-1?" }).waitFor();
  await seen(page, "hands its terminals over to the other nodes");
  const drains = () => calls.filter(({ method }) => method === "POST").map(({ path, body }) => [path, body]);
  assert.deepEqual(drains(), []);
  await page.locator("dialog").getByRole("button", { name: "Drain" }).click();
  await seen(page, "relay-1 is draining.");
  assert.deepEqual(drains(), [["/cluster/nodes/relay-1%232/drain", { allowLast: false }]]);
  assert.deepEqual(await nodeStates(page), [
    ["relay-1", "Live"],
    ["relay-1", "Draining"],
  ]);
  assert.equal(await page.getByRole("button", { name: "Drain: relay-1" }).count(), 1);
  nodes = [live, { ...twin, state: "gone", report: null }];
  await page.locator(".badge-bad").getByText("Gone").waitFor();
  assert.deepEqual(await nodeStates(page), [
    ["relay-1", "Live"],
    ["relay-1", "Gone"],
  ]);
  assert.deepEqual(faults, []);
});

test("the only live node is drained only where that is wanted, and nothing is drained by a second press", skip, async (t) => {
  const { url, page, faults } = await openPortal(t, "operators");
  const { calls } = await fakeRelay(
    page,
    {
      ...PAOLA,
      "POST /cluster/nodes/*/drain": ({ body }) =>
        JSON.stringify(body) === '{"allowLast":true}'
          ? { status: 202, data: { nodeId: "relay-1", incarnation: "relay-1#1", state: "draining" } }
          : { status: 409, code: "conflict" },
    },
    "/admin",
  );
  await page.goto(`${url}/admin/ui/cluster`);
  await page.getByRole("button", { name: "Drain: relay-1" }).click();
  const dialog = page.locator("dialog");
  assert.equal(await dialog.getByRole("checkbox").count(), 0);
  await dialog.getByRole("button", { name: "Drain" }).dblclick();
  await dialog.getByRole("alert").getByText("relay-1 is the only live node and was not drained").waitFor();
  const asked = () => calls.filter(({ method }) => method === "POST").map(({ body }) => body);
  assert.ok(asked().every((body) => JSON.stringify(body) === '{"allowLast":false}'));
  assert.deepEqual(await nodeStates(page), [
    ["relay-1", "Live"],
    ["relay-2", "Gone"],
  ]);
  await dialog.getByLabel("Drain it anyway").check();
  await dialog.getByRole("button", { name: "Drain" }).click();
  await seen(page, "relay-1 is draining.");
  assert.deepEqual(asked().at(-1), { allowLast: true });
  assert.deepEqual(await nodeStates(page), [
    ["relay-1", "Draining"],
    ["relay-2", "Gone"],
  ]);
  assert.deepEqual(faults, []);
});

test("an owner gives a partner rates of its own after a fresh second factor, within their limits, and takes them back", skip, async (t) => {
  const { url, page, faults } = await openPortal(t, "operators");
  let isFresh = false;
  let rateLimits: PartnerJson["rateLimits"] = { get: 500 };
  const { calls } = await fakeRelay(
    page,
    {
      ...PAOLA,
      "GET /api/partners/7": () => ({ data: partnerOf({ rateLimits }) }),
      "PUT /api/partners/7": ({ body }) => {
        if (!isFresh) return { status: 403, code: "step_up_required" };
        rateLimits = JSON.parse(JSON.stringify(body)).rateLimits;
        return { data: partnerOf({ rateLimits }) };
      },
      "POST /session/step-up": () => {
        isFresh = true;
        return { data: sessionOf() };
      },
    },
    "/admin",
  );
  await page.goto(`${url}/admin/ui/partners/7`);
  const rates = () => page.locator("dialog.drawer section", { hasText: "Additional rates" }).locator("dd").allInnerTexts();
  await seen(page, "500 more per second");
  assert.deepEqual(await rates(), ["None", "500 more per second"]);
  const open = () => page.getByRole("button", { name: "Change rates" }).click();
  await open();
  const dialog = page.locator("dialog.dialog").first();
  const [pay, get] = [dialog.getByLabel("Pay, scan and print, each"), dialog.getByLabel("Get")];
  assert.equal(await get.inputValue(), "500");
  for (const wrong of ["0", String(PARTNER_RATE_MAX + 1), "1.5", "ten", "-3"]) {
    await pay.fill(wrong);
    await page.keyboard.press("Enter");
    await dialog.getByRole("alert").getByText("Enter a whole number from 1 to 1,000, or leave it empty.").waitFor();
  }
  assert.equal(calls.filter(({ method }) => method === "PUT").length, 0);
  await pay.fill(` ${PARTNER_RATE_MAX} `);
  await get.fill("");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Confirm it is you" }).waitFor();
  await page.getByLabel("Code").fill("123456");
  await page.keyboard.press("Enter");
  await seen(page, "The rates of acme now apply on all nodes.");
  assert.deepEqual(rateLimits, { pay: PARTNER_RATE_MAX });
  assert.deepEqual(await rates(), ["1,000 more per second", "None"]);
  await open();
  await pay.fill("");
  await page.keyboard.press("Enter");
  await page.locator("dialog.drawer").getByText("1,000 more per second").waitFor({ state: "detached" });
  assert.deepEqual(rateLimits, {});
  assert.deepEqual(await rates(), ["None", "None"]);
  assert.deepEqual(faults, []);
});

test("an owner reads a mail after a fresh second factor", skip, async (t) => {
  const { url, page } = await openPortal(t, "operators");
  let isFresh = false;
  await fakeRelay(
    page,
    {
      ...PAOLA,
      "GET /mails/*": () => (isFresh ? { data: MAIL } : { status: 403, code: "step_up_required" }),
      "POST /session/step-up": () => {
        isFresh = true;
        return { data: sessionOf() };
      },
    },
    "/admin",
  );
  await page.goto(`${url}/admin/ui/mails`);
  await page.locator(".row-button").first().click();
  await page.getByRole("button", { name: "Show content" }).click();
  await page.getByRole("heading", { name: "Confirm it is you" }).waitFor();
  await page.getByLabel("Code").fill("123456");
  await page.keyboard.press("Enter");
  await seen(page, "within 72 hours");
});

test("the language and the appearance are this browser's, without a call", skip, async (t) => {
  const { url, page } = await openPortal(t, "operators");
  const { calls } = await fakeRelay(page, PAOLA, "/admin");
  await page.goto(`${url}/admin/ui/account`);
  await page.getByLabel("Language", { exact: true }).selectOption("it");
  await page.getByRole("heading", { name: "Il mio account" }).waitFor();
  await page.getByLabel("Aspetto", { exact: true }).selectOption("dark");
  await page.reload();
  await page.getByRole("heading", { name: "Il mio account" }).waitFor();
  assert.equal(await page.evaluate("document.documentElement.dataset.theme"), "dark");
  assert.equal(await page.getByLabel("Aspetto", { exact: true }).inputValue(), "dark");
  assert.ok(calls.every(({ method }) => method === "GET"));
  await page.goto(`${url}/admin`);
  await seen(page, `${ATTENTION.length} voci`);
});

test("links to the interface for programs are the browser's, not the pages'", skip, async (t) => {
  const { url, page } = await openPortal(t, "operators");
  await fakeRelay(page, { ...PAOLA, "GET /terminals/SIM00002": () => ({ data: TERMINALS[1] }) }, "/admin");
  await page.goto(`${url}/admin`);
  await seen(page, "4 entries");
  await page.evaluate(
    `{ const link = document.createElement("a"); link.href = "/admin/outbox"; link.id = "out"; link.textContent = "out"; document.querySelector("main").append(link); }`,
  );
  const [request] = await Promise.all([page.waitForRequest((one) => one.isNavigationRequest()), page.locator("#out").click()]);
  assert.equal(new URL(request.url()).pathname, "/admin/outbox");
});

test("an owner makes a machine token, which is shown until it is saved, and deletes one", skip, async (t) => {
  const { url, page, faults } = await openPortal(t, "operators");
  const token = `mt_${"t".repeat(43)}`;
  const { calls } = await fakeRelay(
    page,
    {
      ...PAOLA,
      "POST /machine-tokens": () => ({ status: 201, data: { machineToken: MACHINE_TOKENS[0], token } }),
      "DELETE /machine-tokens/network-feed": () => ({ data: { name: "network-feed" } }),
    },
    "/admin",
  );
  await page.goto(`${url}/admin/ui/machines`);
  await seen(page, "Expired");
  await page.getByRole("button", { name: "Create token" }).click();
  const dialog = page.locator("dialog.dialog");
  await dialog.getByLabel("Name").fill("roll outs");
  await dialog.getByLabel("Valid for (days)").fill("400");
  await dialog.getByLabel("Read").uncheck();
  await dialog.getByRole("button", { name: "Create token" }).click();
  for (const problem of ["letters, digits", "from 1 to 366", "Choose at least one right"]) await dialog.getByText(problem).waitFor();
  await dialog.getByLabel("Name").fill("roll-outs");
  await dialog.getByLabel("Valid for (days)").fill("30");
  for (const right of ["Read", "Roll-outs"]) await dialog.getByLabel(right).check();
  await dialog.getByRole("button", { name: "Create token" }).click();
  await page.getByText(token).waitFor();
  assert.deepEqual(calls.find(({ method }) => method === "POST")?.body, { name: "roll-outs", rights: ["read", "apps"], expiresInDays: 30 });
  await page.keyboard.press("Escape");
  await page.getByText(token).waitFor();
  await page.getByLabel("I have stored the token").check();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText(token).waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Delete: network-feed" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await seen(page, "network-feed is deleted");
  assert.deepEqual(faults, []);
});
