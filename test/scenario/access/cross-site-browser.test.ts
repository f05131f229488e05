import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, afterEach, before, describe, type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { NO_BROWSER, openPage } from "../../support/browser/browser.ts";
import { assertMatches, listOf, member } from "../../support/http/matches.ts";
import { SHARD_COUNTS } from "../../support/node/node.ts";
import { Relay } from "../../support/node/relay.ts";
import { AdminPerson } from "../../support/people/admin-person.ts";
import { newPartner } from "../../support/people/new-partner.ts";
import { webSocketUrl } from "../../support/people/stomp-terminal.ts";
import { appWorld } from "../terminals/app-world.ts";

/** Where a foreign page is: a host of its own, or the relay's host with another port, which a browser calls the same site. */
const FOREIGN = [
  { where: "another site", host: "127.0.0.2" },
  { where: "the same site", host: "127.0.0.1" },
] as const;

interface Form {
  action: string;
  multipart?: { member: string; content: string };
  /** From a page whose origin is `null`. */
  sandboxed?: true;
}

const SANDBOXED = "/sandboxed";

const relay = new Relay({ shards: SHARD_COUNTS[0], environment: {} });

/** A page of nobody's at this host, as an attacker has it. */
async function foreignPage(t: TestContext, host: string): Promise<string> {
  const server = createServer(({ url }, response) => {
    if (url === SANDBOXED) response.setHeader("content-security-policy", "sandbox allow-forms allow-scripts");
    response.setHeader("content-type", "text/html").end("<!doctype html><p>Kittens");
  });
  server.listen(0, host);
  await once(server, "listening");
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === "object", "the page has a port");
  return `http://${host}:${address.port}`;
}

/** A browser whose user has logged in to the relay, so that it remembers the login. */
async function loggedIn(t: TestContext, url: string, username: string, password: string, path: string): Promise<Page> {
  const page = await openPage(t);
  const address = new URL(path, url);
  address.username = username;
  address.password = password;
  const answer = await page.goto(address.href);
  assert.equal(answer?.status(), 200, "the login is right");
  return page;
}

const administrator = (t: TestContext) => loggedIn(t, relay.node.url, "admin", "admin", "/admin/dashboard");

/** Runs a script in a page at this address, with values that it finds in `given`. Resolves with what it returns. */
async function runAt(page: Page, address: string, script: string, given: { [name: string]: unknown }): Promise<unknown> {
  await page.goto(address);
  return page.evaluate(`(async (given) => {${script}})(${JSON.stringify(given)})`);
}

/** Sends a form as a script of a foreign page does. Resolves with the status of the relay's answer. */
async function submit(page: Page, origin: string, form: Form): Promise<number> {
  const address = form.sandboxed === undefined ? origin : `${origin}${SANDBOXED}`;
  const [answer] = await Promise.all([page.waitForResponse(form.action), runAt(page, address, SUBMIT, { ...form })]);
  // Else the next navigation would be interrupted by this one.
  await page.waitForURL(form.action);
  return answer.status();
}

const SUBMIT = `
  const form = Object.assign(document.createElement("form"), { method: "post", action: given.action });
  document.body.append(form);
  if (given.multipart) {
    form.enctype = "multipart/form-data";
    const files = new DataTransfer();
    files.items.add(new File([given.multipart.content], "app.apk"));
    const input = Object.assign(document.createElement("input"), { type: "file", name: given.multipart.member });
    form.append(input);
    input.files = files.files;
  }
  setTimeout(() => form.submit());
`;

/** What `fetch` of a foreign page can send without the browser asking first, with the login that it remembers. */
async function send(page: Page, origin: string, url: string, body: string, type: string): Promise<number> {
  const script = `
    const body = new Blob([given.body], { type: given.type });
    await fetch(given.url, { method: "POST", mode: "no-cors", credentials: "include", body }).catch(() => {});
  `;
  const [answer] = await Promise.all([page.waitForResponse(url), runAt(page, origin, script, { url, body, type })]);
  return answer.status();
}

