import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { listOf, member, textMember } from "../support/http/matches.ts";
import type { Relay } from "../support/node/relay.ts";
import { newAgentCredential } from "../support/people/new-agent.ts";
import { PORTAL_API, type PortalPerson } from "../support/people/portal-person.ts";
import type { Looked } from "./pages.ts";
import { colleague, shopWithOwner } from "./people.ts";
import { type PortalWorld, type Shop, stepUp } from "./portal-world.ts";

const PATH = "/portal/agents";

/** A second factor counts for ten minutes. */
const FACTOR_MS = 11 * 60_000;

const drawer = (page: Page): Locator => page.locator("dialog.drawer");
const dialog = (page: Page): Locator => page.locator("dialog.dialog");
const press = (page: Page, name: string) => dialog(page).getByRole("button", { name, exact: true }).click();

/** An agent as a program sees the relay: the address and its token. */
function callerOf(relay: Relay, token: string) {
  const client = relay.client({ authorization: `Bearer ${token}` });
  return (method: string, params: object = {}) => client.post("/mcp", { jsonrpc: "2.0", id: 1, method, params });
}

/** Goes through the wizard, and keeps the token that is shown at its end. */
async function made(page: Page, person: PortalPerson): Promise<string> {
  await page.getByRole("button", { name: "New credential" }).first().click();
  await dialog(page).getByLabel("Name").fill("Booking assistant");
  await dialog(page).getByLabel("Cancel its own links").check();
  await press(page, "Continue");
  await dialog(page).getByLabel("One link at most").fill("50");
  await dialog(page).getByLabel("Limit for one day").fill("200");
  await dialog(page).getByLabel("Limit for all links together").fill("1000");
  await press(page, "Continue");
  await press(page, "Continue");
  await page.getByText("€1,000.00 in total: at most €50.00 per link, €200.00 per day and 20 links per hour.").waitFor();
  await press(page, "Create credential");
  await stepUp(page, person);
  await page.getByText("The token is shown only now.").waitFor();
  const token = (await dialog(page).locator("[data-secret]").textContent()) ?? "";
  const done = dialog(page).getByRole("button", { name: "Done" });
  assert.equal(await done.isDisabled(), true, "it may not be closed before it is kept");
  await dialog(page).getByLabel("I have given it to my agent or stored it safely").check();
  await done.click();
  await dialog(page).waitFor({ state: "detached" });
  return token;
}

