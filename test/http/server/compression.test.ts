import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Type } from "@sinclair/typebox";
import { request } from "undici";
import { type BoundEndpoint, bind } from "../../../http/endpoint/endpoint.ts";
import { isNamedIn } from "../../../http/endpoint/entity-tag.ts";
import { surface } from "../../../http/endpoint/surface.ts";
import { COMPRESSED_FROM_BYTES, Compression } from "../../../http/server/compression.ts";
import { ADMIN, envelope, startWorld } from "./world.ts";

const texts = surface<object>()({ name: "texts", tags: ["Texts"], envelope });

const HEADERS = {
  ETag: { description: "Its." },
  Vary: { description: "What it depends on." },
  "Cache-Control": { description: "How long." },
  "Content-Encoding": { description: "Its own." },
};
const Query = Type.Object({
  chars: Type.Integer({ default: COMPRESSED_FROM_BYTES }),
  etag: Type.Optional(Type.String()),
  vary: Type.Optional(Type.String()),
  caching: Type.Optional(Type.String()),
  encoding: Type.Optional(Type.String()),
});

/** As compressible as a list of transactions is. */
function textOf(chars: number): string {
  const rows: string[] = [];
  for (let length = 0; length < chars; length += rows.at(-1)?.length ?? 0) rows.push(`{"n":${rows.length * 7919},"é":"APPROVED"}\n`);
  return rows.join("").slice(0, chars);
}

function textEndpoint(name: string, contentType: string, more: Partial<Pick<BoundEndpoint, "idempotency">> = {}) {
  return texts.endpoint({
    name,
    method: "GET",
    path: `/${name}`,
    summary: "Gets a text",
    auth: "none",
    ...more,
    query: Query,
    headers: Type.Object({ "if-none-match": Type.Optional(Type.String()) }),
    responses: {
      200: { description: "The text.", body: Type.String(), contentType, headers: HEADERS },
      304: { description: "As it was.", headers: HEADERS },
    },
    handle: async (_operations, { query, headers }) => {
      const answered = {
        ...(query.etag === undefined ? {} : { ETag: query.etag }),
        ...(query.vary === undefined ? {} : { Vary: query.vary }),
        ...(query.caching === undefined ? {} : { "Cache-Control": query.caching }),
        ...(query.encoding === undefined ? {} : { "Content-Encoding": query.encoding }),
      };
      if (isNamedIn(headers["if-none-match"], query.etag ?? "")) return { status: 304, headers: answered };
      return { status: 200, text: textOf(query.chars), headers: answered };
    },
  });
}

const KINDS = {
  json: "application/json",
  problem: "application/problem+json; charset=utf-8",
  html: "text/html; charset=utf-8",
  css: "text/css",
  script: "text/javascript",
  svg: "image/svg+xml",
  csv: "text/csv; charset=utf-8",
  plain: "text/plain",
  yaml: "application/yaml",
};

const endpoints = [
  ...Object.entries(KINDS).map(([name, contentType]) => textEndpoint(name, contentType)),
  textEndpoint("png", "image/png"),
  textEndpoint("zip", "application/zip"),
  textEndpoint("sealed", "text/plain", { idempotency: "sealed" }),
  texts.endpoint({
    name: "picture",
    method: "GET",
    path: "/picture",
    summary: "Gets a file in memory",
    auth: "none",
    query: Type.Object({ chars: Type.Integer() }),
    responses: {
      200: { description: "The picture.", file: true, contentType: "image/svg+xml", headers: { Vary: { description: "Accept-Encoding" } } },
    },
    handle: (_operations, { query }) => {
      const bytes = Buffer.from(textOf(query.chars));
      return {
        status: 200,
        file: {
          offset: 0,
          length: bytes.byteLength,
          // In several reads, as a disk may.
          read: async (into, position) => bytes.copy(into, 0, position, position + Math.min(into.byteLength, 1_000)),
          close: () => {},
        },
      };
    },
  }),
  texts.endpoint({
    name: "ofAdministrators",
    method: "GET",
    path: "/of-administrators",
    summary: "Gets a text with a login",
    auth: "admin",
    role: "read-only",
    responses: { 200: { description: "The text.", body: Type.Object({ text: Type.String() }) } },
    handle: () => ({ status: 200, body: { text: textOf(5_000) } }),
  }),
];

