import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { Locator, Page } from "playwright-core";
import { request } from "undici";
import { bind } from "../../../http/endpoint/endpoint.ts";
import { docsEndpoints, docsOperations } from "../../../http/web/docs-endpoints.ts";
import { AUDIENCES, DOCUMENTS, type DocumentName, loadDocs } from "../../../http/web/docs-files.ts";
import { type KnownKeys, TASKS } from "../../../http/web/docs-page.ts";
import { VERSION } from "../../../infra/node/boot/version.ts";
import { openApiText, surfacesOf } from "../../../infra/node/wiring/shared/endpoints.ts";
import { startSimulatedTerminal } from "../../../infra/sandbox/terminal/terminal.ts";
import { NO_BROWSER, openPage } from "../../support/browser/browser.ts";
import { startTestNode } from "../../support/node/node.ts";
import { axeViolations, watchFaults } from "../../support/node/portal-faults.ts";
import { eventually } from "../../support/within.ts";
import { envelope, startWorld } from "../server/world.ts";

const DOCUMENT = '{"openapi":"3.1.0"}';
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

async function serve(t: TestContext, keys: KnownKeys | null = null) {
  const made: string[] = [];
  const text = (name: DocumentName) => {
    made.push(name);
    return DOCUMENT;
  };
  const operations = docsOperations(() => loadDocs({ variant: "of a test", text }), keys);
  const { url } = await startWorld(t, { endpoints: bind(docsEndpoints(envelope), operations) });
  const get = async (path: string, headers: { [name: string]: string } = {}, method: "GET" | "HEAD" = "GET") => {
    const answer = await request(url + path, { method, headers });
    return { status: answer.statusCode, headers: answer.headers, bytes: Buffer.from(await answer.body.arrayBuffer()) };
  };
  return { get, made };
}

const assetsOf = (page: Buffer) => [...page.toString().matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, address = ""]) => address);

