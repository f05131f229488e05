import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { assertMatches } from "../support/http/matches.ts";
import { mailsTo } from "../support/people/portal-person.ts";
import { eventually } from "../support/within.ts";
import { addressOf, colleague, shopWithOwner, userIdOf, usersOf } from "./people.ts";
import type { PortalWorld } from "./portal-world.ts";

const dialogOf = (page: Page): Locator => page.locator("dialog");

/** The question that stands before the drawer. */
const confirmDialog = (page: Page, name: string | RegExp): Locator => page.getByRole("dialog", { name, exact: true });

async function openUser(page: Page, email: string): Promise<void> {
  await page.locator("main table").getByRole("button", { name: email }).click();
  await dialogOf(page).getByRole("heading", { name: email }).waitFor();
}

async function writeInvitation(page: Page, email: string): Promise<void> {
  await page.getByRole("button", { name: "Invite a user" }).click();
  await dialogOf(page).getByLabel("E-mail address").fill(email);
}

async function chooseRole(page: Page, role: string): Promise<void> {
  await dialogOf(page)
    .getByRole("radio", { name: new RegExp(`^${role}`) })
    .check();
  await dialogOf(page).getByRole("button", { name: "Save" }).click();
}

/** The users of a shop: how many, who may, and what happens when two change the same. */
export function team(world: PortalWorld): void {
  test("acceptance 3: a sixth user is refused and told so, and the last owner cannot leave", async () => {
    const { relay } = world;
    const { owner } = await shopWithOwner(relay, "Enoteca Rossi");
    const { page } = await world.visitAs(owner, "/portal/users");
    for (const name of ["bruno", "carla", "dario"]) {
      const email = addressOf(relay, name);
      await writeInvitation(page, email);
      await dialogOf(page).getByRole("button", { name: "Send the invitation" }).click();
      await page.getByText(`The invitation was sent to ${email}.`).waitFor();
    }
    await page.getByText("4 of 5 users").waitFor();
    // The form is open when somebody else takes the last place.
    await writeInvitation(page, addressOf(relay, "sixth"));
    assert.equal((await owner.send("POST", "/users", { email: addressOf(relay, "elena"), role: "ADMIN" })).status, 201);
    await dialogOf(page).getByRole("button", { name: "Send the invitation" }).click();
    await dialogOf(page).getByText("The maximum number of users is reached. Remove a user first.").waitFor();
    assertMatches(await owner.send("POST", "/users", { email: addressOf(relay, "sixth"), role: "VIEWER" }), {
      status: 409,
      body: { status: "error", code: "users_full" },
    });
    await page.reload();
    await page.getByText("5 of 5 users").waitFor();
    await page.getByText("A merchant can have 5 users, including invited ones.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Invite a user" }).isDisabled(), true);

    await openUser(page, owner.email);
    await dialogOf(page).getByText("This is the only owner.").waitFor();
    assert.equal(await dialogOf(page).getByRole("button", { name: "Remove" }).count(), 0);
    const removed = await owner.send("DELETE", `/users/${await userIdOf(owner, owner.email)}`);
    assertMatches(removed, { status: 409, body: { code: "last_owner" } });
    assert.equal((await usersOf(owner)).length, 5);
  });

  test("a double click on the button sends one invitation", async () => {
    const { relay } = world;
    const { owner } = await shopWithOwner(relay, "Panificio Luna");
    const { page } = await world.visitAs(owner, "/portal/users");
    const email = addressOf(relay, "bruno");
    await writeInvitation(page, email);
    await dialogOf(page).getByRole("button", { name: "Send the invitation" }).dblclick();
    await page.getByText("2 of 5 users").waitFor();
    assert.deepEqual(
      (await usersOf(owner)).map((user) => user.email),
      [owner.email, email],
    );
    assert.equal((await mailsTo(relay, email)).length, 1);
    assert.equal(await page.getByText("This person is already a user or is already invited.").count(), 0);
  });

  test("of two owners who change one user in two browsers the second is told, and nothing is lost in silence", async () => {
    const { relay } = world;
    const { owner } = await shopWithOwner(relay, "Cartoleria Blu");
    const other = await colleague(relay, owner, "bruno", "OWNER");
    const third = await colleague(relay, owner, "carla", "VIEWER");
    const [one, two] = [await world.visitAs(owner, "/portal/users"), await world.visitAs(other, "/portal/users")];
    for (const { page } of [one, two]) await openUser(page, third.email);
    await chooseRole(one.page, "Admin");
    await one.page.getByText(`${third.email} is now Admin.`).waitFor();
    await chooseRole(two.page, "Finance");
    await two.page.getByText("Somebody else has changed this.").waitFor();
    // The page shows what it is now, and a second attempt is one that knows of it.
    await dialogOf(two.page).locator("dd").getByText("Admin", { exact: true }).waitFor();
    assert.equal((await usersOf(owner)).find(({ email }) => email === third.email)?.role, "ADMIN");
    await chooseRole(two.page, "Finance");
    await two.page.getByText(`${third.email} is now Finance.`).waitFor();
    assert.equal((await usersOf(owner)).find(({ email }) => email === third.email)?.role, "FINANCE");

    // One disables whom the other removes.
    await openUserAgain(one.page, third.email);
    await dialogOf(two.page).getByRole("button", { name: "Remove", exact: true }).click();
    await confirmDialog(two.page, /^Remove /)
      .getByRole("button", { name: "Remove" })
      .click();
    await two.page.getByText(`${third.email} is removed.`).waitFor();
    await dialogOf(one.page).getByRole("button", { name: "Disable" }).first().click();
    await confirmDialog(one.page, "Disable").getByRole("button", { name: "Disable" }).click();
    await one.page.getByText("This was not found. It may have been removed.").waitFor();
  });

  test("two browsers of one person that save views keep both", async () => {
    const { relay } = world;
    const { owner } = await shopWithOwner(relay, "Ferramenta Costa");
    const saved = async (page: Page, name: string): Promise<void> => {
      await page.getByRole("button", { name: "Saved views" }).click();
      await page.getByRole("button", { name: "Save these filters" }).click();
      await dialogOf(page).getByLabel("Name").fill(name);
      await page.keyboard.press("Enter");
      await page.getByText(`The view “${name}” is saved.`).waitFor();
    };
    const [one, two] = [
      await world.visitAs(owner, "/portal/transactions?status=KO"),
      await world.visitAs(owner, "/portal/transactions?method=SATISPAY"),
    ];
    await saved(one.page, "Declined");
    await saved(two.page, "Satispay");
    const me = await owner.send("GET", "/me");
    assertMatches(me.body, { data: { savedViews: [{ name: "Declined", query: "status=KO" }, { name: "Satispay" }] } });
    // What was saved elsewhere is found here, and opens its filters.
    await one.page.reload();
    await one.page.getByRole("button", { name: "Saved views" }).click();
    await one.page.getByRole("button", { name: "Satispay", exact: true }).click();
    await eventually(() => assert.match(one.page.url(), /\/portal\/transactions\?method=SATISPAY$/));
    assert.equal(await one.page.locator(".filters-desk").getByLabel("Method").inputValue(), "SATISPAY");
    await one.page.getByRole("button", { name: "Saved views" }).click();
    await one.page.getByRole("button", { name: "Delete the view “Declined”" }).click();
    await one.page.getByText("The view “Declined” is deleted.").waitFor();
    assertMatches((await owner.send("GET", "/me")).body, { data: { savedViews: [{ name: "Satispay" }] } });
  });

  test("a role that was changed meanwhile decides what the page offers, as at the endpoints, after the next request", async () => {
    const { relay } = world;
    const { owner } = await shopWithOwner(relay, "Pizzeria Vesuvio");
    const admin = await colleague(relay, owner, "bruno", "ADMIN");
    const userId = await userIdOf(owner, admin.email);
    const { page } = await world.visitAs(admin, "/portal/users");
    const menu = page.getByRole("navigation").first();
    const invite = page.getByRole("button", { name: "Invite a user" });
    const assertRole = async (role: string): Promise<void> => {
      await page.getByRole("button", { name: /^Your account/ }).click();
      await page.locator(".menu-head").getByText(role, { exact: true }).waitFor();
      await page.keyboard.press("Escape");
    };
    await writeInvitation(page, addressOf(relay, "carla"));
    assert.equal((await owner.send("PATCH", `/users/${userId}`, { role: "VIEWER" })).status, 200);
    await dialogOf(page).getByRole("button", { name: "Send the invitation" }).click();
    // The endpoint refuses it, and the page then offers what a viewer may do.
    await page.getByText("Your role does not allow this. Ask an owner or an admin.").first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Leave without saving" }).click();
    await invite.waitFor({ state: "detached" });
    await assertRole("Viewer");
    await menu.getByRole("link", { name: "Transactions" }).click();
    await page.getByText("No transactions yet").waitFor();
    assert.equal(await page.getByRole("button", { name: "Export", exact: true }).count(), 0);
    assertMatches(await admin.send("POST", "/users", { email: addressOf(relay, "carla"), role: "VIEWER" }), { status: 403 });
    assert.equal((await usersOf(owner)).length, 2);

    // And it gets more when it may do more: with the next page that is opened.
    assert.equal((await owner.send("PATCH", `/users/${userId}`, { role: "ADMIN" })).status, 200);
    await menu.getByRole("link", { name: "Users" }).click();
    await invite.waitFor();
    await assertRole("Admin");
  });

  test("who is disabled is out with the next request", async () => {
    const { relay } = world;
    const { owner } = await shopWithOwner(relay, "Sartoria Neri");
    const finance = await colleague(relay, owner, "bruno", "FINANCE");
    const { page } = await world.visitAs(finance, "/portal/terminals");
    const owned = await world.visitAs(owner, "/portal/users");
    await openUser(owned.page, finance.email);
    await dialogOf(owned.page).getByRole("button", { name: "Disable" }).first().click();
    await confirmDialog(owned.page, "Disable").getByRole("button", { name: "Disable" }).click();
    await owned.page.getByText(`${finance.email} can no longer sign in here.`).waitFor();
    // The page asks again by itself.
    await page.getByText("Your session has ended. Sign in again to continue.").waitFor();
  });
}

/** Whatever is open there. */
async function openUserAgain(page: Page, email: string): Promise<void> {
  await page.reload();
  await openUser(page, email);
}
