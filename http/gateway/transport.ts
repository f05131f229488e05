import { randomBytes } from "node:crypto";
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { signRequest } from "../auth/http-signature.ts";
import { createNameResolver, lookupWith, resolveConfigured } from "./resolve-name.ts";

/** Answers of the protocol are under a kilobyte. */
const ANSWER_BYTES_MAX = 65_536;

/** Many servers close a quiet connection after five seconds; a request that crosses with that is lost, and must not be repeated. */
const IDLE_SOCKET_MS = 4_000;

export interface SignedCall {
  method: "GET" | "POST";
  /** Below the gateway's base address: path and query. */
  path: string;
  body: string;
  keyId: string;
  secret: string;
}

export interface WireAnswer {
  status: number;
  text: string;
}

/** The gateway could not be asked, or did not answer properly. The message holds nothing of the request. */
export class CallFailed extends Error {
  /** True where no byte of the request can have reached the gateway. */
  readonly neverSent: boolean;
  /** Of an answer that was none. */
  readonly status: number | undefined;

  constructor(message: string, neverSent: boolean, status?: number) {
    super(message);
    this.name = "CallFailed";
    this.neverSent = neverSent;
    this.status = status;
  }
}

export interface Transport {
  /** One attempt. Rejects with CallFailed. */
  call(call: SignedCall, deadlineMs: number): Promise<WireAnswer>;
  close(): void;
}

/** Signed calls to one gateway over kept connections, at most `socketsMax` of them. */
export function createTransport(options: { url: string; socketsMax: number; nowMs(): number }): Transport {
  const base = new URL(options.url);
  const secure = base.protocol === "https:";
  const agentOptions = { keepAlive: true, maxSockets: options.socketsMax, maxFreeSockets: options.socketsMax, timeout: IDLE_SOCKET_MS };
  const agent = secure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  const lookup = lookupWith(resolveConfigured(createNameResolver()), (addresses) => addresses);
  const prefix = base.pathname.replace(/\/+$/, "");

  return {
    call: ({ method, path, body, keyId, secret }, deadlineMs) => {
      const target = prefix + path;
      const bytes = Buffer.from(body, "utf8");
      const salt = randomBytes(16).toString("base64url");
      const signed = signRequest({
        ...{ method, target, host: base.host, body: bytes, keyId, secret, algorithm: "hmac-sha256", atMs: options.nowMs(), salt },
      });
      const headers = { host: base.host, accept: "application/json", ...signed };
      const bodyHeaders = method === "POST" ? { "content-type": "application/json", "content-length": String(bytes.length) } : {};
      const request = (secure ? httpsRequest : httpRequest)({
        protocol: base.protocol,
        hostname: base.hostname.replace(/^\[|\]$/g, ""),
        port: base.port,
        path: target,
        method,
        agent,
        lookup,
        headers: { ...headers, ...bodyHeaders },
      });
      return answerTo(request, bytes, secure, deadlineMs);
    },
    close: () => agent.destroy(),
  };
}

function answerTo(request: ClientRequest, body: Buffer, secure: boolean, deadlineMs: number): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    // Until the connection stands, TLS included, nothing of the request leaves this machine.
    let connected = false;
    request.on("socket", (socket) => {
      if (request.reusedSocket) connected = true;
      else socket.once(secure ? "secureConnect" : "connect", () => (connected = true));
    });
    const fail = (reason: string): void => {
      clearTimeout(timer);
      request.destroy();
      reject(new CallFailed(reason, !connected));
    };
    const timer = setTimeout(() => fail(`no answer within ${deadlineMs} ms`), deadlineMs);
    request.on("error", (error) => fail(codeOf(error)));
    request.on("response", (response) => {
      collect(response).then(
        (text) => {
          clearTimeout(timer);
          resolve({ status: response.statusCode ?? 0, text });
        },
        (error: unknown) => fail(codeOf(error)),
      );
    });
    request.end(body);
  });
}

async function collect(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) throw new Error("the answer is not binary data");
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`the answer is longer than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Why a connection failed, without the addresses that some messages hold. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "failed";
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