async function startTexts(t: { after(close: () => void): void }) {
  const world = await startWorld(t, { endpoints: bind(endpoints, {}) });
  async function get(
    path: string,
    accept: string | null = "gzip, br",
    more: { [name: string]: string } = {},
    method: "GET" | "HEAD" = "GET",
  ) {
    const headers = { ...(accept === null ? {} : { "accept-encoding": accept }), ...more };
    const response = await request(world.url + path, { method, headers });
    const bytes = Buffer.from(await response.body.arrayBuffer());
    const { "content-encoding": encoding, "content-length": length, vary, etag } = response.headers;
    return { status: response.statusCode, bytes, encoding, length: Number(length), vary, etag };
  }
  return { ...world, get };
}

for (const [name, contentType] of Object.entries(KINDS)) {
  test(`text of the kind ${contentType} is compressed as the client takes it`, async (t) => {
    const { get } = await startTexts(t);
    const br = await get(`/${name}?chars=9000`);
    assert.deepEqual([br.encoding, br.vary], ["br", "Accept-Encoding"]);
    assert.equal(brotliDecompressSync(br.bytes).toString("utf8"), textOf(9_000));
    const gzip = await get(`/${name}?chars=9000`, "gzip;q=1, br;q=0");
    assert.deepEqual([gzip.encoding, gzip.vary], ["gzip", "Accept-Encoding"]);
    assert.equal(gunzipSync(gzip.bytes).toString("utf8"), textOf(9_000));
    for (const compressed of [br, gzip]) assert.ok(compressed.length < 3_000, `${compressed.length} bytes`);
  });
}

test("a short answer is sent as it is and says nothing of encodings; one character more is compressed", async (t) => {
  const { get } = await startTexts(t);
  const short = await get(`/json?chars=${COMPRESSED_FROM_BYTES - 1}`);
  assert.deepEqual([short.encoding, short.vary, short.bytes.toString("utf8")], [undefined, undefined, textOf(COMPRESSED_FROM_BYTES - 1)]);
  assert.equal((await get(`/json?chars=${COMPRESSED_FROM_BYTES}`)).encoding, "br");
});

test("a client that takes no encoding gets the text as it is, and caches are told what it depends on", async (t) => {
  const { get } = await startTexts(t);
  for (const accept of [null, "", "identity", "gzip;q=0, br;q=0", "deflate"]) {
    const { encoding, vary, bytes } = await get("/json?chars=9000", accept);
    assert.deepEqual([encoding, vary, bytes.toString("utf8")], [undefined, "Accept-Encoding", textOf(9_000)], String(accept));
  }
});

test("several lines of Accept-Encoding are one list", async (t) => {
  const { url } = await startTexts(t);
  const response = await request(`${url}/json?chars=9000`, { headers: { "accept-encoding": ["deflate", "gzip"] } });
  assert.equal(response.headers["content-encoding"], "gzip");
  await response.body.dump();
});

test("a file that is a short text is compressed, and a long one is sent as it is read", async (t) => {
  const { get } = await startTexts(t);
  const short = await get("/picture?chars=9000");
  assert.deepEqual([short.encoding, short.vary], ["br", "Accept-Encoding"]);
  assert.equal(brotliDecompressSync(short.bytes).toString("utf8"), textOf(9_000));
  const plain = await get("/picture?chars=9000", null);
  assert.deepEqual([plain.encoding, plain.vary, plain.bytes.toString("utf8")], [undefined, "Accept-Encoding", textOf(9_000)]);
  for (const chars of [100, 90_000]) {
    const { encoding, vary, bytes } = await get(`/picture?chars=${chars}`);
    assert.deepEqual([encoding, vary, bytes.toString("utf8")], [undefined, undefined, textOf(chars)]);
  }
  const head = await get("/picture?chars=9000", "br", {}, "HEAD");
  assert.deepEqual([head.length, head.encoding, head.bytes.length], [short.length, "br", 0]);
});

test("images and archives are not compressed", async (t) => {
  const { get } = await startTexts(t);
  for (const name of ["png", "zip"]) {
    const { encoding, vary } = await get(`/${name}?chars=9000`);
    assert.deepEqual([encoding, vary], [undefined, undefined], name);
  }
});

test("what hands out a secret once is not compressed, whoever asks", async (t) => {
  const { get } = await startTexts(t);
  for (const path of ["/json?chars=9000&caching=no-store", "/json?chars=9000&caching=no-transform", "/sealed?chars=9000"]) {
    const { encoding, vary } = await get(path);
    assert.deepEqual([encoding, vary], [undefined, undefined], path);
  }
  assert.equal((await get("/json?chars=9000&caching=no-cache")).encoding, "br");
});

