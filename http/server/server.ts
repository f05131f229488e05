import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { RelayError } from "../../engine/kernel/errors.ts";
import { isLoopbackHost } from "../auth/loopback-host.ts";
import type { Method } from "../endpoint/endpoint.ts";
import { type Answer, answerAsLast, firstLines, writeAnswer } from "./answer.ts";
import { Apps, type TlsFiles } from "./apps.ts";
import { ClientAddresses } from "./client-address.ts";
import { Compression } from "./compression.ts";
import { PREFLIGHT_VARY, preflightHeaders, preflightMethod } from "./cors.ts";
import { ownOrigin } from "./cross-site.ts";
import { errorAnswer } from "./error-answer.ts";
import { Exchange } from "./exchange.ts";
import { FileSenders } from "./file-sender.ts";
import { type Face, SERVER_LIMITS, type ServerOptions } from "./options.ts";
import { Pending } from "./pending.ts";
import { RequestHead } from "./request-head.ts";
import { requestIds } from "./request-id.ts";
import { buildRouter, methodsOf } from "./route.ts";
import type { ServerContext } from "./server-context.ts";
import { StreamSenders } from "./stream-sender.ts";
import { surfaceHeaders } from "./surface-headers.ts";
import { refusalOf, type Unmatched } from "./unmatched.ts";
import type { HttpRequest, HttpResponse, TemplatedApp } from "./uws.ts";
import { WebSocketHost } from "./websocket-host.ts";

export interface ListenOptions {
  /** True refuses a port that another listener of this machine has; false lets several threads listen on one port. */
  exclusive: boolean;
}

export interface DrainOptions {
  /**
   * For so long it still accepts, and ends each connection with its answer: what spreads clients over nodes goes on sending until it has seen
   * that this one is not ready, and a connection that the machine has taken for a listener that closes is reset. With 0 only those
   * are accepted that have come by now.
   */
  acceptMs: number;
  /** Time that requests in progress have from then on. */
  deadlineMs: number;
}

export interface Server {
  /** Starts to accept connections; port 0 takes a free one. Resolves with the port. Rejects if the port cannot be used. */
  listen(host: string, port: number, options: ListenOptions): Promise<number>;
  /**
   * Stops accepting, lets requests finish until there have been none for 100 ms, and closes WebSockets a few at a time. Resolves with the
   * number of unfinished requests.
   */
  drain(options: DrainOptions): Promise<number>;
  /** Connections from now on get this certificate; those that are there stay. Throws where it cannot be used: then nothing has changed. */
  renewTls(tls: TlsFiles): void;
  /** For all files that are sent together, at once also for those that are being sent. */
  limitFiles(bytesPerSecond: number): void;
  /** Ends every connection at once. */
  close(): void;
  /** Requests under way. */
  pending(): number;
  /** WebSockets that are open. */
  webSockets(): number;
}

/** In the sandbox. */
const FOREIGN_HOST = new RelayError(
  "forbidden",
  "The sandbox serves this machine only: call it as localhost, 127.0.0.1 or [::1]. With RELAY_MODE=production the relay serves other names.",
);
const FOREIGN_PAGE = new RelayError("forbidden", "Pages of this origin may not call this path.");

/** A node that stops ends its connections once nothing was asked on them for so long: a request may be on its way to one that seems idle. */
const QUIET_MS = 100;

/** Pace of closing WebSockets: fast enough for a fleet within seconds, slow enough that it does not return all at once. */
const SOCKETS_CLOSED_PER_STEP = 50;
const CLOSE_STEP_MS = 20;

