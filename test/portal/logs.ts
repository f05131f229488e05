import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readAnalystAccess } from "../../storage/clickhouse/analyst-access.ts";
import { textMember } from "../support/http/matches.ts";
import { Relay } from "../support/node/relay.ts";
import type { PortalPerson } from "../support/people/portal-person.ts";
import { eventually } from "../support/within.ts";
import { shopWithOwner } from "./people.ts";
import { type PortalWorld, signIn, signOut } from "./portal-world.ts";

const DAY_MS = 86_400_000;

/** How long the logs are kept: by the portal, and by ClickHouse. */
export function logs(world: PortalWorld): void {
  test("acceptance 20: logs are there for 30 days and gone afterwards; a shorter time takes them out of ClickHouse at the next start", {
    timeout: 300_000,
  }, async (t) => {
    const directory = await mkdtemp(join(tmpdir(), "relay-logs-"));
    const environment: { [name: string]: string } = {
      RELAY_DATA_DIR: directory,
      RELAY_WITNESS_FILE: join(directory, "witness"),
      RELAY_TRUSTED_PROXIES: "127.0.0.0/8",
    };
    const relay = new Relay({ shards: 1, environment });
    // In this order: a node that runs writes into its folder while it is removed.
    t.after(async () => {
      await relay.stop();
      await rm(directory, { recursive: true, force: true });
    });
    // What happens now happened 31 days ago, for the portal and for ClickHouse, whose own clock nobody moves.
    relay.advance(-31 * DAY_MS);
    await relay.start();
    const { owner } = await shopWithOwner(relay, "Libreria Antica");
    const over = await newEndpoint(owner);
    relay.advance(2 * DAY_MS);
    const old = await newEndpoint(owner);
    // Beyond 30 days ClickHouse takes nothing in: what a node writes late is not there either.
    await eventually(async () => assert.deepEqual([await rowsOf(directory, over), await rowsOf(directory, old)], [0, 1]));
    relay.advance(28 * DAY_MS);
    const young = await newEndpoint(owner);
    await eventually(async () => assert.equal(await rowsOf(directory, young), 1));
    assert.deepEqual([await shownTo(world, relay, owner, old), await shownTo(world, relay, owner, over)], [1, 0]);
    relay.advance(3 * DAY_MS);
    assert.deepEqual([await shownTo(world, relay, owner, old), await shownTo(world, relay, owner, young)], [0, 1]);
    assert.equal(await rowsOf(directory, old), 1);

    await relay.stop();
    environment["RELAY_LOG_RETENTION_DAYS"] = "7";
    await relay.start();
    await relay.clickhouse();
    await eventually(async () => assert.deepEqual([await rowsOf(directory, old), await rowsOf(directory, young)], [0, 1]));
    assert.equal(await shownTo(world, relay, owner, young), 1);
  });
}

/** Signs in first: no session lasts for days. */
async function newEndpoint(owner: PortalPerson): Promise<string> {
  const signedIn = await owner.signIn();
  assert.equal(signedIn.status, 200, signedIn.text);
  const made = await owner.send("POST", "/webhooks", { url: "http://127.0.0.1:1/hooks", events: ["*"] });
  assert.equal(made.status, 201, made.text);
  return textMember(made.body, "data", "endpoint", "id");
}

/** What analysts see of it, whoever may see it in the portal. */
async function rowsOf(directory: string, objectId: string): Promise<number> {
  const { url, username, password } = (await readAnalystAccess(directory)) ?? assert.fail("the node says nowhere where its ClickHouse is");
  const response = await fetch(`${url}/?param_id=${objectId}`, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` },
    body: "SELECT count() FROM relay.workflow_log FINAL WHERE object_id = {id:String}",
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return Number(text);
}

/** Entries of the object on the page Logs. */
async function shownTo(world: PortalWorld, relay: Relay, owner: PortalPerson, objectId: string): Promise<number> {
  const { page, context } = await world.visitors.visit(relay.node.url);
  await signIn(page, owner, `/portal/logs?objectId=${objectId}`);
  await page
    .getByText(/^(1 entry|\d+ entries in total)$/)
    .or(page.getByText("No results for these filters"))
    .first()
    .waitFor();
  const count = await page.locator("main tbody tr").count();
  await signOut(page);
  await context.close();
  return count;
}
