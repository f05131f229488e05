import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { foreignOrigin, ownOrigin } from "../../../http/server/cross-site.ts";
import { ADMIN, startWorld } from "./world.ts";

const PUBLIC = "https://relay.example.com";

/** Headers of a request, and the origin that is found foreign, or null. */
const RULE: { title: string; headers: { [name: string]: string }; publicUrl?: string; tls?: true; foreign: string | null }[] = [
  { title: "neither header: no browser", headers: {}, foreign: null },
  { title: "an address that a person has opened", headers: { "sec-fetch-site": "none" }, foreign: null },
  { title: "a page of the relay, without Origin", headers: { "sec-fetch-site": "same-origin" }, foreign: null },
  { title: "an image of another site", headers: { "sec-fetch-site": "cross-site" }, foreign: "" },
  { title: "an image of the same site, another port or host", headers: { "sec-fetch-site": "same-site" }, foreign: "" },
  { title: "the host of the request", headers: { origin: "http://relay:8080", host: "relay:8080" }, foreign: null },
  { title: "the host in capitals", headers: { origin: "http://relay:8080", host: "RELAY:8080" }, foreign: null },
  { title: "https before a proxy", headers: { origin: "https://relay.example", host: "relay.example" }, foreign: null },
  { title: "a proxy that names the usual port", headers: { origin: "https://relay.example", host: "relay.example:443" }, foreign: null },
  { title: "the same for http", headers: { origin: "http://relay.example", host: "relay.example:80" }, foreign: null },
  { title: "an IPv6 host", headers: { origin: "http://[::1]:8080", host: "[::1]:8080" }, foreign: null },
  { title: "another port", headers: { origin: "http://relay:8081", host: "relay:8080" }, foreign: "http://relay:8081" },
  { title: "the other scheme's usual port", headers: { origin: "http://relay", host: "relay:443" }, foreign: "http://relay" },
  { title: "no port instead of one", headers: { origin: "http://relay", host: "relay:8080" }, foreign: "http://relay" },
  { title: "another host", headers: { origin: "https://evil.example", host: "relay" }, foreign: "https://evil.example" },
  { title: "a longer host", headers: { origin: "https://relay.evil", host: "relay" }, foreign: "https://relay.evil" },
  { title: "a user name like the host", headers: { origin: "https://relay@evil", host: "relay" }, foreign: "https://relay@evil" },
  { title: "no Host", headers: { origin: "https://relay" }, foreign: "https://relay" },
  { title: "null", headers: { origin: "null", host: "null" }, foreign: "null" },
  { title: "a file", headers: { origin: "file://", host: "" }, foreign: "file://" },
  { title: "an extension", headers: { origin: "chrome-extension://relay", host: "relay" }, foreign: "chrome-extension://relay" },
  { title: "Origin decides where both are", headers: { origin: "null", "sec-fetch-site": "same-origin" }, foreign: "null" },
  { title: "and passes", headers: { origin: "http://relay", host: "relay", "sec-fetch-site": "cross-site" }, foreign: null },
  { title: "the public URL, whatever the host", headers: { origin: PUBLIC, host: "10.0.0.7:8080" }, publicUrl: PUBLIC, foreign: null },
  { title: "a path in the public URL", headers: { origin: PUBLIC, host: "inner" }, publicUrl: `${PUBLIC}/base`, foreign: null },
  { title: "its usual port", headers: { origin: PUBLIC, host: "inner" }, publicUrl: `${PUBLIC}:443`, foreign: null },
  {
    title: "its host over http",
    headers: { origin: "http://relay.example.com", host: "relay.example.com" },
    publicUrl: PUBLIC,
    foreign: "http://relay.example.com",
  },
  { title: "another host beside it", headers: { origin: "http://10.0.0.7", host: "10.0.0.7" }, publicUrl: PUBLIC, foreign: null },
  { title: "under TLS, https", headers: { origin: "https://relay:8443", host: "relay:8443" }, tls: true, foreign: null },
  { title: "under TLS, http", headers: { origin: "http://relay:8443", host: "relay:8443" }, tls: true, foreign: "http://relay:8443" },
];

for (const { title, headers, publicUrl, tls, foreign } of RULE) {
  test(`${title}: ${foreign === null ? "passes" : "is foreign"}`, () => {
    const req = { getHeader: (name: string) => headers[name] ?? "" };
    assert.equal(foreignOrigin(req.getHeader("origin"), req, ownOrigin(publicUrl ?? null, tls ?? false)), foreign);
  });
}

