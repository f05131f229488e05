import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { Type } from "@sinclair/typebox";
import { request } from "undici";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { bind } from "../../../http/endpoint/endpoint.ts";
import { surface } from "../../../http/endpoint/surface.ts";
import type { ServerLimits } from "../../../http/server/options.ts";
import { eventually, within } from "../../support/within.ts";
import { rawClient } from "./raw-client.ts";
import { envelope, startWorld } from "./world.ts";

const UPLOAD_BYTES_MAX = 3_000_000;

interface Store {
  bytes: Buffer;
  open: number;
  completed: number;
  /** What was uploaded, piece by piece. */
  digest: string | null;
  failed: unknown[];
  /** Refuses uploads without reading them. */
  refuses: boolean;
  /** Waits before each piece is taken. */
  hold(): Promise<void>;
  reads(): void;
}

const files = surface<Store>()({ name: "files", tags: ["Files"], envelope });

const endpoints = [
  files.endpoint({
    name: "sendFile",
    method: "GET",
    path: "/file",
    summary: "Sends a file",
    auth: "none",
    query: Type.Object({ from: Type.Integer({ default: 0 }), lie: Type.Integer({ default: 0 }) }),
    responses: {
      200: { description: "The file.", file: true, contentType: "application/zip", headers: { ETag: { description: "Its." } } },
    },
    handle: (store, { query }) => {
      store.open += 1;
      const length = store.bytes.byteLength - query.from + query.lie;
      return {
        status: 200,
        headers: { ETag: '"e"' },
        file: {
          offset: query.from,
          length,
          read: async (into, position) => {
            store.reads();
            return store.bytes.copy(into, 0, position, position + into.byteLength);
          },
          close: (complete) => {
            store.open -= 1;
            if (complete) store.completed += 1;
          },
        },
      };
    },
  }),
  files.endpoint({
    name: "takeFile",
    method: "POST",
    path: "/file",
    summary: "Takes a file",
    auth: "none",
    upload: { member: "file", description: "The file.", bytesMax: UPLOAD_BYTES_MAX },
    responses: { 200: { description: "Taken.", body: Type.Object({ bytes: Type.Integer() }) }, ...files.errors(409) },
    handle: async (store, { upload }) => {
      if (store.refuses) {
        await store.hold();
        throw new RelayError("conflict", "Unread");
      }
      const hash = createHash("md5");
      let bytes = 0;
      try {
        await upload.read(async (piece) => {
          if (bytes === 0 && piece[0] === 0x21) throw new RelayError("conflict", "Not this one");
          await store.hold();
          hash.update(piece);
          bytes += piece.byteLength;
        });
      } catch (error) {
        store.failed.push(error);
        throw error;
      }
      store.digest = hash.digest("hex");
      return { status: 200, body: { bytes } };
    },
  }),
];

async function filesWorld(t: Parameters<typeof startWorld>[0], limits: Partial<ServerLimits> = {}) {
  const store: Store = {
    bytes: randomBytes(1_500_000),
    open: 0,
    completed: 0,
    digest: null,
    failed: [],
    refuses: false,
    hold: async () => {},
    reads: () => {},
  };
  const world = await startWorld(t, { endpoints: bind(endpoints, store), limits });
  return { ...world, store };
}

const BOUNDARY = "XxBoundaryXx";
const CONTENT_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

interface Part {
  name: string;
  fileName?: string;
  content: string | Buffer;
}

