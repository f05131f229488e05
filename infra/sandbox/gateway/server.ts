import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isIPv4 } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Value } from "@sinclair/typebox/value";
import { verifySignature } from "../../../http/auth/http-signature.ts";
import { isLoopbackHost } from "../../../http/auth/loopback-host.ts";
import { CHARGE_PATH, CHARGE_VERIFICATION_PATH, ChargeRequest } from "../../../http/gateway/card-on-file.ts";
import { MER_ID_LENGTH_MAX, PROTOCOL_RESULT } from "../../../http/gateway/forms.ts";
import { Charges } from "./charges.ts";
import { type Controlled, control } from "./control.ts";
import { missingPage, pageOf, readSubmission } from "./hosted-page.ts";
import { createNotifier } from "./notifier.ts";
import { answerTo, failed, type ProtocolAnswer } from "./operations.ts";
import { NO_FAULTS, OPERATIONS, type Operation, SANDBOX_SECRET, type SandboxGatewayOptions } from "./options.ts";
import { Payments } from "./payments.ts";

const BODY_BYTES_MAX = 16_384;
const CONNECTIONS_MAX = 4_096;
/** Maximum number of remembered requests, so that a repeated one is refused; more than arrive within the signature's window. */
const NONCES_MAX = 200_000;

export interface SandboxGateway {
  /** Base address, for `RELAY_GATEWAY_URL`. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the sandbox gateway. Rejects if it cannot listen, or for a host that other machines can reach. */
export async function startSandboxGateway(options: SandboxGatewayOptions = {}): Promise<SandboxGateway> {
  const { host = "127.0.0.1", port = 0, secret = SANDBOX_SECRET, stateFile = null, onEvent = () => undefined } = options;
  if (!(isIPv4(host) ? host.startsWith("127.") : host === "::1" || host === "localhost")) {
    throw new Error("the sandbox gateway listens on a loopback address only: its control endpoints are open, and cards are typed into it");
  }
  const nowMs = () => Date.now() + controlled.aheadMs;
  const merchants = new Map(Object.entries(options.merchants ?? {}));
  const secretOf = (merId: string) => merchants.get(merId) ?? secret;
  const controlled: Controlled = {
    payments: new Payments(stateFile, () => nowMs()),
    charges: new Charges(stateFile === null ? null : `${stateFile}-charges`, () => nowMs()),
    notifier: createNotifier({ faults: () => controlled.faults, secretOf, onEvent }),
    faults: { ...NO_FAULTS, ...options.faults },
    aheadMs: 0,
    merchants,
  };
  const { payments } = controlled;
  const nonces = new Set<string>();
  const files = {
    "/hosted-page.css": { type: "text/css; charset=utf-8", text: fileText("./hosted-page.css") },
    "/hosted-page.js": { type: "text/javascript; charset=utf-8", text: fileText("./hosted-page.client.js") },
  };
  let url = "";

  function operate(operation: Operation, request: IncomingMessage, target: URL, body: Buffer): ProtocolAnswer {
    const merId = target.searchParams.get("merId")?.slice(0, MER_ID_LENGTH_MAX) ?? null;
    const signed = {
      method: request.method ?? "",
      target: request.url ?? "",
      header: (name: string) => headerValue(request.headers[name]),
      body,
    };
    // Signatures use the machine's clock, even if a test has advanced the gateway's.
    const verdict = verifySignature(signed, secretOf, Date.now());
    if (verdict.type === "refused") return failed(401, PROTOCOL_RESULT.notAuthenticated, verdict.reason, merId, null);
    const nonce = `${verdict.keyId} ${verdict.nonce}`;
    if (nonces.has(nonce)) return failed(401, PROTOCOL_RESULT.notAuthenticated, "The request was already sent.", merId, null);
    nonces.add(nonce);
    for (const oldest of nonces) {
      if (nonces.size <= NONCES_MAX) break;
      nonces.delete(oldest);
    }
    return answerTo(payments, { operation, keyId: verdict.keyId, query: target.searchParams, body: body.toString("utf8"), pageUrl: url });
  }

  async function protocol(operation: Operation, request: IncomingMessage, response: ServerResponse, target: URL): Promise<void> {
    const body = await bodyOf(request);
    const { outage, outageOf, latencyMs } = controlled.faults;
    const out = outage !== "none" && outageOf.includes(operation) ? outage : "none";
    if (latencyMs > 0) await delay(latencyMs);
    if (out === "hang") return;
    if (out === "refuse" || body === null) {
      request.socket.destroy();
      return;
    }
    const answer =
      out === "error"
        ? failed(503, PROTOCOL_RESULT.unavailable, "Not available now", null, null)
        : operate(operation, request, target, body);
    const { resultCode, txId } = answer.body.txHead;
    onEvent({ type: "answered", operation, status: answer.status, resultCode, txId: txId ?? "" });
    if (out === "drop_answer") request.socket.destroy();
    else sendJson(response, answer.status, answer.body);
  }

  /** Outages are those of `init` for a charge, and those of `verify` for the question what became of it. */
  async function chargeCard(isVerify: boolean, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const { outage, outageOf, latencyMs } = controlled.faults;
    const out = outage !== "none" && outageOf.includes(isVerify ? "verify" : "init") ? outage : "none";
    if (latencyMs > 0) await delay(latencyMs);
    if (out === "hang") return;
    if (out === "refuse" || body === null) {
      request.socket.destroy();
      return;
    }
    const asked: unknown = parsed(body);
    // A page of another site can send this content type only after a preflight, which is not permitted.
    const isJson = headerValue(request.headers["content-type"]) === "application/json";
    if (out === "error" || !isJson || !Value.Check(ChargeRequest, asked)) {
      sendJson(response, out === "error" ? 503 : 400, { error: out === "error" ? "not available now" : "see README.md" });
      return;
    }
    const { answer, isLost } = isVerify ? { answer: controlled.charges.verify(asked), isLost: false } : controlled.charges.charge(asked);
    onEvent({ type: "charged", id: asked.id, answer: isVerify ? `verified ${answer.type}` : answer.type });
    if (isLost || out === "drop_answer") request.socket.destroy();
    else sendJson(response, 200, answer);
  }

  async function page(paymentId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const payment = payments.byId(paymentId);
    if (payment === null) {
      sendPage(response, 404, missingPage(), null);
      return;
    }
    const { returnURL } = payment.order;
    if (request.method !== "POST" || payment.outcome !== null) {
      sendPage(response, 200, pageOf(payment, null), returnURL);
      return;
    }
    const body = await bodyOf(request);
    if (body === null) return;
    const submission = readSubmission(payment, new URLSearchParams(body.toString("utf8")), nowMs());
    if (submission.type === "mistaken") {
      sendPage(response, 422, pageOf(payment, submission), returnURL);
      return;
    }
    if (payments.end(payment, submission.outcome, submission.type === "paid" ? submission.paid : null)) {
      const { txId } = payment.order;
      onEvent({ type: "ended", paymentId, txId, resultCode: submission.outcome.resultCode });
      controlled.notifier.notify(payment);
    }
    // The page of the outcome has its own address, so that reloading it sends nothing again.
    response.writeHead(303, { ...pageHeaders(returnURL), location: returnURL ?? `/pay/${paymentId}` }).end();
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A page could give its own name this machine's address, and then call the control endpoints as its own server's.
    if (!isLoopbackHost(request.headers.host ?? "")) {
      sendJson(response, 403, { error: "the sandbox gateway answers to localhost, 127.0.0.1 and [::1] only" });
      return;
    }
    const target = new URL(request.url ?? "/", url);
    const { pathname } = target;
    const operation = operationOf(request.method ?? "", pathname);
    if (operation !== null) return protocol(operation, request, response, target);
    const [, paymentId] = /^\/pay\/([0-9a-f-]{36})$/.exec(pathname) ?? [];
    if (paymentId !== undefined) return page(paymentId, request, response);
    if (request.method === "POST" && (pathname === CHARGE_PATH || pathname === CHARGE_VERIFICATION_PATH)) {
      return chargeCard(pathname === CHARGE_VERIFICATION_PATH, request, response);
    }
    if (pathname === "/hosted-page.css" || pathname === "/hosted-page.js") {
      const { type, text } = files[pathname];
      response.writeHead(200, { "content-type": type, "cache-control": "no-cache", "x-content-type-options": "nosniff" }).end(text);
      return;
    }
    if (pathname === "/control" || pathname.startsWith("/control/")) {
      // A page of another site can send this content type only after a preflight, which is not permitted.
      const allowed = request.method === "GET" || headerValue(request.headers["content-type"]) === "application/json";
      const body = await bodyOf(request);
      const answer = allowed && body !== null ? control(controlled, request.method ?? "", pathname, body.toString("utf8")) : null;
      sendJson(response, answer?.status ?? 415, answer?.body ?? { error: "the content type has to be application/json" });
      return;
    }
    const notThere = failed(404, PROTOCOL_RESULT.notExposed, "There is nothing at this path", null, null);
    sendJson(response, notThere.status, notThere.body);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.requestTimeout = 10_000;
  url = await listen(server, host, port);
  onEvent({ type: "listening", url, pid: process.pid });
  return {
    url,
    stop: async () => {
      controlled.notifier.stop();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function operationOf(method: string, path: string): Operation | null {
  const name = /^\/pgw\/payment\/([a-z]+)$/.exec(path)?.[1];
  const operation = OPERATIONS.find((candidate) => candidate === (name === "verification" ? "verify" : name));
  if (operation === undefined) return null;
  return method === (operation === "verify" ? "GET" : "POST") ? operation : null;
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the gateway has no port");
  return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
}

/** Null when it is too long, or never came in full. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) return null;
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return null;
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" }).end(JSON.stringify(body));
}

function sendPage(response: ServerResponse, status: number, html: string, returnUrl: string | null): void {
  response.writeHead(status, { ...pageHeaders(returnUrl), "content-type": "text/html; charset=utf-8" }).end(html);
}

/**
 * The page loads nothing from other origins, cannot be framed, and its form leads to itself or back to the shop. Browsers hold every redirect that
 * follows a form to `form-action`, and the return address may send the buyer on to a shop, or to an app of its own scheme, that is not known here.
 */
function pageHeaders(returnUrl: string | null): { [name: string]: string } {
  const formAction = returnUrl === null ? " form-action 'self';" : "";
  return {
    "content-security-policy": `default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none';${formAction} frame-ancestors 'none'`,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}

function headerValue(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(", ") : header;
}

function fileText(name: string): string {
  return readFileSync(new URL(name, import.meta.url), "utf8");
}
