import { createServer, type IncomingMessage, type ServerResponse, request as send } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { listening } from "./listening.ts";

/** One call of `/v1` and its answer, as they went over the wire. */
export interface Exchange {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  readonly requestBody: string;
  readonly status: number;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly body: string;
}

/** Everything that a suite says fits; more is an endless loop of it. */
const EXCHANGES_MAX = 20_000;
const BODY_BYTES_MAX = 4 * 1_048_576;

export interface RecordingProxy {
  /** What clients take as the base address. */
  readonly url: string;
  readonly exchanges: readonly Exchange[];
  stop(): Promise<void>;
}

/** Stands before a relay and remembers what is said under `/v1`; everything else passes unread. */
export async function startRecordingProxy(targetUrl: string): Promise<RecordingProxy> {
  const target = new URL(targetUrl);
  const exchanges: Exchange[] = [];

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestBody = await bodyOf(request);
    // A chunked body is passed on as it came, so that the relay sees what the client sent.
    const chunked = request.headers["transfer-encoding"] !== undefined;
    const onward = send({
      host: target.hostname,
      port: target.port,
      method: request.method,
      path: request.url,
      headers: request.headers,
      agent: false,
    });
    if (!chunked && requestBody.length > 0) onward.setHeader("content-length", requestBody.length);
    onward.end(requestBody);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => onward.once("response", resolve).once("error", reject));
    const body = await bodyOf(answer);
    const { pathname, search } = new URL(request.url ?? "/", targetUrl);
    if (pathname.startsWith("/v1/")) {
      if (exchanges.length >= EXCHANGES_MAX) throw new Error(`more than ${EXCHANGES_MAX} calls`);
      exchanges.push({
        method: request.method ?? "",
        path: pathname,
        query: search,
        requestBody: requestBody.toString("utf8"),
        status: answer.statusCode ?? 0,
        headers: answer.headers,
        body: unpacked(body, answer.headers["content-encoding"]).toString("utf8"),
      });
    }
    const headers = Object.entries(answer.headers).filter(
      ([name]) => !["transfer-encoding", "connection", "content-length"].includes(name),
    );
    response.writeHead(answer.statusCode ?? 502, Object.fromEntries(headers)).end(body);
  }

  const server = createServer((request, response) => {
    pass(request, response).catch(() => request.socket.destroy());
  });
  const running = await listening(server);
  return { ...running, exchanges };
}

/** A long answer to a client that takes it so is compressed; what it says is the same. */
function unpacked(body: Buffer, encoding: string | undefined): Buffer {
  if (encoding === "gzip") return gunzipSync(body, { maxOutputLength: BODY_BYTES_MAX });
  return encoding === "br" ? brotliDecompressSync(body, { maxOutputLength: BODY_BYTES_MAX }) : body;
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) throw new Error(`more than ${BODY_BYTES_MAX} bytes`);
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}