function form(parts: Part[], end = `--${BOUNDARY}--\r\n`): Buffer {
  const pieces = parts.flatMap(({ name, fileName, content }) => [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${fileName === undefined ? "" : `; filename="${fileName}"`}\r\n\r\n`,
    content,
    "\r\n",
  ]);
  return Buffer.concat([...pieces, end].map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)));
}

async function post(url: string, body: Buffer, contentType = CONTENT_TYPE) {
  const response = await request(`${url}/file`, { method: "POST", body, headers: { "content-type": contentType } });
  return { status: response.statusCode, body: await response.body.json() };
}

const md5 = (bytes: Buffer) => createHash("md5").update(bytes).digest("hex");

test("a file is sent whole, with its length and headers, and closed", async (t) => {
  const { url, store, answered, server } = await filesWorld(t);
  const response = await request(`${url}/file`);
  const body = Buffer.from(await response.body.arrayBuffer());
  assert.deepEqual([response.statusCode, response.headers["content-type"], response.headers["etag"]], [200, "application/zip", '"e"']);
  assert.equal(response.headers["content-length"], String(store.bytes.byteLength));
  assert.ok(body.equals(store.bytes), "other bytes than the file's");
  await eventually(() => assert.deepEqual([store.open, store.completed, answered, server.pending()], [0, 1, ["sendFile 200"], 0]));
});

test("a part of a file, and many at once, come as they are", async (t) => {
  const { url, store } = await filesWorld(t);
  const parts = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const response = await request(`${url}/file?from=${index * 50_001}`);
      return Buffer.from(await response.body.arrayBuffer()).equals(store.bytes.subarray(index * 50_001));
    }),
  );
  assert.deepEqual([...new Set(parts)], [true]);
});

test("HEAD answers the length without the file, and the connection goes on", async (t) => {
  const { port, store } = await filesWorld(t);
  const client = await rawClient(t, port);
  client.write("HEAD /file HTTP/1.1\r\nHost: a\r\n\r\n");
  assert.match(await client.until("\r\n\r\n"), new RegExp(`^HTTP/1.1 200 OK[^]*Content-Length: ${store.bytes.byteLength}\r\n`, "i"));
  client.write("GET /api/v1/none HTTP/1.1\r\nHost: a\r\n\r\n");
  assert.match(await client.until("There is nothing"), /404/);
  assert.deepEqual([store.open, store.completed], [0, 0]);
});

test("a file that cannot be read to its end closes the connection, so that the client knows", async (t) => {
  const { url, store, failures } = await filesWorld(t);
  const response = await request(`${url}/file?lie=10`);
  await assert.rejects(response.body.arrayBuffer());
  await eventually(() => assert.deepEqual([store.open, store.completed, failures.length], [0, 0, 1]));
});

test("a client that goes away in the middle has its file closed", async (t) => {
  const { port, store, aborted, server } = await filesWorld(t);
  store.bytes = Buffer.alloc(64_000_000);
  const socket = connect(port, "127.0.0.1");
  socket.write("GET /file HTTP/1.1\r\nHost: a\r\n\r\n");
  await new Promise((resolve) => socket.once("data", resolve));
  socket.destroy();
  assert.equal(await aborted, "sendFile");
  await eventually(() => assert.deepEqual([store.open, store.completed, server.pending()], [0, 0, 0]));
});

test("a client that takes nothing any more is given up, and the others do not wait for it", async (t) => {
  const { port, url, store, server } = await filesWorld(t, { fileStallMs: 300 });
  store.bytes = Buffer.alloc(64_000_000);
  const socket = connect(port, "127.0.0.1").pause();
  t.after(() => socket.destroy());
  socket.write("GET /file HTTP/1.1\r\nHost: a\r\n\r\n");
  await eventually(() => assert.equal(store.open, 1));
  const response = await request(`${url}/file?from=63000000`);
  assert.equal((await response.body.arrayBuffer()).byteLength, 1_000_000);
  await eventually(() => assert.deepEqual([store.open, store.completed, server.pending()], [0, 1, 0]));
});

test("at most so many files are sent at once; the next caller is asked to come again", async (t) => {
  const { port, url, store } = await filesWorld(t, { filesMax: 1 });
  store.bytes = Buffer.alloc(64_000_000);
  const socket = connect(port, "127.0.0.1").pause();
  socket.write("GET /file HTTP/1.1\r\nHost: a\r\n\r\n");
  await eventually(() => assert.equal(store.open, 1));
  const refused = await request(`${url}/file`);
  assert.deepEqual([refused.statusCode, refused.headers["retry-after"]], [503, "10"]);
  socket.destroy();
  await eventually(() => assert.equal(store.open, 0));
  assert.equal((await request(`${url}/file?from=63999999`)).statusCode, 200);
});

test("files keep to their rate together", async (t) => {
  const { url, store } = await filesWorld(t, { fileBytesPerSecond: 4_000_000 });
  const started = performance.now();
  await Promise.all([0, 0].map(async () => (await request(`${url}/file`)).body.arrayBuffer()));
  const seconds = (performance.now() - started) / 1_000;
  // 3 MB less what the burst and the last chunk may run ahead.
  assert.ok(seconds > (2 * store.bytes.byteLength - 400_000) / 4_000_000, `took ${seconds} s`);
});

test("a file in a form is handed on piece by piece, whatever else is in the form", async (t) => {
  const { url, store } = await filesWorld(t);
  // The first byte is no exclamation mark, which the handler here refuses.
  const content = Buffer.concat([Buffer.of(0), randomBytes(2_499_999)]);
  const body = form([
    { name: "note", content: "a" },
    { name: "file", fileName: "../../etc/passwd", content },
  ]);
  assert.deepEqual(await post(url, body), { status: 200, body: { bytes: content.byteLength } });
  assert.equal(store.digest, md5(content));
});

test("a client is held up while nobody takes what it sent", async (t) => {
  const { port, url, store } = await filesWorld(t);
  let release = () => {};
  let holds = 0;
  const held = new Promise<void>((begun) => {
    store.hold = () => {
      holds += 1;
      begun();
      return new Promise((resolve) => (release = resolve));
    };
  });
  const content = Buffer.alloc(2_900_000, 7);
  const body = form([{ name: "file", fileName: "a", content }]);
  const socket = connect(port, "127.0.0.1");
  t.after(() => socket.destroy());
  socket.write(`POST /file HTTP/1.1\r\nHost: a\r\nContent-Type: ${CONTENT_TYPE}\r\nContent-Length: ${body.byteLength}\r\n\r\n`);
  let answer = "";
  socket.on("data", (text) => (answer += text));
  socket.write(body);
  await within("the first piece", held);
  // While others get all that they ask for, nothing more of this one is taken.
  assert.equal((await (await request(`${url}/file`)).body.arrayBuffer()).byteLength, store.bytes.byteLength);
  await eventually(() => assert.equal(store.completed, 1));
  assert.deepEqual([holds, store.digest], [1, null]);
  store.hold = async () => {};
  release();
  await eventually(() => assert.match(answer, /"bytes":2900000/));
  assert.equal(store.digest, md5(content));
});

const BAD: { about: string; body: Buffer; contentType?: string; status: number; message: RegExp }[] = [
  { about: "JSON", body: Buffer.from("{}"), contentType: "application/json", status: 415, message: /multipart/ },
  { about: "no content type", body: Buffer.from("{}"), contentType: "", status: 415, message: /multipart/ },
  { about: "a form without a boundary", body: form([]), contentType: "multipart/form-data", status: 400, message: /boundary/ },
  { about: "an empty form", body: form([]), status: 400, message: /file: is required|not a complete/ },
  { about: "no bytes at all", body: Buffer.alloc(0), status: 400, message: /file: is required|not a complete/ },
  { about: "a form without the file", body: form([{ name: "note", content: "a" }]), status: 400, message: /file: is required/ },
  { about: "another member's file", body: form([{ name: "apk", fileName: "a", content: "a" }]), status: 400, message: /another name/ },
  { about: "a text instead of the file", body: form([{ name: "file", content: "a" }]), status: 400, message: /has to be a file/ },
  {
    about: "two files",
    body: form([
      { name: "file", fileName: "a", content: "a" },
      { name: "file", fileName: "b", content: "b" },
    ]),
    status: 400,
    message: /one file/,
  },
  {
    about: "too many members",
    body: form(Array.from({ length: 20 }, (_, index) => ({ name: `m${index}`, content: "a" }))),
    status: 400,
    message: /too many/,
  },
  { about: "no end", body: form([{ name: "file", fileName: "a", content: "abc" }], ""), status: 400, message: /not a complete/ },
  {
    about: "what is no form",
    body: Buffer.from("hello, this is no form at all"),
    status: 400,
    message: /file: is required|not a complete/,
  },
  {
    about: "a file that is too large",
    body: form([{ name: "file", fileName: "a", content: Buffer.alloc(UPLOAD_BYTES_MAX + 1) }]),
    status: 413,
    message: /at most 3000000 bytes/,
  },
  {
    about: "a body that is too large",
    body: form([{ name: "file", fileName: "a", content: Buffer.alloc(UPLOAD_BYTES_MAX * 2) }]),
    status: 413,
    message: /at most/,
  },
  {
    about: "what the handler refuses, told after the whole body was read",
    body: form([{ name: "file", fileName: "a", content: Buffer.alloc(2_900_000, "!") }]),
    status: 409,
    message: /Not this one/,
  },
];

for (const { about, body, contentType, status, message } of BAD) {
  test(`refuses ${about}`, async (t) => {
    const { url, store, server } = await filesWorld(t);
    const answer = await post(url, body, contentType);
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.match(JSON.stringify(answer.body), message);
    assert.deepEqual([store.digest, server.pending()], [null, 0]);
  });
}

for (const [about, bytes] of [
  ["small", 1_000],
  ["large", 2_900_000],
] as const) {
  test(`a ${about} upload that is refused unread leaves its connection good for the next request`, async (t) => {
    const { port, store, server } = await filesWorld(t);
    store.refuses = true;
    // The first of the body has come by then.
    store.hold = async () => {
      for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    const body = form([{ name: "file", fileName: "a", content: Buffer.alloc(bytes, "a") }]);
    const client = await rawClient(t, port);
    const head = `POST /file HTTP/1.1\r\nHost: a\r\nContent-Type: ${CONTENT_TYPE}\r\nContent-Length: ${body.byteLength}\r\n\r\n`;
    client.write(head + body.subarray(0, bytes / 2).toString("latin1"));
    client.write(body.subarray(bytes / 2).toString("latin1"));
    assert.match(await client.until("Unread"), /^HTTP\/1\.1 409 /);
    client.write("HEAD /file HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    assert.match(await client.until("application/zip"), /HTTP\/1\.1 200 /);
    await eventually(() => assert.equal(server.pending(), 0));
  });
}

test("an upload that was read slowly leaves its connection good for the next request", async (t) => {
  const { port, store } = await filesWorld(t);
  // The last of the body has come by the time its first piece was taken.
  store.hold = () => new Promise((resolve) => setTimeout(resolve, 5));
  const body = form([{ name: "file", fileName: "a", content: Buffer.alloc(2_900_000, "a") }]);
  const client = await rawClient(t, port);
  for (const answered of ["first", "second"]) {
    client.write(`POST /file HTTP/1.1\r\nHost: a\r\nContent-Type: ${CONTENT_TYPE}\r\nContent-Length: ${body.byteLength}\r\n\r\n`);
    client.write(body.toString("latin1"));
    await eventually(() => assert.notEqual(store.digest, null, answered));
    store.digest = null;
  }
  client.write("HEAD /file HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  assert.match(await client.until("application/zip"), /HTTP\/1\.1 200 /);
});

test("an upload that sends a byte now and then is given up, and one that keeps to the least pace is not", async (t) => {
  const pace = { uploadBytesPerSecond: 50_000, downloadBytesPerSecond: 1, graceMs: 400 };
  const { port, store, server } = await filesWorld(t, { uploadStallMs: 5_000, pace });
  const body = form([{ name: "file", fileName: "a", content: Buffer.alloc(100_000) }]);
  const head = `POST /file HTTP/1.1\r\nHost: a\r\nContent-Type: ${CONTENT_TYPE}\r\nContent-Length: ${body.byteLength}\r\n\r\n`;
  const send = async (bytes: number) => {
    const client = await rawClient(t, port);
    client.write(head);
    const text = body.toString("latin1");
    let at = 0;
    const dripping = setInterval(() => {
      client.write(text.slice(at, at + bytes));
      at += bytes;
    }, 50);
    t.after(() => clearInterval(dripping));
    return client;
  };
  assert.match(await (await send(10)).closed(), /^HTTP\/1\.1 408 /);
  await eventually(() => assert.deepEqual([store.failed.length, server.pending()], [1, 0]));
  assert.match(await (await send(10_000)).until("\r\n\r\n"), /^HTTP\/1\.1 200 /);
});

test("a client with many downloads leaves room for the first of another", async (t) => {
  const { port, url, store } = await filesWorld(t, { filesMax: 4, filesPerOwnerMax: 3 });
  store.bytes = Buffer.alloc(64_000_000);
  const greedy = [0, 1, 2].map(() => connect(port, "127.0.0.1").pause());
  t.after(() => {
    for (const socket of greedy) socket.destroy();
  });
  for (const socket of greedy) socket.write("GET /file HTTP/1.1\r\nHost: a\r\n\r\n");
  await eventually(() => assert.equal(store.open, 3));
  const refused = await request(`${url}/file`);
  assert.deepEqual([refused.statusCode, refused.headers["retry-after"]], [429, "10"]);
  await refused.body.dump();
  const modest = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.2" });
  t.after(() => modest.destroy());
  modest.write("GET /file?from=63999999 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const [answer] = await once(modest, "data");
  assert.match(String(answer), /^HTTP\/1\.1 200 /);
});

test("an upload that breaks off or stops coming ends the handler's reading", async (t) => {
  const { port, store, server } = await filesWorld(t, { uploadStallMs: 200 });
  const body = form([{ name: "file", fileName: "a", content: Buffer.alloc(100_000) }]);
  const head = `POST /file HTTP/1.1\r\nHost: a\r\nContent-Type: ${CONTENT_TYPE}\r\nContent-Length: ${body.byteLength}\r\n\r\n`;
  const gone = connect(port, "127.0.0.1");
  gone.write(head);
  gone.write(body.subarray(0, 50_000));
  await eventually(() => assert.equal(server.pending(), 1));
  gone.destroy();
  await eventually(() => assert.deepEqual([store.failed.length, server.pending()], [1, 0]));
  const silent = await rawClient(t, port);
  silent.write(head);
  silent.write(body.subarray(0, 50_000).toString("latin1"));
  assert.match(await silent.closed(), /^HTTP\/1\.1 408 /);
  await eventually(() => assert.deepEqual([store.failed.length, server.pending()], [2, 0]));
});
