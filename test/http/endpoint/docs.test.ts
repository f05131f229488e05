import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { request } from "undici";
import { bind } from "../../../http/endpoint/endpoint.ts";
import { docsEndpoints, docsOperations } from "../../../http/web/docs-endpoints.ts";
import { NO_BROWSER, openPage } from "../../support/browser.ts";
import { envelope, startWorld } from "../server/world.ts";

const RELAY_DOCUMENT = readFileSync(new URL("../../golden/openapi.json", import.meta.url), "utf8");

test("the document and the page come with their types, the page with a strict policy and nothing from elsewhere", async (t) => {
  const document = '{"openapi":"3.1.0"}';
  const { url } = await startWorld(t, {
    endpoints: bind(
      docsEndpoints(envelope),
      docsOperations(() => document),
    ),
  });
  const openApi = await request(`${url}/openapi.json`);
  assert.deepEqual([openApi.headers["content-type"], await openApi.body.text()], ["application/json", document]);
  for (const [path, contentType] of [
    ["/docs", "text/html; charset=utf-8"],
    ["/docs/docs.js", "text/javascript; charset=utf-8"],
    ["/docs/docs.css", "text/css; charset=utf-8"],
  ] as const) {
    const response = await request(`${url}${path}`);
    assert.deepEqual([response.statusCode, response.headers["content-type"]], [200, contentType]);
    assert.match(String(response.headers["content-security-policy"]), /^default-src 'none'; script-src 'self';/);
    const text = await response.body.text();
    assert.doesNotMatch(text, /https?:\/\//, path);
    assert.doesNotMatch(text, /innerHTML|<script>|<style>| style=| on[a-z]+="/, path);
  }
});

test("a developer finds every operation of the relay on the page, also on a phone", { skip: NO_BROWSER }, async (t) => {
  const endpoints = bind(
    docsEndpoints(envelope),
    docsOperations(() => RELAY_DOCUMENT),
  );
  const { url } = await startWorld(t, { endpoints });
  const document: { paths: { [path: string]: { [method: string]: { operationId: string } } } } = JSON.parse(RELAY_DOCUMENT);
  const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  const page = await openPage(t);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(`${url}/docs#showZvtConfig`);
  await page.locator("#contents a").first().waitFor();
  const sections = await page.locator("main section").evaluateAll((all) => all.map(({ id }) => id));
  assert.deepEqual(sections.toSorted(), ids.toSorted());
  const links = await page.locator("#contents a").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  assert.deepEqual(
    links,
    sections.map((id) => `#${id}`),
  );
  assert.doesNotMatch((await page.locator("body").textContent()) ?? "", /undefined|\[object |NaN/);
  assert.deepEqual(
    await page.locator("main").evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
    0,
    "wider than a phone",
  );
  assert.equal(await page.locator("#contents h2").first().textContent(), "Terminals and partners");
  const section = (id: string) => page.locator(`#${id}`);
  assert.match((await section("adapterInit").textContent()) ?? "", /Signature/);
  assert.match((await section("downloadAppPackage").textContent()) ?? "", /application\/vnd\.android\.package-archive/);
  await page.getByLabel("Filter endpoints").fill("zvt");
  assert.equal(await page.locator("#contents a:visible").count(), 4);
});
