import assert from "node:assert/strict";
import { test } from "node:test";
import { request } from "undici";
import { bind } from "../../../http/endpoint/endpoint.ts";
import { docsEndpoints, docsOperations } from "../../../http/web/docs-endpoints.ts";
import { envelope, startWorld } from "../server/world.ts";

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
