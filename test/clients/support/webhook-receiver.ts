import { createServer } from "node:http";
import { listening } from "./listening.ts";

export interface Delivery {
  /** What the endpoint was registered with, after the receiver's address. */
  readonly name: string;
  /** The body as it was sent. */
  readonly payload: string;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly type: string;
  /** Of the object that the event is about. */
  readonly objectId: string;
}

/** A delivery that did not come until then never comes: the first attempt is made at once. */
const WAIT_MS = 20_000;
const DELIVERIES_MAX = 5_000;
const BODY_BYTES_MAX = 1_048_576;

/** A shop's server: its webhooks, each endpoint with a name of its own in its path, and the page that buyers come back to. */
export interface WebhookReceiver {
  /** Where buyers come back to, with a query of the shop's own. */
  readonly returnUrl: string;
  urlOf(name: string): string;
  readonly deliveries: readonly Delivery[];
  /** The next deliveries to `name` are answered with this status; 200 unless it is said. */
  answerWith(name: string, status: number): void;
  /** The first delivery that fits, or the one that comes next; with `number` the second, third, ... that fits. */
  find(name: string, type: string, objectId: string, number?: number, waitMs?: number): Promise<Delivery>;
  stop(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const deliveries: Delivery[] = [];
  const statuses = new Map<string, number>();
  const waiting = new Set<() => void>();

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of request) {
      chunks.push(Buffer.from(chunk));
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX || deliveries.length >= DELIVERIES_MAX) {
        request.destroy();
        return;
      }
    }
    if (request.method !== "POST") {
      response.writeHead(200, { "content-type": "text/html" }).end("<title>Shop</title><h1>Thank you</h1>");
      return;
    }
    const name = (request.url ?? "").slice("/hooks/".length);
    const payload = Buffer.concat(chunks).toString("utf8");
    deliveries.push({ name, payload, headers: request.headers, ...aboutOf(payload) });
    response.writeHead(statuses.get(name) ?? 200).end();
    for (const wake of waiting) wake();
  });
  const { url, stop } = await listening(server);

  return {
    returnUrl: `${url}/done?shop=1`,
    urlOf: (name) => `${url}/hooks/${name}`,
    deliveries,
    answerWith: (name, status) => statuses.set(name, status),
    find: (name, type, objectId, number = 1, waitMs = WAIT_MS) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(look);
          const came = deliveries.filter((delivery) => delivery.name === name).map((delivery) => delivery.type);
          reject(
            new Error(
              `no ${number > 1 ? `${number}th ` : ""}${type} of ${objectId} came to ${name} in ${waitMs} ms; there came: ${came.join(", ") || "nothing"}`,
            ),
          );
        }, waitMs);
        function look(): void {
          const fitting = deliveries.filter((each) => each.name === name && each.type === type && each.objectId === objectId);
          const found = fitting[number - 1];
          if (found === undefined) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve(found);
        }
        waiting.add(look);
        look();
      }),
    stop,
  };
}

function aboutOf(payload: string): { type: string; objectId: string } {
  try {
    const event: unknown = JSON.parse(payload);
    const { type, data } = Object(event);
    return { type: String(type), objectId: String(Object(Object(data).object).id) };
  } catch {
    return { type: "", objectId: "" };
  }
}
