import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import type { WebSocketMount } from "../../../http/server/websocket.ts";
import { within } from "../../support/within.ts";
import { startWorld } from "./world.ts";

const fileOf = (name: string) => fileURLToPath(new URL(`./tls/${name}`, import.meta.url));
const FIRST = { certFile: fileOf("test-only-cert.pem"), keyFile: fileOf("test-only-key.pem") };
const SECOND = { certFile: fileOf("test-only-rsa-cert.pem"), keyFile: fileOf("test-only-rsa-key.pem") };
const TRUSTED = [readFileSync(FIRST.certFile), readFileSync(SECOND.certFile)];

/** So many connections are made while certificates are renewed. */
const ROUNDS = 20;
const CLIENTS_OF_ROUND = 10;

interface TlsClient {
  socket: TLSSocket;
  /** Which of the two certificates it was shown. */
  shown: "first" | "second";
  /** Resolves with the status line and the rest of a response. */
  get(): Promise<string>;
}

async function tlsClient(t: TestContext, port: number): Promise<TlsClient> {
  const socket = connect({ host: "127.0.0.1", port, ca: TRUSTED, servername: "localhost" });
  t.after(() => socket.destroy());
  await within("the handshake", once(socket, "secureConnect"));
  const shown = socket.getPeerCertificate().raw.equals(der(FIRST.certFile)) ? "first" : "second";
  return {
    socket,
    shown,
    get: async () => {
      socket.write("GET /api/v1/app/get HTTP/1.1\r\nHost: localhost\r\n\r\n");
      const [chunk] = await within("a response", once(socket, "data"));
      return String(chunk);
    },
  };
}

function der(certFile: string): Buffer {
  const [, base64 = ""] = /-----BEGIN CERTIFICATE-----([^-]+)-----END/.exec(readFileSync(certFile, "utf8")) ?? [];
  return Buffer.from(base64, "base64");
}

/** A mount that sends back what comes. */
const ECHO: WebSocketMount = {
  path: "/ws",
  protocols: [],
  messageBytesMax: 100,
  bufferedBytesMax: 100_000,
  idleSeconds: 60,
  socketsMax: 10,
  open: (socket) => ({ message: (data) => void socket.send(data), pong: () => {}, closed: () => {} }),
};

async function echoed(client: WebSocket, text: string): Promise<string> {
  const answered = once(client, "message");
  client.send(text);
  const [data] = await within("the echo", answered);
  return String(data);
}

test("a renewed certificate is for new connections; those that are there go on, again and again", async (t) => {
  const { port, server } = await startWorld(t, { tls: FIRST });
  const before = await tlsClient(t, port);
  assert.equal(before.shown, "first");
  assert.match(await before.get(), /^HTTP\/1\.1 200 OK/);
  server.renewTls(SECOND);
  const after = await tlsClient(t, port);
  assert.equal(after.shown, "second");
  assert.match(await after.get(), /^HTTP\/1\.1 200 OK[\s\S]*"text":"app"/);
  assert.match(await before.get(), /^HTTP\/1\.1 200 OK[\s\S]*"text":"app"/);
  server.renewTls(FIRST);
  const last = await tlsClient(t, port);
  assert.equal(last.shown, "first");
  for (const client of [before, after, last]) assert.match(await client.get(), /^HTTP\/1\.1 200 OK/);
});

test("WebSockets stay through a renewal, new ones are of the same server, and draining closes both", async (t) => {
  const { port, server } = await startWorld(t, { tls: FIRST, webSockets: [ECHO] });
  const dial = async () => {
    const client = new WebSocket(`wss://127.0.0.1:${port}/ws`, [], { ca: TRUSTED });
    t.after(() => client.terminate());
    await within("the socket", once(client, "open"));
    return client;
  };
  const before = await dial();
  server.renewTls(SECOND);
  const after = await dial();
  assert.deepEqual([await echoed(before, "one"), await echoed(after, "two")], ["one", "two"]);
  assert.equal(server.webSockets(), 2);
  const closed = Promise.all([once(before, "close"), once(after, "close")]);
  assert.equal(await server.drain({ acceptMs: 0, deadlineMs: 5_000 }), 0);
  assert.deepEqual(
    (await within("both ends", closed)).map(([code]) => code),
    [1_001, 1_001],
  );
});

test("nobody who connects while certificates are renewed is refused", async (t) => {
  const { port, server } = await startWorld(t, { tls: FIRST });
  const shown = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const clients = Array.from({ length: CLIENTS_OF_ROUND }, () => tlsClient(t, port));
    // Some of them have connected by now, and none has been accepted.
    server.renewTls(round % 2 === 0 ? SECOND : FIRST);
    for (const client of await Promise.all(clients)) {
      shown.add(client.shown);
      assert.match(await client.get(), /^HTTP\/1\.1 200 OK/);
      client.socket.destroy();
    }
  }
  assert.deepEqual([...shown].sort(), ["first", "second"]);
});

test("a certificate that cannot be used changes nothing, and plain HTTP has none", async (t) => {
  const { port, server } = await startWorld(t, { tls: FIRST });
  assert.throws(() => server.renewTls({ certFile: "/nowhere/cert.pem", keyFile: FIRST.keyFile }));
  assert.throws(() => server.renewTls({ certFile: SECOND.certFile, keyFile: FIRST.keyFile }));
  const client = await tlsClient(t, port);
  assert.equal(client.shown, "first");
  assert.match(await client.get(), /^HTTP\/1\.1 200 OK/);
  const plain = await startWorld(t);
  assert.throws(() => plain.server.renewTls(SECOND), /plain HTTP is served/);
});

test("after renewals a stop closes the connections of every certificate, and the port", async (t) => {
  const { port, server } = await startWorld(t, { tls: FIRST });
  const before = await tlsClient(t, port);
  server.renewTls(SECOND);
  const after = await tlsClient(t, port);
  const ends = Promise.all([once(before.socket, "close"), once(after.socket, "close")]);
  server.close();
  await within("both ends", ends);
  await assert.rejects(tlsClient(t, port), /ECONNREFUSED/);
});
