import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { SANDBOX_OWNER } from "../../infra/node/boot/sandbox-names.ts";
import { NO_CLICKHOUSE, placeOf, startNodeProcess } from "../fault/node-process.ts";
import type { PersonPlace } from "../support/browser/browser-person.ts";
import { CREDENTIALS, HttpClient } from "../support/http/http-client.ts";
import { listOf, member } from "../support/http/matches.ts";
import { Relay } from "../support/node/relay.ts";
import { startSmtpServer } from "../support/node/smtp-server.ts";
import { lastMailTo, PORTAL_PASSWORD, PortalPerson } from "../support/people/portal-person.ts";
import { eventually } from "../support/within.ts";
import { card, pay } from "./payments.ts";
import { addressOf, shopWithOwner, usersOf } from "./people.ts";
import { isSignedIn, newShop, type PortalWorld, signIn, signOut } from "./portal-world.ts";

const DAY_MS = 86_400_000;

/** The process of the embedded ClickHouse, which is a child of this one. */
function clickhousePid(): number {
  const found = execFileSync("pgrep", ["-P", String(process.pid), "-f", "clickhouse/embedded"], { encoding: "utf8" })
    .trim()
    .split("\n");
  assert.equal(found.length, 1, `children that are ClickHouse: ${found.join(", ")}`);
  return Number(found[0]);
}

const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();

