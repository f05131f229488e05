import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { request } from "undici";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { bind } from "../../../http/endpoint/endpoint.ts";
import { surface } from "../../../http/endpoint/surface.ts";
import type { ServerLimits } from "../../../http/server/options.ts";
import { eventually, within } from "../../support/within.ts";
import { rawClient } from "./raw-client.ts";
import { envelope, startWorld } from "./world.ts";

interface Source {
  /** What is sent, in pieces. */
  rows(): AsyncGenerator<string | Uint8Array>;
}

const streams = surface<Source>()({ name: "streams", tags: ["Streams"], envelope });

const endpoints = [
  streams.endpoint({
    name: "export",
    method: "GET",
    path: "/export.csv",
    summary: "Exports rows",
    auth: "none",
    responses: {
      200: {
        description: "The rows.",
        stream: true,
        contentType: "text/csv; charset=utf-8",
        headers: { "Content-Disposition": { description: "Its name." } },
      },
      ...streams.errors(429, 503),
    },
    handle: async ({ rows }) => ({ status: 200, stream: rows(), headers: { "Content-Disposition": 'attachment; filename="a.csv"' } }),
  }),
  streams.endpoint({
    name: "exportBytes",
    method: "GET",
    path: "/export.bin",
    summary: "Exports bytes",
    auth: "none",
    responses: { 200: { description: "The bytes.", stream: true, contentType: "application/octet-stream" } },
    handle: ({ rows }) => ({ status: 200, stream: rows() }),
  }),
];

/** Rows of some hundred characters, of which each knows its number. */
function row(number: number): string {
  return `${number};${String(number * 7_919).padStart(80, "0")};è\n`;
}

/** The same for rows that no encoding makes much shorter. */
function noisyRow(number: number): string {
  return `${Array.from({ length: 12 }, (_, place) => Math.imul(number + 1, 2_654_435_761 + 7_919 * place * place) >>> 0).join(";")}\n`;
}

/** How a source went, and what it waits for. */
class Rows implements Source {
  readonly count: number;
  readonly #row: (number: number) => string;
  given = 0;
  ended = 0;
  started = 0;
  /** Of the row before which it fails, or waits. */
  failsAt = -1;
  waitsAt = -1;
  readonly released: Promise<void>;
  release: () => void = () => {};

  constructor(count: number, rowOf = row) {
    this.count = count;
    this.#row = rowOf;
    this.released = new Promise((resolve) => {
      this.release = resolve;
    });
  }

  readonly rows = async function* (this: Rows): AsyncGenerator<string> {
    this.started += 1;
    try {
      for (let number = 0; number < this.count; number += 1) {
        if (number === this.failsAt) throw new RelayError("unavailable", "The database is away");
        if (number === this.waitsAt) await this.released;
        this.given += 1;
        yield this.#row(number);
      }
    } finally {
      this.ended += 1;
    }
  }.bind(this);

