import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { request } from "undici";
import { bind } from "../../../http/endpoint/endpoint.ts";
import { docsEndpoints, docsOperations } from "../../../http/web/docs-endpoints.ts";
import { startSimulatedTerminal } from "../../../infra/sandbox/terminal/terminal.ts";
import { NO_BROWSER, openPage } from "../../support/browser.ts";
import { API_KEY, startTestNode } from "../../support/node.ts";
import { axeViolations, watchFaults } from "../../support/portal-faults.ts";
import { eventually } from "../../support/within.ts";
import { envelope, startWorld } from "../server/world.ts";

const DOCUMENT = '{"openapi":"3.1.0"}';
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

async function serve(t: TestContext) {
  const made: string[] = [];
  const operations = docsOperations({
    openApi: () => {
      made.push("document");
      return DOCUMENT;
    },
    asyncApi: () => DOCUMENT,
  });
  const { url } = await startWorld(t, { endpoints: bind(docsEndpoints(envelope), operations) });
  const get = async (path: string, headers: { [name: string]: string } = {}, method: "GET" | "HEAD" = "GET") => {
    const answer = await request(url + path, { method, headers });
    return { status: answer.statusCode, headers: answer.headers, bytes: Buffer.from(await answer.body.arrayBuffer()) };
  };
  return { get, made };
}

const assetsOf = (page: Buffer) => [...page.toString().matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, address = ""]) => address);

test("the document is made when it is first asked for, once, and comes as small as the client takes it", async (t) => {
  const { get, made } = await serve(t);
  assert.deepEqual(made, []);
  const plain = await get("/openapi.json");
  assert.deepEqual([plain.status, plain.headers["content-type"], plain.bytes.toString()], [200, "application/json", DOCUMENT]);
  assert.deepEqual([plain.headers["cache-control"], plain.headers["vary"]], ["no-cache", "Accept-Encoding"]);
  const [gzip, br] = [
    await get("/openapi.json", { "accept-encoding": "gzip" }),
    await get("/openapi.json", { "accept-encoding": "gzip, br" }),
  ];
  assert.deepEqual([gzip.headers["content-encoding"], gunzipSync(gzip.bytes).toString()], ["gzip", DOCUMENT]);
  assert.deepEqual([br.headers["content-encoding"], brotliDecompressSync(br.bytes).toString()], ["br", DOCUMENT]);
  // The same bytes have one tag; compressed ones have a weak one.
  const etag = String(plain.headers["etag"]);
  assert.match(etag, /^"[0-9a-f]{16}"$/);
  assert.deepEqual([gzip.headers["etag"], br.headers["etag"]], [`W/${etag}`, `W/${etag}`]);
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    const again = await get("/openapi.json", { "if-none-match": tag });
    assert.deepEqual([again.status, again.bytes.length, again.headers["etag"], again.headers["vary"]], [304, 0, etag, "Accept-Encoding"]);
  }
  assert.equal((await get("/openapi.json", { "if-none-match": '"other"' })).status, 200);
  const head = await get("/openapi.json", {}, "HEAD");
  assert.deepEqual([head.status, head.bytes.length, head.headers["content-length"]], [200, 0, String(DOCUMENT.length)]);
  assert.deepEqual([head.headers["etag"], head.headers["content-type"]], [etag, "application/json"]);
  assert.deepEqual(made, ["document"]);
  const other = await get("/asyncapi.json", { "accept-encoding": "br" });
  assert.deepEqual([other.headers["etag"], brotliDecompressSync(other.bytes).toString()], [`W/${etag}`, DOCUMENT]);
});

