import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import type { AdministratorRole } from "../../engine/access/administrator-role.ts";
import { AdminPerson, newAdminPerson } from "../support/people/admin-person.ts";
import { newAdministrator } from "../support/people/new-administrator.ts";
import { scanKey } from "./entry.ts";
import { linkIn } from "./links.ts";
import type { FurnishedShop, Look } from "./pages.ts";
import { card, pay } from "./payments.ts";
import { shopWithOwner } from "./people.ts";
import { isSignedIn, type PortalWorld, type Visitor } from "./portal-world.ts";

const seen = (text: string) => (page: Page) => page.getByText(text).filter({ visible: true }).first().waitFor();
const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();

async function enterLogin(page: Page, { username, password }: AdminPerson): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
}

/** A visitor who is signed in as an administrator of its own with this role. */
export async function visitAsAdministrator(
  world: PortalWorld,
  role: AdministratorRole,
  path = "/admin",
): Promise<Visitor & { person: AdminPerson }> {
  const person = await newAdminPerson(world.relay, role);
  const visitor = await world.visit();
  await visitor.page.goto(path);
  await enterLogin(visitor.page, person);
  await visitor.page.getByLabel("Code").fill(person.code());
  await visitor.page.keyboard.press("Enter");
  await isSignedIn(visitor.page);
  return { ...visitor, person };
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Your account/ }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await heading(page, "Sign in");
}

/** What administrators do on their pages. */
export function operators(world: PortalWorld): void {
  test("operators: an administrator enrols an authenticator app, adds a passkey, and signs in with it alone", async () => {
    const { relay } = world;
    const person = new AdminPerson(relay, await newAdministrator(relay, "operator"));
    const { context, page } = await world.visit();
    await page.goto("/admin/ui/terminals");
    await enterLogin(page, person);
    await scanKey(page, person);
    await page.getByLabel("Code").fill(person.code());
    await page.keyboard.press("Enter");
    await page.getByLabel("I have saved them in a safe place").check();
    await page.getByRole("button", { name: "Continue" }).click();
    await heading(page, "Terminals");

    const debug = await context.newCDPSession(page);
    await debug.send("WebAuthn.enable");
    await debug.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    await page.goto("/admin/ui/account");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByLabel("Name of the passkey").fill("Night shift");
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByRole("list", { name: "Passkeys" }).getByText("Night shift").waitFor();
    await signOut(page);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await isSignedIn(page);
    await heading(page, "Attention");
  });

  test("operators: a payment of a terminal and a payment link are found by their ids", async () => {
    const { relay } = world;
    const { shop } = await shopWithOwner(relay, "Libreria Dante", 1);
    const [terminalId = ""] = shop.terminalIds;
    const uuid = await pay(relay, card(terminalId, 3_150));
    const { id: linkId } = await linkIn(relay, shop);
    const { page } = await visitAsAdministrator(world, "read-only", "/admin/ui/search");
    const search = async (wanted: string): Promise<void> => {
      await page.getByLabel("Uuid or id").fill(wanted);
      await page.keyboard.press("Enter");
    };
    await search(uuid);
    await seen("Terminal payment")(page);
    await seen("€31.50")(page);
    await page.locator("main").getByText(terminalId).first().waitFor();
    await search(linkId);
    await page.locator("main").getByRole("heading", { name: "Payment link", exact: true }).waitFor();
    await seen("€49.90")(page);
    assert.equal(new URL(page.url()).searchParams.get("q"), linkId);
    await search(relay.uuid());
    await seen("No results")(page);
  });

  test("operators: an operator withdraws a terminal's login, which then is refused, and the audit log names who did it", async () => {
    const { relay } = world;
    const { shop } = await shopWithOwner(relay, "Forno Antico", 1);
    const [terminalId = ""] = shop.terminalIds;
    await pay(relay, card(terminalId, 1_500));
    const { page, person } = await visitAsAdministrator(world, "operator", `/admin/ui/terminals/${terminalId}`);
    await seen("€15.00")(page);
    await page.getByRole("button", { name: "Revoke login" }).click();
    await page.locator("dialog").last().getByRole("button", { name: "Revoke login" }).click();
    await seen("The login of this terminal is revoked")(page);
    assert.equal((await relay.fleet().take(terminalId)).status, 403);
    await page.getByRole("button", { name: "Restore login" }).click();
    await page.locator("dialog").last().getByRole("button", { name: "Restore login" }).click();
    await seen(`${terminalId} can log in again.`)(page);
    await page.goto(`/admin/ui/audit?q=${terminalId}`);
    await page.locator("main .row-button").first().waitFor();
    const rows = await page.locator("main tbody tr").allInnerTexts();
    for (const action of ["terminal.deny", "terminal.allow"]) {
      assert.ok(
        rows.some((row) => row.includes(action) && row.includes(person.username)),
        `${action} in ${rows.join("; ")}`,
      );
    }
  });

  test("operators: a read-only administrator is offered no change, and is refused those that it asks for", async () => {
    const { relay } = world;
    const { shop } = await shopWithOwner(relay, "Ottica Nova", 1);
    const [terminalId = ""] = shop.terminalIds;
    const { page, person } = await visitAsAdministrator(world, "read-only", `/admin/ui/terminals/${terminalId}`);
    await seen("Last results")(page);
    assert.equal(await page.getByRole("button", { name: /login/ }).count(), 0);
    await page.goto(`/admin/ui/merchants/${shop.merchantId}`);
    await seen("1 of 5 users")(page);
    assert.equal(await page.getByRole("button", { name: /invite|remove/i }).count(), 0);
    assert.equal(await page.getByRole("link", { name: "E-mails" }).count(), 0);
    assert.equal((await person.signIn()).status, 200);
    assert.equal((await person.send("POST", `/terminals/${terminalId}/deny`, {})).status, 403);
    assert.equal((await person.send("GET", "/mails")).status, 403);
    assert.equal((await person.send("GET", "/terminals")).status, 200);
  });

  test("operators: a session of the portal opens nothing here, and one of an administrator nothing there", async () => {
    const { owner } = await shopWithOwner(world.relay, "Pasticceria Lina");
    const { page } = await world.visitAs(owner, "/portal/users");
    await page.goto("/admin");
    await heading(page, "Sign in");
    for (const path of ["/terminals", "/attention", "/audit", "/factors"]) {
      assert.equal((await page.request.get(`/admin${path}`, { headers: { "x-relay-portal": "1" } })).status(), 401, path);
    }
    const { page: other } = await visitAsAdministrator(world, "owner");
    await other.goto("/portal");
    await other.getByLabel("E-mail address").waitFor();
    assert.equal((await other.request.get("/api/merchant/users")).status(), 401);
  });
}

