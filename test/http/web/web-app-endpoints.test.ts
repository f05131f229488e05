import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { request } from "undici";
import { bind } from "../../../http/endpoint/endpoint.ts";
import { operatorsEndpoints, portalEndpoints } from "../../../http/web/web-app-endpoints.ts";
import { loadWebApps } from "../../../http/web/web-app-files.ts";
import { envelope, startWorld } from "../server/world.ts";

/** Nothing but what the pages need. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const webApps = loadWebApps();

async function serve(t: TestContext) {
  const { url } = await startWorld(t, {
    endpoints: bind([...portalEndpoints(envelope), ...operatorsEndpoints(envelope)], { webApps: await webApps }),
  });
  return async (path: string, headers: { [name: string]: string } = {}) => {
    const answer = await request(url + path, { headers });
    return { status: answer.statusCode, headers: answer.headers, bytes: Buffer.from(await answer.body.arrayBuffer()) };
  };
}

/** The addresses of the files that a page names. */
function assetsOf(page: Buffer): string[] {
  return [...page.toString().matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = ""]) => address);
}

test("every address of the portal answers the same page, under the policy, which browsers ask for again each time", async (t) => {
  const get = await serve(t);
  const pages = await Promise.all(["/portal", "/portal/", "/portal/users", "/portal/reset/a-token"].map((path) => get(path)));
  for (const { status, headers, bytes } of pages) {
    assert.equal(status, 200);
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
    assert.equal(headers["content-security-policy"], POLICY);
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["cache-control"], "no-cache");
    assert.deepEqual(bytes, pages[0]?.bytes);
  }
  const { etag } = pages[0]?.headers ?? {};
  assert.ok(typeof etag === "string");
  const again = await get("/portal/users", { "if-none-match": `W/${etag}` });
  assert.deepEqual([again.status, again.bytes.length], [304, 0]);
  assert.equal(again.headers["content-security-policy"], POLICY);
  for (const path of ["/portal/a/b/c", "/portal//", "/portal/users/", "/portal/assets/"]) assert.equal((await get(path)).status, 404, path);
});

test("the page holds no script and no style of its own, and names no other host", async (t) => {
  const get = await serve(t);
  const page = (await get("/portal")).bytes.toString();
  assert.doesNotMatch(page, /<style|style=|\son[a-z]+=|javascript:/i);
  for (const [, attributes = "", inside = ""] of page.matchAll(/<script([^>]*)>([^<]*)<\/script>/g)) {
    assert.match(attributes, /src="\/portal\/assets\//);
    assert.equal(inside, "");
  }
  for (const address of assetsOf(Buffer.from(page))) assert.match(address, /^\/portal\/assets\/[A-Za-z-]+-[A-Z0-9]{8}\.(?:js|css|svg)$/);
});

test("every file of the bundle is served under its name, also a page's texts", async (t) => {
  const get = await serve(t);
  const names = [...(await webApps).portal.assets.keys()];
  assert.ok(names.some((name) => name.startsWith("analytics.it-")));
  for (const name of names) assert.equal((await get(`/portal/assets/${name}`)).status, 200, name);
});

test("files never change under their name, and come as small as the browser takes them", async (t) => {
  const get = await serve(t);
  const { bytes: page } = await get("/portal");
  for (const path of assetsOf(page)) {
    const [plain, gzip, br] = [
      await get(path),
      await get(path, { "accept-encoding": "gzip" }),
      await get(path, { "accept-encoding": "gzip, br" }),
    ];
    assert.equal(plain.status, 200, path);
    assert.equal(plain.headers["cache-control"], "public, max-age=31536000, immutable");
    assert.equal(plain.headers["vary"], "Accept-Encoding");
    assert.deepEqual(
      [plain, gzip, br].map(({ headers }) => headers["content-encoding"]),
      [undefined, "gzip", "br"],
    );
    assert.deepEqual(gunzipSync(gzip.bytes), plain.bytes);
    assert.deepEqual(brotliDecompressSync(br.bytes), plain.bytes);
    const refused = await get(path, { "accept-encoding": "br;q=0, gzip;q=0.0" });
    assert.equal(refused.headers["content-encoding"], undefined);
    const { etag } = plain.headers;
    assert.ok(typeof etag === "string");
    assert.equal((await get(path, { "if-none-match": etag })).status, 304);
  }
  assert.equal((await get("/portal/assets/portal-AAAAAAAA.js")).status, 404);
  assert.equal((await get("/portal/assets/..%2Findex.html")).status, 400);
});

test("the operators' pages have addresses of their own, and files that only they name", async (t) => {
  const get = await serve(t);
  const pages = await Promise.all(["/admin", "/admin/", "/admin/ui/terminals", "/admin/ui/terminals/SIM00001"].map((path) => get(path)));
  for (const { status, headers, bytes } of pages) {
    assert.deepEqual([status, headers["content-security-policy"]], [200, POLICY]);
    assert.deepEqual(bytes, pages[0]?.bytes);
  }
  const page = pages[0]?.bytes ?? Buffer.alloc(0);
  const addresses = assetsOf(page);
  assert.ok(addresses.length > 4);
  for (const address of addresses) {
    assert.match(address, /^\/admin\/ui\/assets\/[A-Za-z-]+-[A-Z0-9]{8}\.(?:js|css|svg)$/);
    assert.equal((await get(address)).status, 200, address);
  }
  // What is beside them is for programs.
  assert.equal((await get("/admin/terminals")).status, 404);
  assert.equal((await get("/admin/ui/a/b/c")).status, 404);
});

test("merchants load nothing of the operators' pages", async () => {
  const { portal } = await webApps;
  const ofOperators = /Withdraw the login|\/admin\/ui|app-deployments/;
  for (const [name, { bytes }] of portal.assets) assert.doesNotMatch(Buffer.from(bytes.identity).toString("utf8"), ofOperators, name);
});