test("the page runs only scripts of its own origin, names no other host, and its files never change under their name", async (t) => {
  const { get } = await serve(t);
  const page = await get("/docs");
  assert.deepEqual([page.status, page.headers["content-type"]], [200, "text/html; charset=utf-8"]);
  assert.deepEqual([page.headers["content-security-policy"], page.headers["cache-control"]], [POLICY, "no-cache"]);
  assert.doesNotMatch(page.bytes.toString(), /https?:\/\/|<script>|<style|\sstyle=|\son[a-z]+=/);
  assert.deepEqual((await get("/docs/")).bytes, page.bytes);
  const again = await get("/docs", { "if-none-match": String(page.headers["etag"]) });
  assert.deepEqual([again.status, again.headers["content-security-policy"]], [304, POLICY]);
  const addresses = assetsOf(page.bytes);
  assert.equal(addresses.length, 4);
  for (const address of addresses) {
    assert.match(address, /^\/docs\/assets\/[a-z-]+-[0-9a-f]{8}\.(?:js|css)$/);
    const plain = await get(address);
    assert.deepEqual([plain.status, plain.headers["cache-control"]], [200, "public, max-age=31536000, immutable"]);
    assert.equal(plain.headers["content-type"], address.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8");
    assert.deepEqual(gunzipSync((await get(address, { "accept-encoding": "gzip" })).bytes), plain.bytes);
    assert.deepEqual(brotliDecompressSync((await get(address, { "accept-encoding": "br" })).bytes), plain.bytes);
    assert.equal((await get(address, { "if-none-match": String(plain.headers["etag"]) })).status, 304);
  }
  assert.equal((await get("/docs/assets/swagger-ui-00000000.css")).status, 404);
  assert.equal((await get("/docs/assets/..%2Finitializer.js")).status, 400);
});

const FILTER = ".operation-filter-input";

/** Types these words; the viewer waits until nothing more is typed, and then shows other paths. */
async function find(page: Page, words: string, isRight: (paths: string[]) => void): Promise<void> {
  await page.locator(FILTER).fill(words);
  const paths = page.locator(".opblock-summary-path");
  await eventually(async () => isRight(await paths.evaluateAll((all) => all.map((one) => String(one.getAttribute("data-path"))))));
}

test("on the page a developer finds the payment, sends it to the sandbox's terminal and reads the answer", {
  skip: NO_BROWSER,
}, async (t) => {
  const node = await startTestNode();
  t.after(() => node.stop());
  const terminal = await startSimulatedTerminal({
    ...{ terminalId: "SIM00001", link: "websocket", url: node.url, onEvent: () => {}, username: "terminal", password: "terminal" },
  });
  t.after(() => terminal.stop());
  await terminal.online;
  const page = await openPage(t);
  const faults: string[] = [];
  await watchFaults(page, node.url, faults);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(`${node.url}/docs`);
  await page.locator(".opblock-tag").first().waitFor({ timeout: 60_000 });
  // Tags are folded, until something is searched for: by words of the method, the path, the summary and the tag, in any order.
  assert.equal(await page.locator(".opblock").count(), 0);
  await find(page, "zvt config", (paths) => assert.ok(paths.includes("/admin/zvt/config"), String(paths)));
  await find(page, "REPORT zvt", (paths) => assert.deepEqual(paths, []));
  await find(page, "send a payment {terminalId}", (paths) => {
    assert.ok(paths.includes("/api/v1/{terminalId}/pay") && paths.length < 5, String(paths));
  });

  await page.getByRole("button", { name: "Authorize" }).first().click();
  const keyForm = page.locator(".auth-container", { hasText: "API-Key" }).first();
  await keyForm.locator("input").fill(API_KEY);
  await keyForm.getByRole("button", { name: "Apply credentials" }).click();
  await page.locator(".close-modal").click();

  const operation = page.locator(".opblock", { has: page.locator('[data-path="/api/v1/{terminalId}/pay"]') });
  await operation.locator(".opblock-summary-control").click();
  await operation.getByRole("button", { name: "Try it out" }).click();
  await operation.locator("tr[data-param-name=terminalId] input").fill("SIM00001");
  const uuid = "7d8f1f0e-5a4b-4c8e-9c1d-2b3a4c5d6e7f";
  await operation.locator("textarea").fill(JSON.stringify({ uuid, amount: 1050, service: "PAYCC" }));
  await operation.getByRole("button", { name: "Execute" }).click();
  const answer = operation.locator(".live-responses-table .response").first();
  await answer.waitFor();
  assert.match((await answer.textContent()) ?? "", /^200/);
  assert.ok((await answer.textContent())?.includes(uuid), (await answer.textContent()) ?? "");
  const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  assert.equal(overflow, 0, "nothing is wider than a phone");

  // A link to an operation opens it.
  await page.goto(`${node.url}/docs?again${new URL(page.url()).hash}`);
  await page.locator(".opblock.is-open .try-out__btn").waitFor({ timeout: 60_000 });
  assert.deepEqual(faults, []);
  t.diagnostic(`the viewer's own faults of accessibility: ${[...new Set((await axeViolations(page)).map((line) => line.split(" ")[0]))]}`);
});
