/** What uWebSockets answers by itself, in HTML, before the relay hears of a request: the list of README.md; and what the relay answers in its place, in JSON. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { HEAD_BYTES_MAX } from "../../../http/server/request-head.ts";
import { LIBRARY_HEAD_BYTES_MAX, loadUws } from "../../../http/server/uws.ts";
import { HTTP_LIBRARY } from "../../support/http/http-library.ts";
import { member } from "../../support/http/matches.ts";
import { rawClient } from "./raw-client.ts";
import { startWorld } from "./world.ts";

const { library } = await loadUws(HTTP_LIBRARY);

const GET = "GET /api/v1/T1/get HTTP/1.1\r\n";
const HOST = "Host: a\r\n";
const POST = `POST /api/v1/T1/order HTTP/1.1\r\n${HOST}API-Key: key\r\nContent-Type: application/json\r\n`;
const lines = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}: 1\r\n`).join("");

/** A GET whose request line and headers have so many bytes, most of them in the query or in a header. */
function headOf(bytes: number, where: "header" | "query"): string {
  const [before, after] = where === "header" ? [`${GET}${HOST}x: `, "\r\n\r\n"] : ["GET /api/v1/T1/list?x=", ` HTTP/1.1\r\n${HOST}\r\n`];
  return before + "y".repeat(bytes - before.length - after.length) + after;
}

async function answerTo(t: TestContext, text: string): Promise<{ status: number; head: string; body: string }> {
  const { port } = await startWorld(t);
  const client = await rawClient(t, port);
  client.write(text);
  const received = await client.closed();
  const [, status, head = "", body = ""] = /^HTTP\/1\.1 (\d+) ([\s\S]*?)\r\n\r\n([\s\S]*)$/.exec(received) ?? [];
  return { status: Number(status), head, body };
}