/** Looks at every page for operators with what the node really has. */
export async function everyOperatorPage(world: PortalWorld, { shop, uuid }: FurnishedShop, lookAt: Look): Promise<void> {
  const { relay } = world;
  const [terminalId = ""] = shop.terminalIds;
  const outside = await world.visit();
  await lookAt(outside, { name: "admin sign-in", path: "/admin", until: seen("to operate this relay") });
  const person = new AdminPerson(relay, await newAdministrator(relay, "owner"));
  await enterLogin(outside.page, person);
  await lookAt(outside, { name: "admin enrolment", path: "", until: seen("Scan this code with your authenticator app") });
  const inside = await visitAsAdministrator(world, "owner");
  for (const looked of [
    { name: "admin attention", path: "/admin", until: seen("Unrequested result") },
    { name: "admin attention of a kind", path: "/admin?kind=unsolicited&order=oldest", until: seen("What to do:") },
    { name: "admin search", path: `/admin/ui/search?q=${uuid}`, until: seen("Uuid or id") },
    { name: "admin terminals", path: `/admin/ui/terminals?q=${terminalId}`, until: seen("1 terminal") },
    { name: "admin terminal", path: `/admin/ui/terminals/${terminalId}`, until: seen("Last results") },
    { name: "admin partners", path: "/admin/ui/partners", until: seen("Partner") },
    { name: "admin merchant", path: `/admin/ui/merchants/${shop.merchantId}`, until: seen(shop.merchantName) },
    { name: "admin roll-outs", path: "/admin/ui/rollouts", until: seen("Upload a version") },
    { name: "admin fleet", path: `/admin/ui/fleet?q=${terminalId}`, until: seen("1 terminal") },
    { name: "admin audit", path: "/admin/ui/audit", until: seen("administrator.create") },
    { name: "admin mails", path: "/admin/ui/mails", until: seen("Invitation") },
    { name: "admin health", path: "/admin/ui/cluster", until: seen("Commands closed today") },
    { name: "admin account", path: "/admin/ui/account", until: seen("Recovery codes") },
    { name: "admin no page", path: "/admin/ui/nothing-here", until: seen("Go to the start page") },
  ]) {
    await lookAt(inside, looked);
  }
}