test("each document is made once, and comes as small as the client takes it", async (t) => {
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
  for (const path of ["/asyncapi.json", ...AUDIENCES.map((audience) => `/openapi/${audience}.json`)]) {
    const other = await get(path, { "accept-encoding": "br" });
    assert.deepEqual([other.headers["etag"], brotliDecompressSync(other.bytes).toString()], [`W/${etag}`, DOCUMENT], path);
  }
  assert.equal((await get("/openapi/nobody.json")).status, 404);
  assert.deepEqual(made.toSorted(), [...DOCUMENTS].sort());
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
  assert.match(page.bytes.toString(), /Enter your key/);
  assert.doesNotMatch(page.bytes.toString(), /data-keys/);
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

/** A sandbox with its simulated terminal, and its page. */
async function openDocs(t: TestContext) {
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
  const open = async (address: string) => {
    await page.goto(`${node.url}${address}`);
    await page.locator(".opblock-tag").first().waitFor({ timeout: 60_000 });
  };
  return { node, page, faults, open };
}

async function executed(operation: Locator): Promise<{ status: string; text: string }> {
  await operation.getByRole("button", { name: "Execute" }).click();
  const answer = operation.locator(".live-responses-table .response").first();
  await answer.waitFor();
  const text = (await answer.textContent()) ?? "";
  return { status: text.slice(0, 3), text };
}

test("on the page a developer finds an operation by its words, and nothing is wider than a phone", { skip: NO_BROWSER }, async (t) => {
  const { node, page, faults, open } = await openDocs(t);
  await open("/docs");
  assert.equal((await page.locator(".version").first().textContent())?.trim(), VERSION);
  // Tags are folded, until something is searched for: by words of the method, the path, the summary and the tag, in any order.
  assert.equal(await page.locator(".opblock").count(), 0);
  await find(page, "zvt config", (paths) => assert.ok(paths.includes("/admin/zvt/config"), String(paths)));
  await find(page, "REPORT zvt", (paths) => assert.deepEqual(paths, []));
  await find(page, "send a payment {terminalId}", (paths) => {
    assert.ok(paths.includes("/api/v1/{terminalId}/pay") && paths.length < 5, String(paths));
  });
  const operation = page.locator(".opblock", { has: page.locator('[data-path="/api/v1/{terminalId}/pay"]') });
  await operation.locator(".opblock-summary-control").click();
  await operation.getByRole("button", { name: "Try it out" }).click();
  assert.equal((await executed(operation)).status, "200");
  assert.equal(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0);

  // A link to an operation opens it.
  await page.goto(`${node.url}/docs?again${new URL(page.url()).hash}`);
  await page.locator(".opblock.is-open .try-out__btn").waitFor({ timeout: 60_000 });
  assert.deepEqual(faults, []);
  t.diagnostic(`the viewer's own faults of accessibility: ${[...new Set((await axeViolations(page)).map((line) => line.split(" ")[0]))]}`);
});

test("the first task takes two payments and reads a result without anything being typed", { skip: NO_BROWSER }, async (t) => {
  const { page, faults, open } = await openDocs(t);
  await open("/docs");
  await page.getByRole("link", { name: "send a payment" }).click();
  const pay = page.locator(".opblock.is-open", { has: page.locator('[data-path="/api/v1/{terminalId}/pay"]') });
  await pay.waitFor({ timeout: 60_000 });
  assert.equal(await page.locator("[aria-current=page]").textContent(), "Partners");
  await pay.getByRole("button", { name: "Try it out" }).click();
  const uuidOfBody = async () => /"uuid": "([^"]+)"/.exec(await pay.locator("textarea").inputValue())?.[1] ?? "";
  const first = await uuidOfBody();
  assert.match(first, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const paid = await executed(pay);
  assert.equal(paid.status, "200", paid.text);
  assert.ok(paid.text.includes(first), paid.text);
  let second = first;
  await eventually(async () => {
    second = await uuidOfBody();
    assert.notEqual(second, first);
  });
  await pay.getByRole("button", { name: "Execute" }).click();
  const answer = pay.locator(".live-responses-table .response").first();
  await eventually(async () => assert.ok((await answer.textContent())?.includes(second), "the second payment is answered"));
  assert.match((await answer.textContent()) ?? "", /^200/);

  // "Reset" brings the example back, which has a uuid that was not sent either.
  await pay.locator("textarea").fill(JSON.stringify({ uuid: first, amount: 1 }));
  await pay.getByRole("button", { name: "Reset" }).click();
  await eventually(async () => assert.match(await uuidOfBody(), /^[0-9a-f-]{36}$/));
  assert.ok(![first, second].includes(await uuidOfBody()));

  await page.getByRole("link", { name: "get its result" }).click();
  const result = page.locator(".opblock.is-open", { has: page.locator('[data-path="/api/v1/{uuid}/uuid"]') });
  await result.waitFor();
  await result.getByRole("button", { name: "Try it out" }).click();
  const read = await executed(result);
  assert.equal(read.status, "200", read.text);
  assert.ok(read.text.includes(first) && read.text.includes('"status": "OK"'), read.text);
  assert.deepEqual(faults, []);
});

test("every audience has a document of its own, in which the tasks find their operations", { skip: NO_BROWSER }, async (t) => {
  const { page, faults, open } = await openDocs(t);
  for (const audience of AUDIENCES) {
    await open(`/docs?for=${audience}`);
    assert.equal(await page.locator("[aria-current=page]").getAttribute("data-document"), audience);
    assert.match((await page.locator(".info .title").textContent()) ?? "", new RegExp(`^Terminal Relay: ${audience}`));
  }
  // Whatever else is asked for is the whole one.
  await open("/docs?for=nobody");
  assert.equal(await page.locator("[aria-current=page]").getAttribute("data-document"), "");
  assert.deepEqual(faults, []);
});

test("the page's own part has no fault of accessibility in either theme", { skip: NO_BROWSER }, async (t) => {
  const { page, open } = await openDocs(t);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await open("/docs");
    await page.evaluate(`document.getElementById("docs").remove()`);
    assert.deepEqual(await axeViolations(page), [], colorScheme);
  }
});

const surfaces = surfacesOf({ openTerminalLogs: true, packageBytesMax: 1 });

test("a task's operations are in its audience's document, under the tag that its links name", () => {
  for (const { audience, steps } of TASKS) {
    const { paths } = JSON.parse(openApiText(surfaces, audience));
    const operations: { operationId: string; tags: string[] }[] = Object.values(paths).flatMap((one) => Object.values(Object(one)));
    for (const { tag, operation } of steps) {
      assert.ok(
        operations.some(({ operationId, tags }) => operationId === operation && tags.includes(tag)),
        `${audience} ${operation}`,
      );
    }
  }
});

test("the audiences' documents have every operation between them, and each refers only to what it has", () => {
  const operationsOf = (text: string) => Object.values(JSON.parse(text).paths).flatMap((one) => Object.values(Object(one)));
  const names = (text: string) => operationsOf(text).map((operation) => String(Object(operation).operationId));
  const texts = AUDIENCES.map((audience) => openApiText(surfaces, audience));
  assert.deepEqual([...new Set(texts.flatMap(names))].sort(), names(openApiText(surfaces)).sort());
  for (const text of texts) {
    const document = JSON.parse(text);
    for (const [, pointer = ""] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = pointer.split("/").reduce((at: unknown, step) => Object(at)[step], document);
      assert.notEqual(found, undefined, `${document.info.title}: ${pointer}`);
    }
    const schemes = operationsOf(text).flatMap((operation) => Object(operation).security.flatMap((one: object) => Object.keys(one)));
    assert.deepEqual(Object.keys(document.components.securitySchemes).sort(), [...new Set(schemes)].sort(), document.info.title);
  }
});