/** Builds the HTTP server of one thread; uWebSockets' types stay in this folder. Throws for declarations that contradict each other. */
export function createServer(options: ServerOptions): Server {
  const limits = { ...SERVER_LIMITS, ...options.limits };
  const monotonicMs = () => options.clock.monotonicMs();
  const pending = new Pending(monotonicMs, limits.sweepIntervalMs);
  const context: ServerContext = {
    authenticator: options.authenticator,
    signatures: options.signatures ?? null,
    limits,
    observe: options.observe ?? {},
    pending,
    files: new FileSenders({
      pending,
      monotonicMs,
      filesMax: limits.filesMax,
      filesPerOwnerMax: limits.filesPerOwnerMax,
      stallMs: limits.fileStallMs,
      bytesPerSecond: limits.fileBytesPerSecond,
      pace: limits.pace,
    }),
    streams: new StreamSenders({
      pending,
      monotonicMs,
      streamsMax: limits.streamsMax,
      streamsPerOwnerMax: limits.streamsPerOwnerMax,
      stallMs: limits.streamStallMs,
      sourceMs: limits.streamSourceMs,
      pace: limits.pace,
    }),
    compression: new Compression(),
    ownOrigin: ownOrigin(options.publicUrl ?? null, options.tls !== undefined),
    firstLines: firstLines({ tlsOnly: options.tlsOnly ?? false }),
    monotonicMs,
    draining: false,
    isFull: () => pending.size >= limits.pendingMax,
  };
  const router = buildRouter(options);
  const addresses = new ClientAddresses(options.trustedProxies ?? []);
  const nextId = requestIds(options.ids.uuid());
  const hostRefusal = (host: string) => (options.loopbackHostsOnly !== true || isLoopbackHost(host) ? null : FOREIGN_HOST);
  const webSockets = (options.webSockets ?? []).map(
    (mount) => new WebSocketHost(mount, { addresses, ownOrigin: context.ownOrigin, hostRefusal, refuse: refuseUpgrade }),
  );
  const head = new RequestHead();
  /** Requests that have come so far. */
  let served = 0;

  function serve(res: HttpResponse, req: HttpRequest, method: Method | null, withoutBody: boolean): void {
    served += 1;
    head.read(req);
    const path = head.getUrl();
    const id = nextId(head.getHeader("x-request-id"));
    const match = method === null ? null : router.match(method, path);
    const refusal = head.refusal();
    if (refusal !== null) {
      const face = match?.route.endpoint.surface ?? faceUnder(options, path);
      const answer = errorAnswer(refusal, face.envelope, "none", id);
      const fixedHeaders = surfaceHeaders(face.headersOf, head, id);
      answerAsLast(res, () => write(res, answer, { requestId: id, fixedHeaders, withoutBody, close: true }));
      return;
    }
    if (match === null || (withoutBody && match.route.endpoint.handsOut === true)) {
      refuse(res, { id, path, method, withoutBody });
      return;
    }
    const address = addresses.of(res, head.forwardedFor);
    new Exchange(context, res, match.route, { id, address, withoutBody }).begin(head, match);
  }

  function refuseUpgrade(res: HttpResponse, upgrade: RequestHead, error: RelayError): () => void {
    const requestId = nextId(upgrade.getHeader("x-request-id"));
    const { envelope, headersOf } = faceUnder(options, upgrade.getUrl());
    const answer = errorAnswer(error, envelope, "none", requestId);
    const fixedHeaders = surfaceHeaders(headersOf, upgrade, requestId);
    return () => write(res, answer, { requestId, fixedHeaders, withoutBody: false, close: true });
  }

  /** 404, or 405 where the path has other methods, or 426 where it has WebSockets; while the request's head is being read. */
  function refuse(res: HttpResponse, request: Unmatched): void {
    const { id: requestId, path, withoutBody } = request;
    const others = router.others(path);
    const face = faceUnder(options, path);
    const { envelope, headersOf } = others[0]?.endpoint.surface ?? face;
    const { error, headers } = refusalOf(request, others.flatMap(methodsOf), options.webSockets ?? []);
    const told = error.code === "not_found" ? (face.notFound?.(request.method ?? "", path) ?? error) : error;
    const fixedHeaders = surfaceHeaders(headersOf, head, requestId);
    const answer = errorAnswer(told, envelope, "none", requestId, headers);
    write(res, answer, { requestId, fixedHeaders, withoutBody, close: context.draining });
  }

  /** Answers what no endpoint has seen. */
  function write(
    res: HttpResponse,
    answer: Answer,
    request: { requestId: string; fixedHeaders: readonly string[]; withoutBody: boolean; close: boolean },
    name: "unmatched" | "preflight" = "unmatched",
  ): void {
    writeAnswer(res, answer, { ...request, firstLines: context.firstLines, rateLimitBlock: "" });
    context.observe.answered?.(name, answer.status, 0);
  }

  /** Only what asks for a page of another origin is one; any other OPTIONS is a method that no path has. */
  function preflight(res: HttpResponse, req: HttpRequest): void {
    head.read(req);
    const [origin, method] = [head.getHeader("origin"), preflightMethod(head.getHeader("access-control-request-method"))];
    const route = origin === "" || method === null ? null : router.match(method, head.getUrl())?.route;
    if (!route || head.refusal() !== null) {
      serve(res, req, null, false);
      return;
    }
    const requestId = nextId(head.getHeader("x-request-id"));
    const { envelope, headersOf } = route.endpoint.surface;
    const permitted = route.openToPages || (route.readsApiKey && options.authenticator.isOriginListed(origin));
    const answer: Answer = permitted
      ? { status: 204, contentType: undefined, body: "", headers: preflightHeaders(route, methodsOf(route), origin) }
      : errorAnswer(FOREIGN_PAGE, envelope, "none", requestId, { Vary: PREFLIGHT_VARY });
    const fixedHeaders = surfaceHeaders(headersOf, head, requestId);
    write(res, answer, { requestId, fixedHeaders, withoutBody: false, close: context.draining }, "preflight");
  }

  type Handler = (res: HttpResponse, req: HttpRequest) => void;

  /** The handler itself where any host is served. */
  function here(handle: Handler): Handler {
    if (options.loopbackHostsOnly !== true) return handle;
    return (res, req) => (hostRefusal(req.getHeader("host")) === null ? handle(res, req) : refuseHost(res, req));
  }

  function refuseHost(res: HttpResponse, req: HttpRequest): void {
    head.read(req);
    const requestId = nextId(head.getHeader("x-request-id"));
    const { envelope, headersOf } = faceUnder(options, head.getUrl());
    const answer = errorAnswer(FOREIGN_HOST, envelope, "none", requestId);
    const fixedHeaders = surfaceHeaders(headersOf, head, requestId);
    write(res, answer, { requestId, fixedHeaders, withoutBody: req.getMethod() === "head", close: true });
  }

  const serving = (method: Method | null, withoutBody = false) => here((res, req) => serve(res, req, method, withoutBody));

  function attach(app: TemplatedApp): void {
    for (const host of webSockets) host.attach(app);
    app.get("/*", serving("GET"));
    app.head("/*", serving("GET", true));
    app.post("/*", serving("POST"));
    app.put("/*", serving("PUT"));
    app.patch("/*", serving("PATCH"));
    app.del("/*", serving("DELETE"));
    app.options("/*", here(preflight));
    app.any("/*", serving(null));
  }

  const apps = new Apps({ uws: options.uws, ...(options.tls === undefined ? {} : { tls: options.tls }), attach });

  /** Each response closes its connection and no new ones are accepted, so this state is reached. */
  async function quiet(): Promise<void> {
    for (;;) {
      await pending.empty();
      const before = served;
      await delay(QUIET_MS);
      if (served === before && pending.size === 0) return;
    }
  }

  return {
    listen: (host, port, listenOptions) => {
      addresses.listeningOn(host);
      return apps.listen(host, port, listenOptions);
    },
    drain: async ({ acceptMs, deadlineMs }) => {
      context.draining = true;
      if (acceptMs > 0) await delay(acceptMs);
      await turnsOfTheLoop();
      apps.stopListening();
      const deadline = timeout(deadlineMs);
      const sockets = webSockets.map((host) => host.closeAll(SOCKETS_CLOSED_PER_STEP, CLOSE_STEP_MS));
      await Promise.race([Promise.all([quiet(), ...sockets]), deadline.passed]);
      deadline.cancel();
      return pending.size;
    },
    close: () => {
      context.draining = true;
      apps.stopListening();
      pending.stop();
      apps.close();
    },
    renewTls: (tls) => apps.renewTls(tls),
    limitFiles: (bytesPerSecond) => {
      context.files.bytesPerSecond = bytesPerSecond;
    },
    pending: () => pending.size,
    webSockets: () => webSockets.reduce((sum, host) => sum + host.size, 0),
  };
}

/** How errors look at a path that no endpoint has. */
function faceUnder({ envelopes = [], envelope }: ServerOptions, path: string): Omit<Face, "under"> {
  return envelopes.find(({ under }) => path === under || path.startsWith(`${under}/`)) ?? { envelope };
}

/** Long enough for the loop to accept who has connected: the first turn may have looked at the sockets before. */
async function turnsOfTheLoop(): Promise<void> {
  await turn();
  await turn();
}

function timeout(ms: number): { passed: Promise<void>; cancel: () => void } {
  let cancel = () => {};
  const passed = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    cancel = () => clearTimeout(timer);
  });
  return { passed, cancel };
}
