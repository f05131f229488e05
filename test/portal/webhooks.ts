import assert from "node:assert/strict";
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type TestContext, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { WEBHOOK_PAUSES_MS } from "../../engine/webhooks/webhook-delivery.ts";
import { freePort } from "../../infra/local/free-port.ts";
import type { HttpClient } from "../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../support/http/matches.ts";
import type { Relay } from "../support/node/relay.ts";
import { PORTAL_API } from "../support/people/portal-person.ts";
import { eventually } from "../support/within.ts";
import { shopWithOwner } from "./people.ts";
import { type PortalWorld, stepUp } from "./portal-world.ts";

/** Attempts are made within a second; the rest is for a machine that does other things too. */
const SOON_MS = 30_000;

interface Received {
  headers: { [name: string]: string | string[] | undefined };
  body: string;
}

/** A server of a shop that can go away and come back at its address. */
class Receiver {
  readonly received: Received[] = [];
  #server: Server | null = null;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hooks`;
  }

  async up(): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        this.received.push({ headers: request.headers, body: Buffer.concat(chunks).toString("utf8") });
        response.end("thank you");
      });
    });
    // While it is down nobody else gets its port.
    if (this.#port === 0) this.#port = await freePort();
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#server = server;
  }

  down(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
    this.#server = null;
  }

  /** What came of these objects. */
  about(objectId: string): Received[] {
    return this.received.filter(({ body }) => member(JSON.parse(body), "objectId") === objectId);
  }
}

async function receiver(t: TestContext): Promise<Receiver> {
  const made = new Receiver();
  await made.up();
  t.after(() => made.down());
  return made;
}

/** As a shop does it, with nothing of the relay's. */
function isSigned({ headers, body }: Received, secret: string): boolean {
  const given = Buffer.from(String(headers["x-gateway-signature"]), "hex");
  const own = createHmac("sha256", secret).update(body, "utf8").digest();
  return given.length === own.length && timingSafeEqual(given, own);
}

const drawer = (page: Page): Locator => page.locator("dialog.drawer");
const dialog = (page: Page): Locator => page.locator("dialog.dialog");
const row = (page: Page, objectId: string): Locator => page.locator("main tbody tr", { hasText: objectId.slice(0, 8) });

/** The secret that is shown once, and the dialog closed. */
async function keptSecret(page: Page): Promise<string> {
  await page.getByText("The secret is shown only now.").waitFor();
  const secret = (await dialog(page).locator("[data-secret]").textContent()) ?? "";
  const done = dialog(page).getByRole("button", { name: "Done" });
  assert.equal(await done.isDisabled(), true, "it may not be closed before it is kept");
  await dialog(page).getByLabel("I have saved it in my system").check();
  await done.click();
  await page.getByText("The secret is shown only now").waitFor({ state: "detached" });
  return secret;
}

/** A payment by link at a terminal of the shop, which its customer pays or gives up. */
async function linkPayment({ relay, gateway }: PortalWorld, terminalId: string, action: "pay" | "cancel"): Promise<string> {
  const made = await relay.fleet().post(`/api/v1/${terminalId}/paybylink`, { amount: 12.5, reason: "Table 7" });
  assert.equal(made.status, 200, made.text);
  const txId = textMember(made.body, "txId");
  await gateway.act(txId, action);
  return txId;
}

async function deliveriesOf(server: HttpClient, query: string): Promise<unknown[]> {
  const answer = await server.get(`${PORTAL_API}/webhooks/deliveries?${query}`);
  assert.equal(answer.status, 200, answer.text);
  return listOf(member(answer.body, "data", "items"));
}

/** When it was tried, once it has been so often. */
async function triesOf(server: HttpClient, objectId: string, count: number): Promise<{ id: string; atMs: number[] }> {
  return eventually(async () => {
    const [delivery] = await deliveriesOf(server, `objectId=${objectId}`);
    const id = textMember(delivery, "id");
    const shown = await server.get(`${PORTAL_API}/webhooks/deliveries/${id}`);
    const tries = listOf(member(shown.body, "data", "tries"));
    assert.equal(tries.length, count);
    return { id, atMs: tries.map((one) => Date.parse(textMember(one, "at"))) };
  }, SOON_MS);
}