test("an answer to a login is not compressed for a page of another site, which could have a browser ask again and again", async (t) => {
  const { get } = await startTexts(t);
  for (const [site, encoding] of [
    ["cross-site", undefined],
    ["same-site", undefined],
    ["same-origin", "br"],
    ["none", "br"],
  ] as const) {
    const headers = { authorization: ADMIN, "sec-fetch-site": site };
    assert.equal((await get("/of-administrators", "gzip, br", headers)).encoding, encoding, site);
    assert.equal((await get("/json?chars=9000", "gzip, br", { "sec-fetch-site": site })).encoding, "br", site);
  }
  assert.equal((await get("/of-administrators", "gzip, br", { authorization: ADMIN })).encoding, "br");
});

test("an answer that has an encoding of its own keeps it", async (t) => {
  const { get } = await startTexts(t);
  const { encoding, vary, bytes } = await get("/json?chars=9000&encoding=x-own");
  assert.deepEqual([encoding, vary, bytes.toString("utf8")], ["x-own", undefined, textOf(9_000)]);
});

test("an ETag that promised the bytes promises the meaning of a compressed answer, and Vary keeps what it had", async (t) => {
  const { get } = await startTexts(t);
  const path = `/json?chars=9000&etag=${encodeURIComponent('"a"')}&vary=Origin`;
  const compressed = await get(path);
  assert.deepEqual([compressed.etag, compressed.vary], ['W/"a"', "Origin, Accept-Encoding"]);
  const plain = await get(path, null);
  assert.deepEqual([plain.etag, plain.vary], ['"a"', "Origin, Accept-Encoding"]);
  const weak = await get(`/json?chars=9000&etag=${encodeURIComponent('W/"a"')}&vary=Accept-Encoding`);
  assert.deepEqual([weak.etag, weak.vary], ['W/"a"', "Accept-Encoding"]);
});

test("a client that has the compressed answer is told so, by the tag under which it got it", async (t) => {
  const { get } = await startTexts(t);
  const path = `/json?chars=9000&etag=${encodeURIComponent('"a"')}`;
  const { etag } = await get(path);
  assert.equal(typeof etag, "string");
  const known = await get(path, "gzip, br", { "if-none-match": String(etag) });
  assert.deepEqual(
    [known.status, known.etag, known.vary, known.encoding, known.bytes.length],
    [304, 'W/"a"', "Accept-Encoding", undefined, 0],
  );
  const plain = await get(path, null, { "if-none-match": '"a"' });
  assert.deepEqual([plain.status, plain.etag, plain.vary], [304, '"a"', "Accept-Encoding"]);
});

test("HEAD says what GET would", async (t) => {
  const { get } = await startTexts(t);
  for (const accept of ["br", "gzip", "identity"]) {
    for (const path of ["/json?chars=9000", "/json?chars=100", "/json?chars=200000"]) {
      const { bytes: _body, ...told } = await get(path, accept);
      const { bytes, ...head } = await get(path, accept, {}, "HEAD");
      assert.deepEqual([head, bytes.length], [told, 0], `${accept} ${path}`);
    }
  }
});

test("a long text is compressed off the thread, and one beyond what may be at once is sent as it is", async (t) => {
  const { get } = await startTexts(t);
  const answers = await Promise.all(Array.from({ length: 4 }, () => get("/json?chars=400000")));
  for (const { encoding, bytes, vary } of answers) {
    assert.equal(vary, "Accept-Encoding");
    assert.equal((encoding === "br" ? brotliDecompressSync(bytes) : bytes).toString("utf8"), textOf(400_000));
  }
  assert.ok(answers.some(({ encoding }) => encoding === "br"));
  assert.equal((await get("/json?chars=400000")).encoding, "br", "the place is free again");
});

test("one long text at a time, a short one meanwhile, and none without end", async () => {
  const compression = new Compression();
  const long = Buffer.from(textOf(400_000));
  const first = compression.compress(long, "gzip");
  assert.ok(first instanceof Promise);
  assert.equal(compression.compress(long, "br"), null);
  assert.ok(compression.compress(long.subarray(0, 2_000), "br") instanceof Uint8Array);
  assert.deepEqual(gunzipSync(await first), long);
  const second = compression.compress(long, "br");
  assert.ok(second instanceof Promise);
  assert.deepEqual(brotliDecompressSync(await second), long);
  assert.equal(compression.compress(Buffer.alloc(9_000_000), "br"), null);
});
