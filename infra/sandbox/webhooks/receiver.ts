import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { SIGNATURE_HEADERS, type Signed, type Verdict, verify } from "./signatures.ts";

/** Events are a few kilobytes; what is much longer is none. */
const BODY_BYTES_MAX = 1_048_576;

/** Events whose attempts are counted; beyond it the oldest is forgotten. */
const EVENTS_MAX = 10_000;

const CONNECTIONS_MAX = 256;

/** A delivery as it is told: nothing of its object but the id, so that neither client secrets nor personal data get into a terminal's scrollback. */
export interface Delivery {
  readonly atMs: number;
  /** Null where the body is no event. */
  readonly event: { readonly id: string; readonly type: string; readonly objectId: string; readonly createdMs: number } | null;
  /** How often this event has arrived here, this time included. */
  readonly times: number;
  readonly verdicts: readonly (readonly [header: string, verdict: Verdict])[];
  readonly status: number;
}

export interface ReceiverOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** Secrets of the endpoints, or of a partner; none: signatures are not checked. */
  secrets: readonly string[];
  /** With which every delivery is answered; read at each. */
  readonly status: number;
  nowMs(): number;
  onDelivery(delivery: Delivery): void;
}

/** Receives webhooks and tells what arrived and whether its signatures hold. */
export async function startReceiver(options: ReceiverOptions): Promise<{ url: string; stop(): Promise<void> }> {
  const { host, port, secrets, nowMs, onDelivery } = options;
  const timesByEvent = new Map<string, number>();

  function countOf(eventId: string): number {
    const times = (timesByEvent.get(eventId) ?? 0) + 1;
    timesByEvent.delete(eventId);
    timesByEvent.set(eventId, times);
    const [oldest] = timesByEvent.keys();
    if (timesByEvent.size > EVENTS_MAX && oldest !== undefined) timesByEvent.delete(oldest);
    return times;
  }

  function received(signed: Signed, status: number): void {
    const atMs = nowMs();
    const event = eventOf(signed.body);
    const verdicts = SIGNATURE_HEADERS.map((header) => [header, verify(header, signed, secrets, atMs)] as const);
    onDelivery({ atMs, event, times: event === null ? 1 : countOf(event.id), verdicts, status });
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") {
      response.writeHead(405, { allow: "POST" }).end();
      return;
    }
    const body = await bodyOf(request);
    if (body === null) {
      response.writeHead(413).end();
      return;
    }
    const { status } = options;
    received({ headers: request.headers, body }, status);
    response.writeHead(status, { "content-type": "text/plain" }).end(`answered ${status}, as the receiver was told to\n`);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.destroy());
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.requestTimeout = 10_000;
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the receiver has no port");
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Null when it is too long; it is read to its end all the same, for as long as a request may take, so that the sender gets its answer. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) return null;
    bytes += chunk.length;
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
  }
  return bytes <= BODY_BYTES_MAX ? Buffer.concat(chunks) : null;
}

function eventOf(body: Buffer): Delivery["event"] {
  let event: unknown;
  try {
    event = JSON.parse(body.toString("utf8"));
  } catch {
    return null;
  }
  const id = wordIn(event, "id");
  const type = wordIn(event, "type");
  if (id === null || type === null) return null;
  // The portal's format has both in its envelope, the platform's has the object's id in the object.
  const objectId = wordIn(event, "objectId") ?? wordIn(memberOf(memberOf(event, "data"), "object"), "id") ?? "no object";
  return { id, type, objectId, createdMs: createdMsOf(event) };
}

function createdMsOf(event: unknown): number {
  const [created, createdAt] = [memberOf(event, "created"), memberOf(event, "createdAt")];
  if (typeof createdAt === "string") return Date.parse(createdAt);
  return typeof created === "number" ? created * 1_000 : Number.NaN;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}

/** Ids and names of events, as they are printed; anything else could hold what must not be shown, or move the cursor. */
function wordIn(value: unknown, name: string): string | null {
  const word = memberOf(value, name);
  return typeof word === "string" && /^[A-Za-z0-9_.-]{1,128}$/.test(word) && !word.includes("_secret_") ? word : null;
}

/** One line for a person. */
export function lineOf({ atMs, event, times, verdicts, status }: Delivery): string {
  const told = verdicts.map(([header, verdict]) => `${header} ${wordsOf(verdict)}`).join(", ");
  const about =
    event === null
      ? "no event"
      : `${event.type} ${event.id} ${event.objectId}, ${ageOf(atMs - event.createdMs)} old, attempt ${times} here`;
  return `${new Date(atMs).toISOString()}  ${about}  [${told}]  answered ${status}`;
}

function ageOf(ms: number): string {
  return Number.isNaN(ms) ? "?" : `${Math.round(ms / 1_000)} s`;
}

function wordsOf(verdict: Verdict): string {
  return verdict.type === "holds" ? `holds (secret ${verdict.secret + 1})` : verdict.type;
}