/** What the portal does while something else does not work. */
export function faults(world: PortalWorld): void {
  test("acceptance 19: while ClickHouse stands still people sign in and work; the panels of payments say why, and recover", {
    timeout: 240_000,
  }, async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Macelleria Conti", 1);
    const [terminalId = ""] = shop.terminalIds;
    await pay(relay, card(terminalId, 4_210));
    const { page: list } = await world.visitAs(owner, "/portal/transactions");
    await list.getByText("€42.10").first().waitFor();
    const pid = clickhousePid();
    process.kill(pid, "SIGSTOP");
    try {
      const { page } = await world.visitAs(owner, "/portal/users");
      await page.getByText("1 of 5 users").waitFor();
      const email = addressOf(relay, "bruno");
      await page.getByRole("button", { name: "Invite a user" }).click();
      await page.locator("dialog").getByLabel("E-mail address").fill(email);
      await page.keyboard.press("Enter");
      await page.getByText("2 of 5 users").waitFor();
      await page.goto("/portal/audit");
      await page.getByText("Invited a user").first().waitFor();
      await page.goto("/portal/settings");
      await page.getByText("This session").waitFor();
      await page.goto("/portal/terminals");
      await page.locator("main table").getByText(terminalId).waitFor();
      await page.getByText("The last payments are not available at the moment.").waitFor();
      for (const path of [
        ...["/portal/logs", "/portal/logs?tab=calls", "/portal/transactions"],
        ...["/portal/analytics", "/portal/analytics?tab=subscriptions"],
      ]) {
        await page.goto(path);
        await page.getByText("Part of the service is not available right now.").waitFor();
      }
      // The tasks are there without the figures.
      await page.goto("/portal");
      await page.getByText("The figures of payments cannot be loaded at the moment.").waitFor();
      // What was there stays, and is said to be old.
      await list.getByText("This may be out of date: the last refresh failed.").waitFor();
      assert.ok((await list.getByText("€42.10").count()) > 0);
      // A payment is taken all the same.
      await pay(relay, card(terminalId, 5_320));
      process.kill(pid, "SIGCONT");
      await list.getByText("€53.20").first().waitFor();
      assert.equal(await list.getByText("This may be out of date").count(), 0);
      await page.getByText("€95.30").first().waitFor();
    } finally {
      process.kill(pid, "SIGCONT");
    }
  });

  test("acceptance 20: entries of the log are there for 400 days and sent mails for 30, and gone afterwards", {
    timeout: 180_000,
  }, async (t) => {
    const smtp = await startSmtpServer();
    t.after(() => smtp.close());
    const relay = new Relay({
      shards: 1,
      environment: {
        ...NO_CLICKHOUSE,
        RELAY_TRUSTED_PROXIES: "127.0.0.0/8",
        RELAY_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
        RELAY_MAIL_FROM: "Payments <no-reply@relay.example>",
      },
    });
    await relay.start();
    t.after(() => relay.stop());
    const shop = await newShop(relay, "Drogheria Vecchia");
    const owner = new PortalPerson(relay, addressOf(relay, "anna"));
    await shop.invite(owner.email);
    const token = await eventually(() => {
      const written = (smtp.mails.find(({ to }) => to.includes(owner.email))?.data ?? "").replaceAll(/=\r?\n/g, "");
      return /\/portal\/invitation\/([\w-]{43})/.exec(written)?.[1] ?? assert.fail("no invitation was sent");
    });
    assert.equal((await owner.accept(token)).status, 200);
    await owner.enrol();
    const { page } = await world.visitors.visit(relay.node.url);
    // A session does not last for days, so that each look is of a new one.
    const invitationsInLog = async (): Promise<number> => {
      await signIn(page, owner, "/portal/audit");
      await heading(page, "Audit");
      await page.getByText("Signed in").first().waitFor();
      const count = await page.locator("main table").getByText("Invited a user").count();
      await signOut(page);
      return count;
    };
    const statesOfInvitations = async (): Promise<unknown[]> => {
      const { body } = await relay.administrator().get("/admin/mails?limit=500");
      const invitations = listOf(member(body, "data")).filter(
        (mail) => member(mail, "to") === owner.email && member(mail, "kind") === "invitation",
      );
      return invitations.map((mail) => member(mail, "state"));
    };
    const written = await invitationsInLog();
    assert.ok(written > 0);
    await eventually(async () => assert.deepEqual(await statesOfInvitations(), ["SENT"]));
    relay.advance(29 * DAY_MS);
    assert.deepEqual(await statesOfInvitations(), ["SENT"]);
    relay.advance(2 * DAY_MS);
    await eventually(async () => assert.deepEqual(await statesOfInvitations(), []));
    relay.advance(368 * DAY_MS);
    assert.equal(await invitationsInLog(), written);
    relay.advance(2 * DAY_MS);
    assert.equal(await invitationsInLog(), 0);
  });

  test("a node that is killed under a session: the session goes on, and whoever accepts an invitation at that moment has an account or an invitation, never half of one", {
    timeout: 300_000,
  }, async (t) => {
    const { start, relay, origin } = await killable(t);
    let node = await start();
    const owner = new PortalPerson(relay, SANDBOX_OWNER.email);
    owner.scan(SANDBOX_OWNER.totpSecret);
    // What its browser cannot load while the node is away is no fault of the page.
    const { page } = await world.visitors.visit(origin, { faults: [] });
    await signInAsOwner(page, owner);
    assert.equal((await owner.send("POST", "/session", { email: owner.email, password: SANDBOX_OWNER.password })).status, 200);
    assert.equal((await owner.send("POST", "/session/second-factor", { code: owner.code() })).status, 200);

    const ends: string[] = [];
    for (const afterMs of KILLED_AFTER_MS) {
      const person = new PortalPerson(relay, `colleague-${afterMs}@example.com`);
      const invited = await owner.send("POST", "/users", { email: person.email, role: "VIEWER", locale: "en" });
      assert.equal(invited.status, 201, invited.text);
      const { token } = await lastMailTo(relay, person.email);
      const accepting = person.accept(token).catch(() => null);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await node.kill();
      const answer = await accepting;
      node = await start();

      // The session of before is valid, on the page too.
      const users = await usersOf(owner);
      const listed = users.filter(({ email }) => email === person.email);
      assert.equal(listed.length, 1);
      const begun = await person.send("POST", "/session", { email: person.email, password: PORTAL_PASSWORD });
      if (listed[0]?.state === "INVITED") {
        ends.push("invited");
        assert.equal(answer, null, "what was answered is stored");
        assert.equal(begun.status, 401, begun.text);
        const again = await person.accept(token);
        assert.equal(again.status, 200, again.text);
      } else {
        ends.push("joined");
        assert.equal(listed[0]?.state, "ACTIVE");
        assert.equal(begun.status, 200, begun.text);
        assert.equal((await person.accept(token)).status, 410);
        assert.equal((await person.send("POST", "/session", { email: person.email, password: PORTAL_PASSWORD })).status, 200);
      }
      assert.equal((await person.send("POST", "/me/totp")).status, 200, "the account can go on with its second factor");
      const own = (await usersOf(owner)).filter(({ email }) => email === person.email);
      assert.deepEqual(
        own.map(({ state }) => state),
        ["ACTIVE"],
      );
      assert.equal((await owner.send("DELETE", `/users/${own[0]?.userId}`)).status, 200);
    }
    t.diagnostic(`what the kills found: ${ends.join(", ")}`);
    await page.goto("/portal/users");
    await page.getByText("1 of 5 users").waitFor();
    await isSignedIn(page);
  });

  test("a page that is open while the node is killed says so, and goes on by itself when the node is back", {
    timeout: 180_000,
  }, async (t) => {
    const { start, relay, origin } = await killable(t);
    const node = await start();
    const owner = new PortalPerson(relay, SANDBOX_OWNER.email);
    owner.scan(SANDBOX_OWNER.totpSecret);
    const { page } = await world.visitors.visit(origin, { faults: [] });
    await signInAsOwner(page, owner);
    await page.goto("/portal/terminals");
    await page.locator("main table").getByText("SIM00001").waitFor();
    await node.kill();
    await page.getByText("This may be out of date: the last refresh failed.").waitFor();
    await start();
    await page.getByText("This may be out of date: the last refresh failed.").waitFor({ state: "detached" });
    await isSignedIn(page);
  });

  async function signInAsOwner(page: Page, owner: PortalPerson): Promise<void> {
    await signIn(page, owner, "/portal", SANDBOX_OWNER.password);
  }

  /** A node in a process of its own, on one folder; `start` starts it again. */
  async function killable(t: TestContext) {
    const { port, dataDirectory } = await placeOf(t);
    const origin = `http://127.0.0.1:${port}`;
    let addresses = 0;
    const client = (headers: { [name: string]: string }) => {
      addresses += 1;
      return new HttpClient(() => origin, headers, `127.9.0.${addresses}`);
    };
    const relay: PersonPlace & Pick<Relay, "administrator"> = {
      client,
      administrator: () => client(CREDENTIALS.administrator),
      nowMs: () => Date.now(),
      advance: () => assert.fail("the time of this node is the machine's: too many codes were used"),
    };
    const start = async () => {
      const node = startNodeProcess(t, { port, dataDirectory, environment: NO_CLICKHOUSE });
      await node.ready();
      return node;
    };
    return { start, relay, origin };
  }
}

