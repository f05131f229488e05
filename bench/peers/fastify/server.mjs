/**
 * What a user would build instead of the relay, by the guides of its parts: Fastify, ws and ioredis in one process, and a Redis that syncs its log before it
 * answers (`appendfsync always`). It does a payment's whole life, and each step is durable before its answer. PEER_RATE is where addresses are counted:
 * `memory`, or `redis` (the plugin's own store). With PEER_CLICKHOUSE_URL each result also goes to a Redis Stream, from which a consumer group inserts it into
 * the tables of ClickHouse that the relay has.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import rateLimit from "@fastify/rate-limit";
import Fastify from "fastify";
import { Redis } from "ioredis";
import { WebSocketServer } from "ws";

const { PEER_RATE = "memory", PEER_PORT = "0", PEER_REDIS_PORT, PEER_CLICKHOUSE_URL, PEER_TERMINAL_SECRET, PEER_API_KEY } = process.env;
const RESULTS = "results";
const GROUP = "clickhouse";
const BATCH_MAX = 10_000;
const BATCH_INTERVAL_MS = 1_000;
const KEPT_SECONDS = 86_400;
const WAITS_SECONDS = 60;
const VERIFIED_MAX = 200_000;
const API_KEYS = new Map([[PEER_API_KEY, { id: 1, name: "bench" }]]);

/** One script a step, so that each step is one entry of Redis' log: whole or not at all, and synced once. */
const scripts = {
  // KEYS: uuid, queue. ARGV: state, command, expiry. 1 accepted, 0 the uuid was there.
  acceptPay: {
    numberOfKeys: 2,
    lua: `
      if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'EX', ${KEPT_SECONDS}) then return 0 end
      if ARGV[1] == 'queued' then
        redis.call('RPUSH', KEYS[2], ARGV[3] .. ' ' .. ARGV[2])
        redis.call('EXPIRE', KEYS[2], ${WAITS_SECONDS})
      end
      return 1`,
  },
  // KEYS: queue. ARGV: now. The oldest command that has not expired, marked as sent; false for none.
  takeNext: {
    numberOfKeys: 1,
    lua: `
      while true do
        local item = redis.call('LPOP', KEYS[1])
        if not item then return false end
        local at = string.find(item, ' ', 1, true)
        if tonumber(string.sub(item, 1, at - 1)) > tonumber(ARGV[1]) then
          local body = string.sub(item, at + 1)
          redis.call('SET', 'u:' .. cjson.decode(body).uuid, 'sent', 'EX', ${KEPT_SECONDS})
          return body
        end
      end`,
  },
  // KEYS: result, uuid. ARGV: the result, its terminal, now. The first one stands: 1 it is this one, 0 it is another.
  storeResult: {
    numberOfKeys: 2,
    lua: `
      if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'EX', ${KEPT_SECONDS}) then
        redis.call('SET', KEYS[2], 'done', 'EX', ${KEPT_SECONDS})${
          PEER_CLICKHOUSE_URL === undefined
            ? ""
            : `redis.call('XADD', '${RESULTS}', '*', 'body', ARGV[1], 'terminal', ARGV[2], 'at', ARGV[3])`
        }
        return 1
      end
      return redis.call('GET', KEYS[1]) == ARGV[1] and 1 or 0`,
  },
};

const redis = new Redis({ host: "127.0.0.1", port: Number(PEER_REDIS_PORT), enableAutoPipelining: true, scripts });
// It is tried again by itself; what waits for it fails by its own limit.
redis.on("error", () => {});

const app = Fastify({ logger: false, trustProxy: "127.0.0.0/8" });
await app.register(rateLimit, { global: false, cache: 100_000, ...(PEER_RATE === "redis" ? { redis } : {}) });
const limited = (max) => ({ config: { rateLimit: { max, timeWindow: 1_000 } } });

/** Verified logins, so that a terminal that polls every second is not hashed every time. */
const verified = new Map();