  get text(): string {
    return Array.from({ length: this.count }, (_, number) => this.#row(number)).join("");
  }
}

async function startStreams(t: { after(close: () => void): void }, source: Source, limits: Partial<ServerLimits> = {}) {
  return startWorld(t, { endpoints: bind(endpoints, source), limits });
}

test("rows are sent as one body of unknown length", async (t) => {
  const source = new Rows(5_000);
  const { url, answered } = await startStreams(t, source);
  const response = await request(`${url}/export.csv`);
  assert.deepEqual(
    [response.statusCode, response.headers["content-type"], response.headers["content-disposition"], response.headers["content-length"]],
    [200, "text/csv; charset=utf-8", 'attachment; filename="a.csv"', undefined],
  );
  assert.equal(await response.body.text(), source.text);
  assert.deepEqual([source.given, source.ended], [5_000, 1]);
  await eventually(() => assert.deepEqual(answered, ["export 200"]));
});

test("the next request on the connection is answered after a stream", async (t) => {
  const { port } = await startStreams(t, new Rows(3));
  const client = await rawClient(t, port);
  client.write("GET /export.csv HTTP/1.1\r\nHost: a\r\n\r\n");
  assert.match(await client.until("0\r\n\r\n"), /Transfer-Encoding: chunked/i);
  client.write("GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n");
  await client.until("404 Not Found");
});

test("a stream without rows is an empty body", async (t) => {
  const { url } = await startStreams(t, new Rows(0));
  const response = await request(`${url}/export.csv`);
  assert.deepEqual([response.statusCode, await response.body.text()], [200, ""]);
});

test("bytes are sent as they are, and are not compressed unless they are text", async (t) => {
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, place) => (place * 31) % 251));
  const { url } = await startStreams(t, {
    rows: async function* () {
      yield bytes.subarray(0, 70_000);
      yield new Uint8Array(0);
      yield bytes.subarray(70_000);
    },
  });
  const response = await request(`${url}/export.bin`, { headers: { "accept-encoding": "br" } });
  assert.deepEqual([response.headers["content-encoding"], response.headers["vary"]], [undefined, undefined]);
  assert.deepEqual(Buffer.from(await response.body.arrayBuffer()), bytes);
});

for (const [encoding, decode] of [
  ["gzip", gunzipSync],
  ["br", brotliDecompressSync],
] as const) {
  test(`text is streamed in ${encoding} to whoever takes it`, async (t) => {
    const source = new Rows(20_000);
    const { url } = await startStreams(t, source);
    const response = await request(`${url}/export.csv`, { headers: { "accept-encoding": encoding } });
    assert.deepEqual([response.headers["content-encoding"], response.headers["vary"]], [encoding, "Accept-Encoding"]);
    const bytes = Buffer.from(await response.body.arrayBuffer());
    assert.ok(bytes.length < source.text.length / 3, `${bytes.length} bytes`);
    assert.equal(decode(bytes).toString("utf8"), source.text);
    assert.equal(source.ended, 1);
  });
}

for (const encoding of ["identity", "gzip"]) {
  test(`a client that reads nothing holds the source back, and gets every row when it reads on (${encoding})`, async (t) => {
    const source = new Rows(400_000, noisyRow);
    const { port } = await startStreams(t, source);
    const socket = connect(port, "127.0.0.1");
    t.after(() => socket.destroy());
    socket.on("error", () => {});
    await once(socket, "connect");
    socket.pause();
    socket.write(`GET /export.csv HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ${encoding}\r\n\r\n`);
    await within(
      "the source is held back",
      (async () => {
        // Held back is what does not move for a while; there is nothing that tells so.
        for (let before = -1; source.given === 0 || before !== source.given; ) {
          before = source.given;
          await new Promise((resolve) => setTimeout(resolve, 150));
        }
      })(),
      20_000,
    );
    const heldBackAt = source.given;
    assert.ok(heldBackAt < source.count, "the source was read to its end into memory");
    let tail = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      tail = Buffer.concat([tail, chunk]).subarray(-64);
      if (tail.subarray(-5).toString("latin1") === "0\r\n\r\n") socket.emit("whole");
    });
    socket.resume();
    // It takes a core five seconds.
    await within("the end comes", once(socket, "whole"), 180_000);
    assert.deepEqual([source.given, source.ended], [source.count, 1]);
  });
}