const ITS_OWN: [string, string, number][] = [
  ["HTTP/1.0", `GET / HTTP/1.0\r\n${HOST}\r\n`, 505],
  ["HTTP/2 without an upgrade", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505],
  ["TLS on a port without", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x11\x22\r\n\r\n", 505],
  ["a target that is no path", `GET http://a/health/live HTTP/1.1\r\n${HOST}\r\n`, 505],
  ["a target of all", `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, 505],
  ["a Content-Length that is no number", `${POST}Content-Length: x\r\n\r\n`, 400],
  ["a Content-Length below zero", `${POST}Content-Length: -1\r\n\r\n`, 400],
  ["a Content-Length beside a Transfer-Encoding", `${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  ["a chunk whose length is no number", `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`, 400],
  ["more than 98 headers", `${GET}${HOST}${lines(98)}\r\n`, 431],
  ["a head longer than the library takes", headOf(LIBRARY_HEAD_BYTES_MAX + 1, "header"), 431],
  ["a request line longer than the library takes", headOf(LIBRARY_HEAD_BYTES_MAX + 1, "query"), 431],
];
/** The older one says nothing to these: it waits for more, and ends the connection after some ten seconds. */
const ITS_OWN_OF_THE_NEWER: [string, string, number][] = [
  ["no Host", `${GET}\r\n`, 400],
  ["a header without a colon", `${GET}${HOST}x\r\n\r\n`, 400],
  ["a space before the colon", `${GET}${HOST}x : y\r\n\r\n`, 400],
  ["a folded header", `${GET}${HOST}x: y\r\n z\r\n\r\n`, 400],
  ["a control character", `${GET}${HOST}x: y\x01z\r\n\r\n`, 400],
];

describe(`what the ${library} library answers by itself`, () => {
  for (const [what, text, status] of [...ITS_OWN, ...(library === "newer" ? ITS_OWN_OF_THE_NEWER : [])]) {
    test(`${what}: ${status}, in HTML, and the connection ends`, async (t) => {
      const answer = await answerTo(t, text);
      assert.equal(answer.status, status);
      assert.match(answer.head, /\r\nConnection: close$/);
      assert.match(answer.body, /^<h1>/);
    });
  }

  if (library === "older") {
    for (const [what, text] of ITS_OWN_OF_THE_NEWER) {
      test(`${what}: nothing, and serves nothing`, async (t) => {
        const { port, answered } = await startWorld(t);
        const client = await rawClient(t, port);
        client.write(text);
        const other = await rawClient(t, port);
        other.write(`${GET}${HOST}\r\n`);
        await other.until("204 No Content");
        assert.deepEqual(answered, ["get 204"]);
      });
    }
  }
});

describe("what the relay answers in JSON before the library would in HTML", () => {
  for (const where of ["header", "query"] as const) {
    test(`a head of ${HEAD_BYTES_MAX} bytes, most of them in the ${where}, is read; one of more is 431`, async (t) => {
      const { port } = await startWorld(t);
      const client = await rawClient(t, port);
      client.write(headOf(HEAD_BYTES_MAX, where));
      const read = where === "header" ? /^HTTP\/1\.1 204 / : /^HTTP\/1\.1 200 [\s\S]*\r\nRelay-Ignored: x\r\n/;
      assert.match(await client.until("\r\n\r\n"), read);
      for (const bytes of [HEAD_BYTES_MAX + 1, LIBRARY_HEAD_BYTES_MAX]) {
        const answer = await answerTo(t, headOf(bytes, where));
        assert.equal(answer.status, 431);
        assert.match(
          answer.head,
          /^Request Header Fields Too Large\r\n[\s\S]*\r\nContent-Type: application\/json\r\n[\s\S]*Connection: close/,
        );
        const message = "The request line and the headers together may have at most 4096 bytes.";
        assert.equal(member(JSON.parse(answer.body), "message"), message);
      }
    });
  }

  test("431 also to a POST with its body, of which nothing is done", async (t) => {
    const { port, answered } = await startWorld(t);
    const client = await rawClient(t, port);
    client.write(`${POST}x: ${"y".repeat(5_000)}\r\nContent-Length: 12\r\n\r\n{"amount":5}`);
    assert.match(await client.closed(), /^HTTP\/1\.1 431 [\s\S]*"message":"The request line/);
    assert.deepEqual(answered, ["unmatched 431"]);
  });

  test("431 to a page of another origin that asks first", async (t) => {
    const answer = await answerTo(
      t,
      `OPTIONS /api/v1/T1/order HTTP/1.1\r\n${HOST}Origin: https://a.example\r\nAccess-Control-Request-Method: POST\r\nx: ${"y".repeat(5_000)}\r\n\r\n`,
    );
    assert.equal(answer.status, 431);
    assert.match(answer.body, /^\{/);
  });

  test("431 to an upgrade to WebSocket", async (t) => {
    const mount = { path: "/ws", protocols: [], messageBytesMax: 1_024, bufferedBytesMax: 1_024, idleSeconds: 0, socketsMax: 1 };
    const { port } = await startWorld(t, { webSockets: [{ ...mount, open: () => assert.fail("it was opened") }] });
    const client = await rawClient(t, port);
    client.write(
      `GET /ws HTTP/1.1\r\n${HOST}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nx: ${"y".repeat(5_000)}\r\n\r\n`,
    );
    assert.match(await client.closed(), /^HTTP\/1\.1 431 [\s\S]*"message":"The request line/);
  });

  test("two Hosts and an empty length are 400, in JSON where the library lets them through", async (t) => {
    const hosts = await answerTo(t, `${GET}${HOST}${HOST}\r\n`);
    assert.equal(hosts.status, 400);
    assert.match(hosts.body, library === "older" ? /^\{.*"message":"Host: there are several; send one"/ : /^<h1>/);
  });

  test("a body that is too long is 413 in JSON, announced or in chunks", async (t) => {
    const long = "y".repeat(2_000);
    for (const rest of [
      `Content-Length: 1001\r\n\r\n`,
      `Connection: close\r\nContent-Length: 2000\r\n\r\n${long}`,
      `Transfer-Encoding: chunked\r\n\r\n7d0\r\n${long}\r\n`,
    ]) {
      const answer = await answerTo(t, POST + rest);
      assert.equal(answer.status, 413, answer.body);
      assert.match(answer.body, /^\{.*"message":"body: may have at most 1000 bytes/);
    }
  });
});
