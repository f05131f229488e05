import assert from "node:assert/strict";
import { test } from "node:test";
import { MERCHANT_ACTS, MERCHANT_ROLES, merchantRoleMay } from "../../../../engine/access/merchant-user-grant.ts";
import { en as enPages } from "../../../../http/web/portal/i18n/en.ts";
import { it as itPages } from "../../../../http/web/portal/i18n/it.ts";
import { start as enStart } from "../../../../http/web/portal/i18n/start.en.ts";
import { start as itStart } from "../../../../http/web/portal/i18n/start.it.ts";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { sessionOf as administratorSession, PAOLA } from "../operators/fake-operations.ts";
import { fakeRelay, invitationOf, sessionOf, signedOut, TEAM } from "./fake-relay.ts";
import { openPortal } from "./portal-page.ts";

const en = { ...enStart, ...enPages };
const it = { ...itStart, ...itPages };

const skip = { skip: NO_BROWSER, timeout: 60_000 };

for (const [locale, words] of [
  ["en", en],
  ["it", it],
] as const) {
  for (const role of MERCHANT_ROLES) {
    test(`an invitation as ${role} lists what the role may do and what not, in the language ${locale}`, skip, async (t) => {
      const { url, page } = await openPortal(t);
      await fakeRelay(page, {
        "GET /session": () => ({ data: signedOut() }),
        "GET /invitations/*": () => ({ data: invitationOf({ role, locale }) }),
      });
      await page.goto(`${url}/portal/invitation/a-token`);
      const can = page.locator(".rights-check li");
      await can.first().waitFor();
      const rights = (permitted: boolean) =>
        MERCHANT_ACTS.filter((act) => merchantRoleMay(role, act) === permitted).map((act) => words.rights[act]);
      assert.deepEqual(await can.allInnerTexts(), rights(true));
      assert.deepEqual(await page.locator(".rights-close li").allInnerTexts(), rights(false));
    });
  }
}

test("whoever invites sees the rights of each role before the choice, refunds of Finance among them", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, { "GET /session": () => ({ data: sessionOf() }), "GET /users": () => ({ data: TEAM }) });
  await page.goto(`${url}/portal/users`);
  await page.getByRole("button", { name: "Invite a user" }).click();
  for (const role of MERCHANT_ROLES) {
    const choice = page.locator(".choice", { has: page.getByText(en.roles[role], { exact: true }) });
    const rights = MERCHANT_ACTS.filter((act) => merchantRoleMay(role, act)).map((act) => en.rights[act]);
    assert.equal(await choice.locator(".choice-hint").textContent(), rights.join(" · "), role);
  }
  const finance = page.locator(".choice", { has: page.getByText("Finance", { exact: true }) });
  await finance.getByText("Refund payments").waitFor();
});

test("an operator's account says what the role may do, and what only an owner may", skip, async (t) => {
  const { url, page } = await openPortal(t, "operators");
  await fakeRelay(page, { ...PAOLA, "GET /session": () => ({ data: administratorSession({ role: "operator" }) }) }, "/admin");
  await page.goto(`${url}/admin/ui/account`);
  await page.locator(".rights-check li", { hasText: "See terminals" }).waitFor();
  await page.locator(".rights-check li", { hasText: "Upload versions of the app" }).waitFor();
  await page.locator(".rights-close li", { hasText: "Manage administrators" }).waitFor();
  assert.equal(await page.locator(".rights-close li", { hasText: "See terminals" }).count(), 0);
});
