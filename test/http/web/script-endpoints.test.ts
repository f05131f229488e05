import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type TestContext, test } from "node:test";
import { request } from "undici";
import { bind } from "../../../http/endpoint/endpoint.ts";
import { scriptEndpoints } from "../../../http/web/script-endpoints.ts";
import { loadScripts } from "../../../http/web/script-files.ts";
import { NO_BROWSER, openPage } from "../../support/browser/browser.ts";
import { envelope, startWorld } from "../server/world.ts";

/** What a shop's buyers may be made to load, compressed (spec). */
const BYTES_MAX = 10_240;

const FILES = ["compat.js", "scan.js", "scan.mjs", "compat.d.ts", "scan.d.ts"] as const;
const SCRIPT = "text/javascript; charset=utf-8";

async function serve(t: TestContext) {
  const { url } = await startWorld(t, { endpoints: bind(scriptEndpoints(envelope), { scripts: await loadScripts() }) });
  const get = async (path: string, headers: { [name: string]: string } = {}) => {
    const answer = await request(url + path, { headers });
    return { status: answer.statusCode, headers: answer.headers, bytes: Buffer.from(await answer.body.arrayBuffer()) };
  };
  const listed = await get("/js/manifest.json");
  const manifest: { [file: string]: { path: string; integrity: string } } = JSON.parse(listed.bytes.toString());
  return { url, get, manifest };
}

test("the manifest names each file's unchanging path and its integrity, and the same bytes are at the plain name", async (t) => {
  const { get, manifest } = await serve(t);
  assert.deepEqual(Object.keys(manifest).toSorted(), FILES.toSorted());
  for (const file of FILES) {
    const listed = manifest[file];
    assert.ok(listed !== undefined);
    const [versioned, plain] = [await get(listed.path), await get(`/js/${file}`)];
    assert.equal(`sha384-${createHash("sha384").update(versioned.bytes).digest("base64")}`, listed.integrity);
    assert.deepEqual(plain.bytes, versioned.bytes);
    assert.equal(versioned.headers["cache-control"], "public, max-age=31536000, immutable");
    assert.equal(plain.headers["cache-control"], "public, max-age=300");
    for (const { headers } of [versioned, plain]) {
      assert.equal(headers["content-type"], file.endsWith(".d.ts") ? "text/plain; charset=utf-8" : SCRIPT);
      assert.equal(headers["access-control-allow-origin"], "*");
      assert.equal(headers["cross-origin-resource-policy"], "cross-origin");
      assert.equal(headers["vary"], "Accept-Encoding");
      assert.equal(headers["content-encoding"], undefined);
    }
  }
});

test("each script is small, and comes compressed to whoever takes it so", async (t) => {
  const { url, get } = await serve(t);
  for (const file of FILES) {
    const whole = await get(`/js/${file}`);
    for (const [accepted, encoding] of [
      ["gzip", "gzip"],
      ["gzip, deflate, br;q=0.9", "gzip"],
      ["gzip, deflate, br", "br"],
      ["br;q=0, GZIP", "gzip"],
    ] as const) {
      const packed = await get(`/js/${file}`, { "accept-encoding": accepted });
      assert.equal(packed.headers["content-encoding"], encoding);
      assert.equal(packed.headers["content-length"], String(packed.bytes.length));
      assert.ok(packed.bytes.length < BYTES_MAX, `${file} has ${packed.bytes.length} bytes`);
    }
    assert.equal((await get(`/js/${file}`, { "accept-encoding": "identity, gzip;q=0" })).headers["content-encoding"], undefined);
    assert.equal(await (await fetch(`${url}/js/${file}`)).text(), whole.bytes.toString(), "a client that unpacks it has the same");
  }
});

test("a client that has the file is told so", async (t) => {
  const { get } = await serve(t);
  const { headers } = await get("/js/scan.js");
  const etag = String(headers["etag"]);
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const again = await get("/js/scan.js", { "if-none-match": tag });
    assert.deepEqual([again.status, again.bytes.length, again.headers["etag"]], [304, 0, etag]);
  }
  assert.equal((await get("/js/scan.js", { "if-none-match": '"other"' })).status, 200);
});

test("there is nothing else, and no version but the present one", async (t) => {
  const { get, manifest } = await serve(t);
  const [compat, scan] = [manifest["compat.js"], manifest["scan.js"]];
  assert.ok(compat !== undefined && scan !== undefined);
  const paths = ["/js/other.js", "/js/0000000000000000/compat.js", scan.path.replace("scan.js", "compat.js"), "/js/compat.ts"];
  for (const path of paths) assert.equal((await get(path)).status, 404, path);
  for (const path of ["/js/..%2Fdocs.js", "/js/compat-script.ts"]) assert.equal((await get(path)).status, 400, path);
});

test("scripts reach nothing by themselves and say nothing of the sources", async (t) => {
  const { get } = await serve(t);
  for (const file of ["compat.js", "scan.js", "scan.mjs"]) {
    const text = (await get(`/js/${file}`)).bytes.toString();
    assert.doesNotMatch(text, /https?:\/\/[a-z]|sourceMappingURL|eval\(|new Function|innerHTML|document\.cookie|localStorage/i, file);
  }
});

test("a browser runs a script with its integrity, and no other bytes", { skip: NO_BROWSER }, async (t) => {
  const { url, manifest } = await serve(t);
  const page = await openPage(t);
  const listed = manifest["scan.js"];
  assert.ok(listed !== undefined);
  const load = async (integrity: string) => {
    await page.setContent(`<script src="${url}${listed.path}" integrity="${integrity}" crossorigin="anonymous"></script>`);
    return page.evaluate("typeof window.RelayScan");
  };
  assert.equal(await load(listed.integrity), "object");
  await page.goto("about:blank");
  assert.equal(await load(manifest["compat.js"]?.integrity ?? ""), "undefined");
});