/** What AI agents may do in a merchant's name, as their merchant sees and ends it. */
export function agents(world: PortalWorld): void {
  test("acceptance 13: a credential is made step by step, its token shown once; the page shows what its agent does within the limits; revoked, one or all, the next call is refused; the publishable key looks and cannot create", {
    timeout: 300_000,
  }, async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Enoteca Brera");
    const developer = await colleague(relay, owner, "dario", "DEVELOPER");
    const { page } = await world.visitAs(owner, PATH);
    await page.getByText("No agents yet").waitFor();
    relay.advance(FACTOR_MS);
    const token = await made(page, owner);
    await page.getByText("1 credential", { exact: true }).waitFor();
    await page.reload();
    await page.getByText("1 credential", { exact: true }).waitFor();
    assert.equal((await page.content()).includes(token), false, "the token is shown again");
    const listed = await owner.send("GET", "/agent-credentials");
    assert.equal(listed.text.includes(token), false, "the token is told again");

    // As the page's own example does it.
    const call = callerOf(relay, token);
    const tools = listOf(member((await call("tools/list")).body, "result", "tools")).map((tool) => textMember(tool, "name"));
    assert.deepEqual(tools.sort(), ["cancel_payment_link", "create_payment_link", "get_payment_link", "list_payment_links"]);
    const ask = async (amountMinor: number) => {
      const order = { idempotencyKey: relay.uuid(), amountMinor, currency: "EUR", description: "Dinner on Thursday" };
      return member((await call("tools/call", { name: "create_payment_link", arguments: order })).body, "result");
    };
    const link = member(await ask(1_050), "structuredContent");
    assert.equal(member(await ask(5_001), "isError"), true);
    await page.locator("main").getByText("€10.50 of €1,000.00").waitFor();
    await page.locator("main .row-button").click();
    await drawer(page).getByText("€10.50 of €200.00").waitFor();
    await drawer(page).getByText("Over the limit for one link").waitFor();
    await drawer(page).getByText("once", { exact: true }).waitFor();
    assert.deepEqual((await drawer(page).locator(".timeline .badge").allTextContents()).slice(0, 2), ["Refused", "Done"]);
    await drawer(page).getByRole("link", { name: "Show its links" }).click();
    await page.getByText("1 payment link").waitFor();
    await page.getByRole("button", { name: "Dinner on Thursday" }).click();
    await drawer(page).getByText(textMember(link, "id")).waitFor();

    // Whoever may not administer agents looks.
    const { page: looking } = await world.visitAs(developer, PATH);
    await looking.getByRole("button", { name: /Booking assistant/ }).click();
    await drawer(looking).getByText("Create payment links").waitFor();
    assert.equal(await looking.getByRole("button", { name: /^(New credential|Revoke)/, includeHidden: true }).count(), 0);

    // Ended by one press, on the next call.
    await page.goto(PATH);
    await page.locator("main .row-button").click();
    await drawer(page).getByRole("button", { name: "Revoke" }).click();
    await press(page, "Revoke");
    await drawer(page)
      .getByText(/^Revoked on .* by anna\./)
      .waitFor();
    assert.equal((await call("tools/list")).status, 401);

    const server = relay.client({ authorization: `Bearer ${shop.secretKey}` });
    const others = [await newAgentCredential(server), await newAgentCredential(server)];
    const callers = others.map((other) => callerOf(relay, other.token));
    for (const caller of callers) assert.equal((await caller("tools/list")).status, 200);
    await page.goto(PATH);
    await page.getByRole("button", { name: "Revoke all" }).click();
    await press(page, "Revoke all");
    await page.getByText("2 credentials are revoked.").waitFor();
    for (const caller of callers) assert.equal((await caller("tools/list")).status, 401);

    // The publishable key stands in pages that everybody reads.
    const keys = await owner.send("GET", "/keys");
    const everybody = relay.client({ authorization: `Bearer ${textMember(keys.body, "data", "publishableKey")}` });
    const seen = await everybody.get(`${PORTAL_API}/agent-credentials`);
    assert.equal(seen.status, 200, seen.text);
    assert.equal(listOf(member(seen.body, "data", "items")).length, 3);
    assert.doesNotMatch(seen.text, /details|ipAllow|@/);
    const refused = await everybody.post(`${PORTAL_API}/agent-credentials`, { name: "Of everybody", scopes: ["links:read"] });
    assert.deepEqual([refused.status, member(refused.body, "code")], [403, "secret_key_required"]);
  });
}

/** Credentials of a furnished shop, by what they are. */
export async function agentsIn(relay: Relay, shop: Shop): Promise<{ readonly [what: string]: string }> {
  const server = relay.client({ authorization: `Bearer ${shop.secretKey}` });
  const limits = { perLinkMaxMinor: 5_000, perDayMinor: 5_000, totalMinor: 5_000 };
  const usedUp = await newAgentCredential(server, { name: "An assistant whose name is as long as a name may be, for phones", limits });
  const looks = await newAgentCredential(server, { name: "Reports", scopes: ["transactions:read", "analytics:read"], limits: undefined });
  const revoked = await newAgentCredential(server, { name: "Lost laptop" });
  const order = { amountMinor: 5_000, currency: "EUR", description: "All of it" };
  for (const amountMinor of [5_001, 5_000]) {
    const params = { name: "create_payment_link", arguments: { ...order, amountMinor, idempotencyKey: relay.uuid() } };
    assert.equal((await callerOf(relay, usedUp.token)("tools/call", params)).status, 200);
  }
  const ended = await server.send(`${PORTAL_API}/agent-credentials/${revoked.id}`, { method: "DELETE" });
  assert.equal(ended.status, 200, ended.text);
  return { usedUp: usedUp.id, looks: looks.id, revoked: revoked.id };
}

const until = (page: Page) => drawer(page).locator(".sum").waitFor();

export function agentPages(made: { readonly [what: string]: string }): Looked[] {
  return [
    { name: "agents", path: PATH, until: (page) => page.getByText("3 credentials in total").waitFor() },
    { name: "filtered agents", path: `${PATH}?state=EXPIRED`, until: (page) => page.getByText("No results for these filters").waitFor() },
    ...Object.entries(made).map(([what, id]) => ({ name: `an agent ${what}`, path: `${PATH}/${id}`, until })),
    { name: "no agent", path: `${PATH}/none`, until: (page) => page.getByText("Credential not found").waitFor() },
  ];
}

export function italianAgentPages(made: { readonly [what: string]: string }): Looked[] {
  return [
    { name: "agenti", path: PATH, until: (page) => page.getByText("3 credenziali in tutto").waitFor() },
    { name: "un agente", path: `${PATH}/${made["usedUp"]}`, until },
  ];
}
