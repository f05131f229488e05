/** A server over real sockets with a small surface that shows every feature of the server. */
import { Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { type Authenticator, createAuthenticator } from "../../../http/auth/authenticator.ts";
import { sha256Hex } from "../../../http/auth/digest.ts";
import { createRateLimitMemory, openRateLimit } from "../../../http/auth/rate-limiter.ts";
import { bind } from "../../../http/endpoint/endpoint.ts";
import { type ErrorEnvelope, USUAL_STATUS } from "../../../http/endpoint/error-envelope.ts";
import { surface } from "../../../http/endpoint/surface.ts";
import type { ServerOptions } from "../../../http/server/options.ts";
import { createServer } from "../../../http/server/server.ts";
import { loadUws } from "../../../http/server/uws.ts";
import { HTTP_LIBRARY } from "../../support/http/http-library.ts";

export const envelope = {
  schema: Type.Object({ status: Type.Literal("error"), error: Type.String(), message: Type.String() }, { title: "Error" }),
  status: USUAL_STATUS,
  body: (_code, message) => ({ status: "error", error: message, message }),
} satisfies ErrorEnvelope;

export interface ExampleOperations {
  /** Settles when the test says so. */
  wait(): Promise<string>;
}

const example = surface<ExampleOperations>()({ name: "example", tags: ["Example"], envelope });

const Order = Type.Object(
  {
    amount: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: "Minor units." }),
    kind: Type.Optional(Type.Union([Type.Literal("CARD"), Type.Literal("VOUCHER")])),
    lines: Type.Optional(Type.Array(Type.Object({ text: Type.String({ minLength: 1 }) }), { maxItems: 3 })),
    code: Type.Optional(Type.String({ pattern: "^[0-9]+$", errorMessage: "must be digits" })),
  },
  { title: "Order" },
);
const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 16 }) });
const Text = Type.Object({ text: Type.String() }, { title: "Text" });

export const exampleEndpoints = [
  example.endpoint({
    name: "order",
    method: "POST",
    path: "/api/v1/{id}/order",
    summary: "Places an order",
    description: "Echoes what was received.",
    auth: "basicOrApiKey",
    rateLimit: { bucket: "order", perSecond: 5, raisable: "pay" },
    bodyBytesMax: 1_000,
    params: Id,
    body: Order,
    bodyExample: { amount: 1050, kind: "CARD" },
    responses: {
      200: {
        description: "Taken.",
        body: Type.Object({ id: Type.String(), by: Type.String(), received: Order }, { title: "OrderTaken" }),
        headers: { Location: { description: "Where to ask." } },
        example: { id: "T1", by: "partner", received: { amount: 1050 } },
      },
      ...example.errors(400, 503),
    },
    handle: (_operations, { params, bodyText, caller }) => ({
      status: 200,
      text: `{"id":${JSON.stringify(params.id)},"by":"${caller.type}","received":${bodyText}}`,
      headers: { Location: `/api/v1/${encodeURIComponent(params.id)}` },
    }),
  }),
  example.endpoint({
    name: "orderAsync",
    method: "POST",
    path: "/orders",
    summary: "Places an order, later",
    auth: "none",
    body: Type.Optional(Order),
    responses: { 200: { description: "Taken.", body: Type.Object({ amount: Type.Integer() }) } },
    handle: async ({ wait }, { body }) => {
      await wait();
      return { status: 200, body: { amount: body?.amount ?? 0 } };
    },
  }),
  example.endpoint({
    name: "get",
    method: "GET",
    path: "/api/v1/{id}/get",
    summary: "Gets nothing",
    auth: "none",
    params: Id,
    responses: { 204: { description: "Nothing." } },
    handle: () => ({ status: 204 }),
  }),
  example.endpoint({
    name: "version",
    method: "GET",
    path: "/api/v1/app/get",
    summary: "A word where others have a parameter",
    auth: "none",
    responses: { 200: { description: "The version.", body: Text } },
    handle: () => ({ status: 200, body: { text: "app" } }),
  }),
  example.endpoint({
    name: "list",
    method: "GET",
    path: "/api/v1/{id}/list",
    summary: "Lists",
    auth: "none",
    params: Id,
    query: Type.Object({
      limit: Type.Integer({ minimum: 1, maximum: 500, default: 100 }),
      from: Type.Optional(Type.String({ maxLength: 10 })),
      all: Type.Optional(Type.Boolean()),
      status: Type.Optional(Type.Union([Type.Literal("OK"), Type.Literal("KO")])),
    }),
    headers: Type.Object({ "x-device": Type.Optional(Type.String({ maxLength: 8 })) }),
    responses: { 200: { description: "The list.", body: Type.Record(Type.String(), Type.Unknown()) } },
    handle: (_operations, { params, query, headers, request }) => ({
      status: 200,
      body: { ...params, ...query, ...headers, ip: request.ipAddress, requestId: request.id },
    }),
  }),
  example.endpoint({
    name: "old",
    method: "GET",
    path: "/uuid/{id}",
    summary: "The old address of get",
    auth: "none",
    deprecated: { successor: "/api/v1/{id}/get" },
    params: Id,
    responses: { 204: { description: "Nothing." } },
    handle: () => ({ status: 204 }),
  }),
  example.endpoint({
    name: "wait",
    method: "GET",
    path: "/wait",
    summary: "Waits",
    auth: "none",
    deadlineMs: 80,
    responses: { 200: { description: "It came.", body: Text } },
    handle: async ({ wait }) => ({ status: 200, body: { text: await wait() } }),
  }),
  example.endpoint({
    name: "break",
    method: "GET",
    path: "/break/{id}",
    summary: "Fails in several ways",
    auth: "admin",
    role: "operator",
    machine: "operation",
    params: Id,
    responses: { 200: { description: "Never.", body: Text } },
    handle: async (_operations, { params }) => {
      if (params.id === "unavailable") throw new RelayError("unavailable", "Not confirmed", { retryAfterSeconds: 3 });
      if (params.id === "undeclared") {
        const body = { text: "a", more: "b" };
        return { status: 200, body };
      }
      throw new Error("secret detail");
    },
  }),
];