/** A password takes some tenths of a second to be hashed: before it, in the middle, about the commit, and after it. */
const KILLED_AFTER_MS = [2, 40, 80, 120, 180, 400];

export function nothingElse(world: PortalWorld): void {
  test("acceptance 18: over the whole run no page was refused anything by its policy, asked another host, or wrote an error to the console", () => {
    const opened = [...world.visitors.opened].sort();
    // Else this would say something of pages that nobody opened.
    for (const page of [
      "",
      "agents",
      "alerts",
      "analytics",
      "audit",
      "disputes",
      "exports",
      "forgot",
      "invitation",
      "keys",
      "logs",
      "payment-links",
      "payment-methods",
      "reconciliation",
      "reset",
      "settings",
      "sign-in",
      "subscriptions",
      "terminals",
      "transactions",
      "users",
      "webhooks",
    ]) {
      assert.ok(opened.includes(page), `/portal/${page} was not opened in this run`);
    }
    for (const page of [
      "",
      "account",
      "audit",
      "cluster",
      "mails",
      "merchants",
      "partners",
      "rollouts",
      "search",
      "sign-in",
      "terminals",
    ]) {
      assert.ok(opened.includes(`admin/${page}`), `the page ${page} for operators was not opened in this run`);
    }
    assert.ok(opened.includes("/l"), "no payment link was opened in this run");
    assert.ok(opened.includes("/s"), "no customer's page of a subscription was opened in this run");
    assert.deepEqual(world.visitors.faults, []);
  });
}