/** Lets all pauses pass, and says when it was tried. */
async function exhaust(relay: Relay, server: HttpClient, objectIds: readonly string[]): Promise<number[][]> {
  for (const [index, pauseMs] of WEBHOOK_PAUSES_MS.entries()) {
    for (const objectId of objectIds) await triesOf(server, objectId, index + 1);
    // Each pause is up to a tenth longer than it says.
    relay.advance(pauseMs * 1.1);
  }
  return Promise.all(objectIds.map(async (objectId) => (await triesOf(server, objectId, WEBHOOK_PAUSES_MS.length + 1)).atMs));
}

/** Where a shop's systems are told of what happens: made and tried in the page, away and back again. */
export function webhooks(world: PortalWorld): void {
  test("acceptance 15: while the receiver is down it is tried after the scheduled pauses; back again, one event is resent by hand, and resending all that failed leaves out what was delivered", {
    timeout: 300_000,
  }, async (t) => {
    const { relay } = world;
    const hooks = await receiver(t);
    const { shop, owner } = await shopWithOwner(relay, "Ristorante Navigli", 1);
    const [terminalId = ""] = shop.terminalIds;
    const server = relay.client({ authorization: `Bearer ${shop.secretKey}` });

    const { page } = await world.visitAs(owner, "/portal/webhooks");
    await page.getByText("No endpoints yet").waitFor();
    await page.getByRole("button", { name: "Add endpoint" }).click();
    await dialog(page).getByLabel("Address").fill(hooks.url);
    await dialog(page).getByRole("radio", { name: "Selected events" }).check();
    await dialog(page).getByLabel("payment.succeeded").check();
    await dialog(page).getByLabel("payment.failed").check();
    await dialog(page).getByRole("button", { name: "Add" }).dblclick();
    // Making a secret wants a fresh second factor; who has just signed in has one.
    const question = page.locator("dialog", { hasText: "Confirm it is you" });
    await question.or(page.getByText("The secret is shown only now.")).first().waitFor();
    if ((await question.count()) > 0) await stepUp(page, owner);
    const secret = await keptSecret(page);
    await page.getByText("1 of 16 endpoints").waitFor();
    await page.locator("main .row-button").click();
    await drawer(page).getByRole("button", { name: "Send test event" }).click();
    await eventually(() => assert.equal(hooks.received.length, 1), SOON_MS);
    const [tried] = hooks.received;
    assert.ok(tried !== undefined && isSigned(tried, secret));
    assertMatches(JSON.parse(tried.body), { type: "webhook.test", merchantId: shop.merchantId, livemode: false });

    hooks.down();
    const paid = await linkPayment(world, terminalId, "pay");
    const cancelled = await linkPayment(world, terminalId, "cancel");
    const times = await exhaust(relay, server, [paid, cancelled]);
    for (const atMs of times) {
      for (const [index, pauseMs] of WEBHOOK_PAUSES_MS.entries()) {
        const passedMs = (atMs[index + 1] ?? 0) - (atMs[index] ?? 0);
        assert.ok(passedMs >= pauseMs && passedMs <= pauseMs * 1.1 + SOON_MS, `${passedMs} ms instead of ${pauseMs}`);
      }
    }
    await eventually(async () => assert.equal((await deliveriesOf(server, "outcome=FAILED")).length, 2), SOON_MS);
    assert.equal(hooks.received.length, 1);

    await hooks.up();
    // More than an hour has passed: the session has ended meanwhile.
    const { page: later } = await world.visitAs(owner, "/portal/webhooks?tab=deliveries&outcome=FAILED");
    await later.getByText("2 deliveries in total").waitFor();
    await row(later, paid).locator(".row-button").click();
    await drawer(later).getByText("ECONNREFUSED").or(drawer(later).getByText("No response")).first().waitFor();
    assert.equal(await drawer(later).locator(".try").count(), 6);
    await drawer(later).locator("pre", { hasText: paid }).waitFor();
    await drawer(later).getByRole("button", { name: "Resend" }).click();
    await later.getByText("The event is being sent again.").waitFor();
    await eventually(() => assert.equal(hooks.about(paid).length, 1), SOON_MS);
    const [resent] = hooks.about(paid);
    assert.ok(resent !== undefined && isSigned(resent, secret));
    assertMatches(JSON.parse(resent.body), {
      ...{ type: "payment.succeeded", merchantId: shop.merchantId, objectId: paid, sequence: 2 },
      data: { object: { uuid: paid, status: "SUCCEEDED", amountMinor: 1_250, currency: "EUR", terminalId } },
    });
    await drawer(later).getByText("Response 200").waitFor();
    await later.keyboard.press("Escape");

    await later.getByText("1 delivery", { exact: true }).waitFor();
    await later.getByRole("button", { name: "Resend all failed" }).click();
    await dialog(later).getByRole("button", { name: "Resend", exact: true }).dblclick();
    await later.getByText("1 sent again, 0 skipped.").waitFor();
    await eventually(() => assert.equal(hooks.about(cancelled).length, 1), SOON_MS);
    const [bulk] = hooks.about(cancelled);
    assert.ok(bulk !== undefined && isSigned(bulk, secret));
    assertMatches(JSON.parse(bulk.body), { type: "payment.failed", objectId: cancelled, sequence: 1 });
    await later.getByText("No results for these filters").waitFor();
    assert.equal(hooks.about(paid).length, 1, "what was delivered is not sent again");
    assert.equal(hooks.received.length, 3);
  });

  test("an endpoint is changed, disabled and enabled, its secret is replaced while the former one still signs, and it is removed", {
    timeout: 180_000,
  }, async (t) => {
    const { relay } = world;
    const hooks = await receiver(t);
    const { shop, owner } = await shopWithOwner(relay, "Sartoria Brera", 1);
    const server = relay.client({ authorization: `Bearer ${shop.secretKey}` });
    const made = await server.post(`${PORTAL_API}/webhooks`, { url: hooks.url, events: ["*"] });
    const [former, id] = [textMember(made.body, "data", "secret"), textMember(made.body, "data", "endpoint", "id")];

    const { page } = await world.visitAs(owner, `/portal/webhooks/${id}`);
    await drawer(page).getByRole("button", { name: "Replace secret" }).click();
    await dialog(page).getByRole("button", { name: "Replace secret" }).click();
    const question = page.locator("dialog", { hasText: "Confirm it is you" });
    await question.or(page.getByText("The secret is shown only now.")).first().waitFor();
    if ((await question.count()) > 0) await stepUp(page, owner);
    const secret = await keptSecret(page);
    assert.notEqual(secret, former);
    await drawer(page).getByText("Requests are also signed with the previous secret until").waitFor();
    await drawer(page).getByRole("button", { name: "Send test event" }).click();
    await eventually(() => assert.equal(hooks.received.length, 1), SOON_MS);
    const [during] = hooks.received;
    assert.ok(during !== undefined && isSigned(during, former), "the receiver has the former one until its overlap ends");

    await drawer(page).getByRole("button", { name: "Disable" }).click();
    await dialog(page).getByRole("button", { name: "Disable" }).click();
    await drawer(page).getByRole("button", { name: "Enable" }).waitFor();
    // Somebody else changes it meanwhile: the next attempt is one that knows of it.
    const elsewhere = await owner.send("PATCH", `/webhooks/${id}`, { description: "Warehouse" });
    assert.equal(elsewhere.status, 200, elsewhere.text);
    await drawer(page).getByRole("button", { name: "Enable" }).click();
    await page.getByText("Somebody else has changed this.").waitFor();
    await drawer(page).getByText("Warehouse").waitFor();
    await drawer(page).getByRole("button", { name: "Enable" }).click();
    await page.getByText("The endpoint is enabled.").waitFor();

    await drawer(page).getByRole("button", { name: "Remove" }).click();
    await dialog(page).getByRole("button", { name: "Remove" }).click();
    await page.getByText("No endpoints yet").waitFor();
    const listed = await server.get(`${PORTAL_API}/webhooks`);
    assert.deepEqual(member(listed.body, "data", "items"), []);
  });
}
