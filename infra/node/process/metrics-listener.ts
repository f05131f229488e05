import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface MetricsListener {
  readonly url: string;
  close(): Promise<void>;
}

export interface MetricsListenerOptions {
  host: string;
  port: number;
  /** Whether the `Authorization` header (empty if there is none) permits reading. */
  mayRead(authorization: string): boolean;
  /** All threads' metrics in Prometheus' text format. */
  collect(): Promise<string>;
  failed(error: unknown): void;
}

/** Prometheus keeps one connection; a few people look too. */
const CONNECTIONS_MAX = 64;
const REQUEST_TIMEOUT_MS = 5_000;
/** Longer than the usual interval of a scrape. */
const KEEP_ALIVE_MS = 75_000;

/** `GET /metrics` on a listener of its own, which the clients of the relay cannot reach. Rejects if the port cannot be used. */
export async function listenForMetrics({ host, port, mayRead, collect, failed }: MetricsListenerOptions): Promise<MetricsListener> {
  /** Whoever asks meanwhile gets the same: a collection asks every thread. */
  let underWay: Promise<string> | null = null;

  function collected(): Promise<string> {
    underWay ??= collect().finally(() => {
      underWay = null;
    });
    return underWay;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    const [path] = (request.url ?? "").split("?");
    if (path !== "/metrics") return end(response, 404, "This listener serves only /metrics.\n");
    if (request.method !== "GET" && request.method !== "HEAD") return end(response.setHeader("Allow", "GET, HEAD"), 405, "Only GET.\n");
    if (!mayRead(request.headers.authorization ?? "")) {
      return end(response.setHeader("WWW-Authenticate", 'Bearer realm="metrics"'), 401, "Send RELAY_METRICS_TOKEN as bearer.\n");
    }
    try {
      const text = await collected();
      response.setHeader("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
      return end(response, 200, text);
    } catch (error) {
      failed(error);
      return end(response, 503, "The metrics could not be collected.\n");
    }
  }

  const server = createServer((request, response) => void answer(request, response));
  server.maxConnections = CONNECTIONS_MAX;
  server.headersTimeout = REQUEST_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen({ host, port, exclusive: true });
  await once(server, "listening");
  server.on("error", failed);
  const address = server.address();
  const taken = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${taken}/metrics`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function end(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.end(text);
}