const ORDER = '{"amount":1}';
const JSON_TYPE = { "Content-Type": "application/json" };
const KEY = { "API-Key": "key" };
const LOGIN = { Authorization: ADMIN };
const WRONG_LOGIN = { Authorization: `Basic ${Buffer.from("admin:wrong").toString("base64")}` };
const EVIL = { Origin: "https://evil.example" };

/** Exactly these headers, which no HTTP client of a library would send. */
function post(port: number, path: string, headers: { [name: string]: string }, body: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => {
      text += chunk;
      const length = /content-length: (\d+)/i.exec(text)?.[1];
      const end = text.indexOf("\r\n\r\n");
      if (end < 0 || text.length < end + 4 + Number(length ?? 0)) return;
      socket.destroy();
      resolve({ status: Number(text.slice(9, 12)), text: text.slice(end + 4) });
    });
    socket.on("error", reject);
    socket.on("end", () => reject(new Error(`closed after ${text}`)));
    const all = { Host: `127.0.0.1:${port}`, ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  });
}

const sized = (body: string) => ({ "Content-Length": String(Buffer.byteLength(body)) });
const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

const ANSWERS: { title: string; path?: string; headers: { [name: string]: string }; body?: string; status: number }[] = [
  { title: "a login without a browser", headers: { ...LOGIN, ...JSON_TYPE, ...sized(ORDER) }, status: 200 },
  { title: "a login, and a page of another origin", headers: { ...LOGIN, ...JSON_TYPE, ...sized(ORDER), ...EVIL }, status: 403 },
  {
    title: "a login, and Sec-Fetch-Site only",
    headers: { ...LOGIN, ...JSON_TYPE, ...sized(ORDER), "Sec-Fetch-Site": "same-site" },
    status: 403,
  },
  { title: "a login, and the public URL", headers: { ...LOGIN, ...JSON_TYPE, ...sized(ORDER), Origin: PUBLIC }, status: 200 },
  { title: "a wrong login is wrong first", headers: { ...WRONG_LOGIN, ...JSON_TYPE, ...sized(ORDER), ...EVIL }, status: 401 },
  { title: "a key, and a page of another origin", headers: { ...KEY, ...JSON_TYPE, ...sized(ORDER), ...EVIL }, status: 200 },
  { title: "a key counts where both are sent", headers: { ...KEY, ...LOGIN, ...JSON_TYPE, ...sized(ORDER), ...EVIL }, status: 200 },
  { title: "no content type, without a browser", headers: { ...KEY, ...sized(ORDER) }, status: 200 },
  { title: "no content type, from a page", headers: { ...KEY, ...sized(ORDER), ...EVIL }, status: 415 },
  {
    title: "no content type, from a page by Sec-Fetch-Site",
    headers: { ...KEY, ...sized(ORDER), "Sec-Fetch-Site": "same-origin" },
    status: 415,
  },
  { title: "no content type, in chunks", headers: { ...KEY, "Transfer-Encoding": "chunked", ...EVIL }, body: chunked(ORDER), status: 415 },
  {
    title: "no content type, in chunks, without a browser",
    headers: { ...KEY, "Transfer-Encoding": "chunked" },
    body: chunked(ORDER),
    status: 200,
  },
  { title: "text/plain", headers: { ...KEY, "Content-Type": "text/plain", ...sized(ORDER) }, status: 415 },
  { title: "nothing, with Content-Length", path: "/orders", headers: { "Content-Length": "0", ...EVIL }, body: "", status: 200 },
  { title: "nothing, without Content-Length", path: "/orders", headers: EVIL, body: "", status: 200 },
  {
    title: "an endpoint for anyone, from a page, with its type",
    path: "/orders",
    headers: { ...JSON_TYPE, ...sized(ORDER), ...EVIL },
    status: 200,
  },
  { title: "an endpoint for anyone, from a page, without a type", path: "/orders", headers: { ...sized(ORDER), ...EVIL }, status: 415 },
];

for (const { title, path = "/api/v1/T1/order", headers, body = ORDER, status } of ANSWERS) {
  test(`${title}: ${status}`, async (t) => {
    const { port, release } = await startWorld(t, { publicUrl: PUBLIC });
    release("");
    const answer = await post(port, path, headers, body);
    assert.equal(answer.status, status, answer.text);
    if (status === 403) assert.match(answer.text, /Pages of other origins may not call this path with a login/);
  });
}