export const ADMIN = `Basic ${Buffer.from("admin:secret").toString("base64")}`;

export function exampleAuthenticator(): Authenticator {
  return createAuthenticator(
    {
      generation: () => 1,
      machineByName: () => null,
      administratorByUsername: (username) =>
        username === "admin" ? { username, role: "owner", password: { type: "sha256", hex: sha256Hex("secret") } } : null,
      fleet: () => null,
      terminalSecret: () => null,
      isTerminalDenied: () => false,
      managedBy: () => null,
      partnerByUsername: () => null,
      partnerByKeySha256: (hash) =>
        hash === sha256Hex("key")
          ? {
              partnerId: 1,
              username: "till",
              passwordHash: "",
              enabled: true,
              allowedOrigins: [],
              terminals: { names: false, matches: () => true },
              rates: { pay: 7 },
            }
          : null,
      isOriginListed: () => false,
    },
    monotonicMs,
  );
}

const SWEEP_MS = 20;

export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1e6;
}

/** A server looks twice as often, so that less passes only on a machine that holds it up. */
const LOOKED_MS_MAX = 2 * SWEEP_MS;

/**
 * Time as a machine has it that is never held up: between two looks no more passes than this. Else after a stall all that waits would seem overdue, also
 * what had come meanwhile and was not read yet.
 */
function steadyMs(): () => number {
  let [lookedAtMs, passedMs] = [monotonicMs(), 0];
  return () => {
    const nowMs = monotonicMs();
    passedMs += Math.min(nowMs - lookedAtMs, LOOKED_MS_MAX);
    lookedAtMs = nowMs;
    return passedMs;
  };
}

/** For limits no time passes unless a test lets it: how long a few requests take is the machine's matter. */
const STANDING_MS = 5_000;

export interface World {
  port: number;
  url: string;
  server: ReturnType<typeof createServer>;
  /** Lets every waiting handler answer. */
  release(text: string): void;
  /** Resolves when a handler waits. */
  waiting: Promise<void>;
  failures: unknown[];
  answered: string[];
  aborted: Promise<string>;
}

/** Starts a server on a free port; it is closed when the test ends. */
export async function startWorld(t: { after(close: () => void): void }, options: Partial<ServerOptions> = {}): Promise<World> {
  const released = gate<string>();
  const waiting = gate<void>();
  const aborted = gate<string>();
  const failures: unknown[] = [];
  const answered: string[] = [];
  const wait = () => {
    waiting.resolve();
    return released.promise;
  };
  const server = createServer({
    uws: await loadUws(HTTP_LIBRARY),
    endpoints: bind(exampleEndpoints, { wait }),
    authenticator: exampleAuthenticator(),
    rateLimit: (bucket, perSecond) => openRateLimit(createRateLimitMemory(bucket, perSecond, 1, 1), () => STANDING_MS),
    clock: { nowMs: () => Date.now(), monotonicMs: steadyMs() },
    ids: { uuid: () => "00000000-0000-4000-8000-000000000000" },
    envelope,
    strictReplies: true,
    observe: {
      failed: (error) => failures.push(error),
      answered: (endpoint, status) => answered.push(`${endpoint} ${status}`),
      aborted: (endpoint) => aborted.resolve(endpoint),
    },
    ...options,
    limits: { sweepIntervalMs: SWEEP_MS, ...options.limits },
  });
  const port = await server.listen("127.0.0.1", 0, { exclusive: true });
  t.after(() => server.close());
  const protocol = options.tls === undefined ? "http" : "https";
  const url = `${protocol}://127.0.0.1:${port}`;
  return { port, url, server, release: released.resolve, waiting: waiting.promise, failures, answered, aborted: aborted.promise };
}

function gate<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