test("a client that reads nothing for too long is cut off, and the source is ended", async (t) => {
  const source = new Rows(2_000_000);
  const { port, aborted, server } = await startStreams(t, source, { streamStallMs: 300 });
  const socket = connect(port, "127.0.0.1");
  t.after(() => socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.pause();
  socket.write("GET /export.csv HTTP/1.1\r\nHost: a\r\n\r\n");
  assert.equal(await within("it is cut off", aborted, 20_000), "export");
  await eventually(() => assert.equal(source.ended, 1));
  assert.ok(source.given < source.count);
  assert.equal(server.pending(), 0);
});

for (const encoding of ["identity", "gzip"]) {
  test(`a source that fails in the middle ends the connection without the last chunk (${encoding})`, async (t) => {
    const source = new Rows(5_000);
    source.failsAt = 4_000;
    const { port, failures, answered } = await startStreams(t, source);
    const client = await rawClient(t, port);
    client.write(`GET /export.csv HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ${encoding}\r\n\r\n`);
    const received = await within("the connection ends", client.closed(), 20_000);
    assert.match(received, /^HTTP\/1.1 200 OK/);
    assert.ok(!received.endsWith("0\r\n\r\n"), "the body looks whole");
    assert.deepEqual([failures.length, source.ended, answered], [1, 1, []]);
  });
}

test("fetch sees a broken body, and never a short one that looks whole", async (t) => {
  const source = new Rows(50_000);
  source.failsAt = 49_000;
  const { url } = await startStreams(t, source);
  const response = await fetch(`${url}/export.csv`, { headers: { "accept-encoding": "identity" } });
  assert.equal(response.status, 200);
  await assert.rejects(response.text());
});

test("a source that fails before its first row is answered as an error", async (t) => {
  const source = new Rows(10);
  source.failsAt = 0;
  const { url } = await startStreams(t, source);
  for (const encoding of ["identity", "gzip"]) {
    const response = await request(`${url}/export.csv`, { headers: { "accept-encoding": encoding } });
    assert.deepEqual([response.statusCode, JSON.parse(await response.body.text()).error], [503, "The database is away"]);
  }
  assert.equal(source.ended, 2);
});

for (const encoding of ["identity", "gzip"]) {
  test(`the source is ended when the client leaves (${encoding})`, async (t) => {
    const source = new Rows(100_000);
    source.waitsAt = 50_000;
    const { port, aborted, server } = await startStreams(t, source);
    const client = await rawClient(t, port);
    client.write(`GET /export.csv HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ${encoding}\r\n\r\n`);
    await client.until("200 OK");
    await eventually(() => assert.equal(source.given, 50_000));
    client.socket.destroy();
    assert.equal(await within("it is noticed", aborted, 5_000), "export");
    source.release();
    await eventually(() => assert.equal(source.ended, 1));
    assert.ok(source.given <= 50_001);
    assert.equal(server.pending(), 0);
  });
}

test("a source that gives nothing for too long is an error, before its first row and after", async (t) => {
  const before = new Rows(10);
  before.waitsAt = 0;
  const slow = await startStreams(t, before, { bodyDeadlineMs: 100 });
  const response = await request(`${slow.url}/export.csv`);
  assert.equal(response.statusCode, 503);
  await response.body.dump();
  before.release();
  await eventually(() => assert.equal(before.ended, 1));

  const after = new Rows(5_000);
  after.waitsAt = 4_000;
  const { port, failures } = await startStreams(t, after, { streamSourceMs: 200 });
  const client = await rawClient(t, port);
  client.write("GET /export.csv HTTP/1.1\r\nHost: a\r\n\r\n");
  const received = await within("the connection ends", client.closed(), 10_000);
  assert.ok(!received.endsWith("0\r\n\r\n"));
  assert.match(String(failures[0]), /sent no data for too long/);
  after.release();
  await eventually(() => assert.equal(after.ended, 1));
});

test("one client has only so many streams at once, and gets a place back with each that ends", async (t) => {
  const source = new Rows(10);
  source.waitsAt = 5;
  const { url, server } = await startStreams(t, source, { streamsPerOwnerMax: 2 });
  const running = [request(`${url}/export.csv`), request(`${url}/export.csv`)];
  await eventually(() => assert.equal(source.given, 10));
  const refused = await request(`${url}/export.csv`);
  assert.deepEqual([refused.statusCode, refused.headers["retry-after"]], [429, "10"]);
  await refused.body.dump();
  source.release();
  for (const response of await Promise.all(running)) assert.equal(await response.body.text(), source.text);
  await eventually(() => assert.equal(server.pending(), 0));
  assert.equal(await (await request(`${url}/export.csv`)).body.text(), source.text);
  assert.equal(source.started, 3, "what was refused was never begun");
});

test("one client with many streams leaves room for the first of another", async (t) => {
  const source = new Rows(10);
  source.waitsAt = 5;
  const { url, port } = await startStreams(t, source, { streamsMax: 4, streamsPerOwnerMax: 4 });
  const greedy = [0, 1, 2].map(() => request(`${url}/export.csv`));
  await eventually(() => assert.equal(source.given, 15));
  const refused = await request(`${url}/export.csv`);
  assert.equal(refused.statusCode, 503);
  await refused.body.dump();
  const modest = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.2" });
  t.after(() => modest.destroy());
  modest.write("GET /export.csv HTTP/1.1\r\nHost: a\r\n\r\n");
  await eventually(() => assert.equal(source.given, 20));
  source.release();
  for (const response of await Promise.all(greedy)) await response.body.dump();
});

test("a thread has only so many streams at once", async (t) => {
  const source = new Rows(10);
  source.waitsAt = 5;
  const { url } = await startStreams(t, source, { streamsMax: 1, streamsPerOwnerMax: 2 });
  const running = request(`${url}/export.csv`);
  await eventually(() => assert.equal(source.given, 5));
  const refused = await request(`${url}/export.csv`);
  assert.deepEqual([refused.statusCode, refused.headers["retry-after"]], [503, "10"]);
  await refused.body.dump();
  source.release();
  assert.equal(await (await running).body.text(), source.text);
});

test("HEAD has the headers of GET and begins no stream", async (t) => {
  const source = new Rows(10);
  const { url, answered } = await startStreams(t, source);
  const response = await request(`${url}/export.csv`, { method: "HEAD", headers: { "accept-encoding": "gzip" } });
  assert.deepEqual(
    [response.statusCode, response.headers["content-type"], response.headers["content-encoding"], response.headers["vary"]],
    [200, "text/csv; charset=utf-8", "gzip", "Accept-Encoding"],
  );
  assert.equal(await response.body.text(), "");
  assert.deepEqual([source.started, answered], [0, ["export 200"]]);
});

test("a node that stops lets a stream end", async (t) => {
  const source = new Rows(10);
  source.waitsAt = 5;
  const { url, server } = await startStreams(t, source);
  const running = request(`${url}/export.csv`);
  await eventually(() => assert.equal(source.given, 5));
  const drained = server.drain({ acceptMs: 0, deadlineMs: 5_000 });
  source.release();
  assert.equal(await (await running).body.text(), source.text);
  assert.equal(await drained, 0);
});

test("while a stream is sent as fast as can be, other requests are answered", async (t) => {
  const whole = Buffer.alloc(30_000_000, "abc;");
  const { url } = await startStreams(t, {
    rows: async function* () {
      yield whole;
    },
  });
  const running = request(`${url}/export.csv`).then(({ body }) => body.arrayBuffer());
  let isRunning = true;
  const ended = running.finally(() => {
    isRunning = false;
  });
  let answered = 0;
  while (isRunning) {
    await (await request(`${url}/nothing`)).body.dump();
    answered += 1;
  }
  assert.equal((await running).byteLength, whole.byteLength);
  await ended;
  assert.ok(answered > 20, `${answered} others were answered meanwhile`);
});

for (const encoding of ["identity", "gzip", "br"]) {
  test(`the head and the first row leave at once, however long the second one takes (${encoding})`, async (t) => {
    const source = new Rows(2);
    source.waitsAt = 1;
    const { url } = await startStreams(t, source);
    const response = await within("the head comes", request(`${url}/export.csv`, { headers: { "accept-encoding": encoding } }));
    const body = response.body[Symbol.asyncIterator]();
    const beginning = await within("the first row comes", body.next());
    assert.ok(beginning.value.byteLength > 0);
    if (encoding === "identity") assert.equal(String(beginning.value), row(0));
    source.release();
    while ((await body.next()).done !== true);
    assert.equal(source.ended, 1);
  });
}