describe("a foreign page in a browser", { skip: NO_BROWSER }, () => {
  before(() => relay.start());
  after(() => relay.stop());
  afterEach(() => relay.leaveAll());
  const apps = appWorld(relay, 100_000);

  for (const { where, host } of FOREIGN) {
    test(`${where}: no form changes anything with the administrator's login`, async (t) => {
      const [url, origin] = [relay.node.url, await foreignPage(t, host)];
      const [empty, full] = [await apps.createVersion(t), await apps.createUploaded(t)];
      const partner = await newPartner(relay);
      const terminal = await relay.online(relay.terminalId());
      const page = await administrator(t);
      const forms: Form[] = [
        {
          action: `${url}/admin/app-versions/${empty.id}/upload-apk`,
          multipart: { member: "file", content: "PK\u0003\u0004 another app" },
        },
        { action: `${url}/admin/app-versions/${full.id}/deploy-global` },
        { action: `${url}/admin/app-versions/${full.id}/push-update` },
        { action: `${url}/admin/api/partners/${partner.id}/reset-password` },
        { action: `${url}/admin/api/partners/${partner.id}/generate-api-key` },
        { action: `${url}/admin/api/partners/${partner.id}/generate-api-key`, sandboxed: true },
        { action: `${url}/admin/redis-sessions/clear` },
        { action: `${url}/admin/receipts/clean` },
      ];
      for (const form of forms) assert.equal(await submit(page, origin, form), 403, form.action);
      assertMatches(await apps.show(empty.id), { apkUrl: null });
      assert.equal(await apps.offered(relay.terminalId()), null);
      assert.equal((await partner.byKey.connection("T1")).status, 200, "the key is the one before");
      assert.equal((await partner.byPassword.connection("T1")).status, 200, "the password is the one before");
      const { body } = await relay.administrator().get("/admin/audit?limit=500");
      const [clear, clean, push] = ["sessions.clear", "receipts.clean", "app-version.push"];
      const done = listOf(member(body, "data")).map((entry) => member(entry, "action"));
      assert.deepEqual(
        done.filter((action) => action === clear || action === clean || action === push),
        [],
      );
      assert.deepEqual(terminal.commands.waiting, [], "nobody was told to update");
    });

    test(`${where}: no JSON arrives that has no content type, or another one`, async (t) => {
      const [url, origin] = [relay.node.url, await foreignPage(t, host)];
      const page = await administrator(t);
      const [terminalId, uuid] = [relay.terminalId(), relay.uuid()];
      const payment = JSON.stringify({ uuid, amount: 1_050, service: "PAYCC" });
      const version = await apps.createVersion(t);
      const report = JSON.stringify({ terminalId, versionCode: version.versionCode, status: "failed" });
      for (const type of ["", "text/plain", "application/json"]) {
        const paid = await send(page, origin, `${url}/api/v1/${terminalId}/pay`, payment, type);
        assert.ok([401, 403, 415].includes(paid), `${type}: ${paid}`);
        assert.equal(await send(page, origin, `${url}/api/v1/app/install-log`, report, type), 415, type);
      }
      assert.equal((await relay.administrator().life(uuid)).status, 404, "there is no such command");
      assertMatches((await relay.administrator().get(`/admin/app-versions/${version.id}/install-logs`)).body, { data: [] });
    });

    test(`${where}: neither an image nor a link takes a payment from its terminal`, async (t) => {
      const [terminalId, uuid, origin] = [relay.terminalId(), relay.uuid(), await foreignPage(t, host)];
      const [url, password] = [relay.node.url, await relay.password(terminalId)];
      const page = await loggedIn(t, url, terminalId, password, `/api/v1/${terminalId}/settings`);
      assert.equal((await relay.partner().pay(terminalId, { uuid })).status, 200);
      const src = `${url}/api/v1/${terminalId}/get`;
      const image = "await new Promise((done) => Object.assign(new Image(), { onload: done, onerror: done, src: given.src }));";
      await runAt(page, origin, image, { src });
      await Promise.all([page.waitForResponse(src), runAt(page, origin, "setTimeout(() => location.assign(given.src));", { src })]);
      assertMatches(await relay.fleet().take(terminalId), { status: 200, body: { uuid } });
    });
  }

  test("the relay's own pages work, and pages of a listed origin with a key", async (t) => {
    const { url } = relay.node;
    const page = await administrator(t);
    const call = `
      const { url, body, headers } = given;
      const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) });
      return { status: answer.status, body: await answer.json() };
    `;
    const own = await runAt(page, `${url}/docs`, call, { url: "/admin/receipts/clean?days=30", body: {} });
    assertMatches(own, { status: 200 }, "the browser attaches the administrator's login");
    const shop = await foreignPage(t, "127.0.0.2");
    const { apiKey } = await newPartner(relay, { allowedOrigins: { shop } });
    const uuid = relay.uuid();
    const paid = await runAt(page, shop, call, {
      url: `${url}/api/v1/${relay.terminalId()}/pay`,
      headers: { "api-key": apiKey },
      body: { uuid, amount: 1_050, service: "PAYCC" },
    });
    assertMatches(paid, { status: 200, body: { status: "ok", data: { received: { uuid } } } });
  });
});

test("a foreign page's WebSocket has no login that the browser remembers", { skip: NO_BROWSER }, async (t) => {
  const production = new Relay({
    shards: SHARD_COUNTS[0],
    environment: {
      RELAY_MODE: "production",
      RELAY_HOST: "127.0.0.1",
      RELAY_TERMINAL_SECRET: "a-secret-of-this-test-only",
      RELAY_SECRET_KEY: "q2r9C2Xq0o6Qb0V3J8cVbFh3b0k4m1Zl7pXn5sYtT2E=",
      RELAY_ADMIN_PASSWORD: "an-admin-password-of-this-test",
    },
  });
  await production.start();
  t.after(() => production.stop());
  const { url } = production.node;
  const terminalId = production.terminalId();
  const administrator = new AdminPerson(production, { username: "admin", password: "an-admin-password-of-this-test" });
  assert.equal((await administrator.begin()).status, 200);
  await administrator.enrol();
  const { body } = await administrator.send("GET", `/terminals/${terminalId}/credentials`);
  const password = String(member(body, "data", "password"));
  // Without being asked a browser attaches a login to paths below the one where it was asked for it, here the root.
  const page = await loggedIn(t, url, terminalId, password, `/status?terminalId=${terminalId}`);
  /** The command of the first frame that a page at this address gets, with what it sends at CONNECT itself. */
  const connect = (address: string, login: string) =>
    runAt(
      page,
      address,
      `return new Promise((resolve) => {
        const socket = new WebSocket(given.url, "v12.stomp");
        socket.onopen = () => socket.send("CONNECT\\naccept-version:1.2\\nhost:relay\\n" + given.login + "\\n\\0");
        socket.onmessage = ({ data }) => resolve(data.split("\\n")[0]);
        socket.onclose = () => resolve("closed");
      });`,
      { url: webSocketUrl(url), login },
    );
  assert.equal(await connect(`${url}/docs`, ""), "CONNECTED", "the browser attaches the terminal's login for the relay's own pages");
  for (const { where, host } of FOREIGN) {
    const origin = await foreignPage(t, host);
    assert.equal(await connect(origin, ""), "ERROR", where);
    assert.equal(await connect(origin, `login:${terminalId}\npasscode:${password}\n`), "CONNECTED", where);
  }
});