function terminalOf(header) {
  if (header === undefined || !header.startsWith("Basic ")) return null;
  const known = verified.get(header);
  if (known !== undefined) return known;
  const text = Buffer.from(header.slice(6), "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon === -1) return null;
  const login = text.slice(0, colon);
  if (!passes(login, text.slice(colon + 1))) return null;
  if (verified.size >= VERIFIED_MAX) verified.clear();
  verified.set(header, login);
  return login;
}

function passes(login, password) {
  const sha = (text) => createHash("sha256").update(text).digest();
  const right = createHmac("sha256", PEER_TERMINAL_SECRET).update(login, "utf8").digest("base64url");
  return timingSafeEqual(sha(right), sha(password));
}

const unauthorized = (reply) => reply.code(401).send({ status: "error", error: "Unauthorized" });

async function withApiKey(request, reply) {
  const partner = API_KEYS.get(request.headers["api-key"]);
  if (partner === undefined) return unauthorized(reply);
  request.partner = partner;
}

async function asTerminal(request, reply) {
  const login = terminalOf(request.headers.authorization);
  if (login === null || login !== request.params.terminalId) return unauthorized(reply);
}

/** When a terminal was last heard of, in this process. */
const lastSeen = new Map();
const sessions = new Map();

const text = { type: "string" };
const payBody = {
  type: "object",
  required: ["uuid", "amount", "service"],
  properties: {
    uuid: { type: "string", minLength: 1, maxLength: 64 },
    amount: { type: "integer", minimum: 0 },
    service: { type: "string", enum: ["PAYCC", "PAYTAG", "VERIFYTAG", "PAYBP", "PAYSAT"] },
    type: { type: "string", enum: ["CARD", "SATISPAY", "VOUCHER", "RECEIPT"] },
    cardType: { type: "integer", minimum: 0, maximum: 2 },
    description: { type: "string", maxLength: 500 },
    terminalId: text,
    tagDF8105: text,
    tagDF8102: text,
    tagDF8103: text,
    tagDF8109: text,
  },
};
const received = { type: "object", properties: payBody.properties, additionalProperties: true };
const payAnswer = {
  type: "object",
  properties: { status: text, data: { type: "object", properties: { terminalID: text, received } }, message: text },
};
const resultBody = { type: "object", required: ["uuid", "result"], properties: { uuid: text, result: text } };

const pay = { onRequest: withApiKey, schema: { body: payBody, response: { 200: payAnswer } }, ...limited(10) };
app.post("/api/v1/:terminalId/pay", pay, async (request, reply) => {
  const { body, params } = request;
  const { terminalId } = params;
  const expiresAtMs = Date.now() + WAITS_SECONDS * 1_000;
  const command = JSON.stringify({ ...body, terminalId, expiresAt: new Date(expiresAtMs).toISOString() });
  const session = sessions.get(terminalId);
  const state = session === undefined ? "queued" : "sent";
  if ((await redis.acceptPay(`u:${body.uuid}`, `q:${terminalId}`, state, command, expiresAtMs)) === 0) {
    return reply.code(400).send({ status: "error", error: "Duplicate payment request - UUID already processed" });
  }
  session?.push(command);
  const message = session === undefined ? "Payment request waits for the terminal" : "Payment request sent to the terminal";
  return { status: "ok", data: { terminalID: terminalId, received: body }, message };
});

app.get("/api/v1/:terminalId/get", { onRequest: asTerminal, ...limited(100) }, async (request, reply) => {
  const { terminalId } = request.params;
  lastSeen.set(terminalId, Date.now());
  const next = await redis.takeNext(`q:${terminalId}`, Date.now());
  if (next === null) return reply.code(204).send();
  return reply.type("application/json").send(next);
});

app.post("/api/v1/:terminalId/receipt", { onRequest: asTerminal, schema: { body: resultBody } }, async (request, reply) => {
  if (!(await storeResult(request.params.terminalId, request.body)))
    return reply.code(409).send({ status: "error", error: "Another result is there" });
  return { status: "ok", data: "Result recorded" };
});

app.get("/api/v1/:uuid/uuid", { onRequest: withApiKey }, async (request) => {
  const result = await redis.get(`r:${request.params.uuid}`);
  return { status: "ok", data: result === null ? null : JSON.parse(result), error: null };
});

async function storeResult(terminalId, result) {
  return (await redis.storeResult(`r:${result.uuid}`, `u:${result.uuid}`, JSON.stringify(result), terminalId, Date.now())) === 1;
}

/** Inserts the results of the stream, once a second. A batch that was not acknowledged is read and inserted again. */
async function insertResults() {
  // Batches have a connection of their own, so that no payment waits behind one.
  const reader = redis.duplicate({ enableAutoPipelining: false });
  reader.on("error", () => {});
  await reader.xgroup("CREATE", RESULTS, GROUP, "0", "MKSTREAM").catch(() => {});
  let from = "0";
  for (;;) {
    const beganAtMs = Date.now();
    try {
      const read = await reader.xreadgroup("GROUP", GROUP, "peer", "COUNT", BATCH_MAX, "STREAMS", RESULTS, from);
      const entries = read?.[0]?.[1] ?? [];
      if (entries.length > 0) {
        const results = entries.map(([, [, body, , terminalId, , at]]) => ({ ...JSON.parse(body), terminalId, atMs: Number(at) }));
        await insert("transactions", results.map(transactionRow));
        await insert("command_lives", results.map(lifeRow));
        const ids = entries.map(([id]) => id);
        await reader
          .multi()
          .xack(RESULTS, GROUP, ...ids)
          .xdel(RESULTS, ...ids)
          .exec();
      }
      from = ">";
      if (entries.length === BATCH_MAX) continue;
    } catch {
      from = "0";
    }
    await delay(Math.max(0, BATCH_INTERVAL_MS - (Date.now() - beganAtMs)));
  }
}

const dayOf = (atMs) => new Date(atMs).toISOString().slice(0, 10);
const timeOf = (atMs) => (atMs / 1_000).toFixed(3);

function transactionRow({ terminalId, atMs, uuid, result, amount, authCode, stan, brand, maskedPan }) {
  return JSON.stringify({
    ...{ terminal_id: terminalId, day: dayOf(atMs), uuid, version: atMs, created_at: timeOf(atMs), method: "CARD", currency: "EUR" },
    ...{
      status: result === "OK" ? "OK" : "KO",
      amount_cents: amount,
      command_kind: "pay",
      service: "PAYCC",
      is_payment: true,
      sender: "bench",
    },
    ...{ auth_code: authCode ?? "", stan: stan ?? "", brand: brand ?? "", masked_pan: maskedPan ?? "" },
    item: JSON.stringify({ uuid, terminalId, createdAtMs: atMs, status: result, amountCents: amount, authCode, stan, brand, maskedPan }),
  });
}

/** When the command was accepted is not kept, so the time of the result stands for it. */
function lifeRow({ terminalId, atMs, uuid, amount }) {
  const at = timeOf(atMs);
  return JSON.stringify({
    ...{ terminal_id: terminalId, day: dayOf(atMs), uuid, version: atMs, accepted_at: at, sent_at: at, finished_at: at },
    ...{ state: "finished", kind: "pay", service: "PAYCC", amount_cents: amount, sender: "bench", channel: "", attempt: 1 },
  });
}

/** Resolves when ClickHouse has synced the rows. */
async function insert(table, lines) {
  const { origin, username, password } = new URL(PEER_CLICKHOUSE_URL);
  const query = encodeURIComponent(`INSERT INTO relay.${table} FORMAT JSONEachRow`);
  const settings = "async_insert=0&wait_end_of_query=1";
  const headers = { "X-ClickHouse-User": username, "X-ClickHouse-Key": password };
  const answer = await fetch(`${origin}/?query=${query}&${settings}`, { method: "POST", headers, body: lines.join("\n") });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
}

const webSockets = new WebSocketServer({
  noServer: true,
  perMessageDeflate: false,
  maxPayload: 65_536,
  handleProtocols: (offered) => (offered.has("v12.stomp") ? "v12.stomp" : false),
});
app.server.on("upgrade", (request, socket, head) => {
  if (request.url !== "/ws") return socket.destroy();
  webSockets.handleUpgrade(request, socket, head, (webSocket) => new Session(webSocket));
});

/** The heartbeat of the README of ws. */
setInterval(() => {
  for (const webSocket of webSockets.clients) {
    if (!webSocket.isAlive) {
      webSocket.terminate();
      continue;
    }
    webSocket.isAlive = false;
    webSocket.ping();
  }
}, 30_000).unref();

let messageId = 0;

/** A terminal's STOMP session. */
class Session {
  constructor(webSocket) {
    this.webSocket = webSocket;
    this.login = null;
    this.subscription = null;
    webSocket.isAlive = true;
    webSocket.on("pong", () => {
      webSocket.isAlive = true;
    });
    webSocket.on("message", (data) => this.frame(data.toString("utf8")));
    webSocket.on("close", () => {
      if (sessions.get(this.login) === this) sessions.delete(this.login);
    });
    webSocket.on("error", () => {});
  }

  frame(frame) {
    this.webSocket.isAlive = true;
    const headEnd = frame.indexOf("\n\n");
    if (headEnd === -1) return;
    const [command, ...lines] = frame.slice(0, headEnd).split("\n");
    const headers = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)]));
    if (command === "CONNECT" || command === "STOMP") {
      if (!passes(headers.login ?? "", headers.passcode ?? "")) return this.refuse("Unauthorized");
      this.login = headers.login;
      this.webSocket.send("CONNECTED\nversion:1.2\nheart-beat:0,0\n\n\0");
    } else if (command === "SUBSCRIBE") {
      if (this.login === null || headers.destination !== `/topic/terminal/${this.login}`) return this.refuse("Forbidden");
      this.subscription = headers.id;
      sessions.set(this.login, this);
      lastSeen.set(this.login, Date.now());
      this.receipt(headers);
    } else if (command === "SEND") {
      if (this.login === null || headers.destination !== `/app/terminal/${this.login}/receipt`) return this.refuse("Forbidden");
      this.recordResult(headers, frame.slice(headEnd + 2, frame.indexOf("\0", headEnd)));
    }
  }

  async recordResult(headers, body) {
    try {
      if (await storeResult(this.login, JSON.parse(body))) this.receipt(headers);
      else this.refuse("Another result is there");
    } catch {
      this.refuse("The result could not be recorded");
    }
  }

  receipt({ receipt }) {
    if (receipt !== undefined) this.webSocket.send(`RECEIPT\nreceipt-id:${receipt}\n\n\0`);
  }

  refuse(reason) {
    this.webSocket.send(`ERROR\nmessage:${reason}\n\n\0`);
    this.webSocket.close();
  }

  push(command) {
    messageId += 1;
    this.webSocket.send(
      `MESSAGE\nsubscription:${this.subscription}\nmessage-id:${messageId}\ndestination:/topic/terminal/${this.login}\ncontent-type:application/json\n\n${command}\0`,
    );
  }
}

if (PEER_CLICKHOUSE_URL !== undefined) void insertResults();
await app.listen({ host: "127.0.0.1", port: Number(PEER_PORT) });
console.log(`listening on ${app.server.address().port}`);
process.on("SIGTERM", () => process.exit(0));
