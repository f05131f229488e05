import { RelayError } from "../../engine/kernel/errors.ts";
import { answerAsLast } from "./answer.ts";
import type { ClientAddresses } from "./client-address.ts";
import { foreignOrigin, type OwnOrigin } from "./cross-site.ts";
import { RequestHead } from "./request-head.ts";
import type { CountedSocket } from "./sockets-per-address.ts";
import type { HttpRequest, HttpResponse, TemplatedApp, us_socket_context_t, WebSocket } from "./uws.ts";
import type { Socket, SocketListener, Upgrade, WebSocketMount } from "./websocket.ts";

/** What uWebSockets keeps with each socket. */
interface SocketData {
  /** Null once the socket is open: it holds the client's credentials, which nobody reads again. */
  upgrade: Upgrade | null;
  session: Session | null;
  readonly counted: CountedSocket;
}

/** What a mount's sockets share with the requests of their server. */
export interface WebSocketHostParts {
  readonly addresses: ClientAddresses;
  readonly ownOrigin: OwnOrigin;
  /** Why the host that an upgrade names is not served; null if it is. */
  readonly hostRefusal: (host: string) => RelayError | null;
  /** What answers an upgrade with an error. Call it only once the request was read. */
  readonly refuse: (res: HttpResponse, head: RequestHead, error: RelayError) => () => void;
}

/** Of a mount that counts no sockets by address. */
const UNCOUNTED: CountedSocket = { loggedIn: () => {}, closed: () => {} };

/** 1001: the server goes away. */
const GOING_AWAY = 1_001;

/** Values that `send` of uWebSockets answers with. */
const SENT = 1;
const DROPPED = 2;

/** Carries one WebSocket mount on uWebSockets. */
export class WebSocketHost {
  readonly #mount: WebSocketMount;
  readonly #parts: WebSocketHostParts;
  readonly #head = new RequestHead();
  readonly #sessions = new Set<Session>();
  #closing = false;

  constructor(mount: WebSocketMount, parts: WebSocketHostParts) {
    this.#mount = mount;
    this.#parts = parts;
  }

  /** Takes the mount's sockets of this app too. */
  attach(app: TemplatedApp): void {
    const mount = this.#mount;
    app.ws<SocketData>(mount.path, {
      maxPayloadLength: mount.messageBytesMax,
      maxBackpressure: mount.bufferedBytesMax,
      closeOnBackpressureLimit: true,
      idleTimeout: mount.idleSeconds,
      sendPingsAutomatically: mount.idleSeconds > 0,
      upgrade: (res, req, context) => this.#upgrade(res, req, context),
      open: (ws) => this.#open(ws),
      message: (ws, message, isBinary) => ws.getUserData().session?.listener?.message(new Uint8Array(message), isBinary),
      pong: (ws) => ws.getUserData().session?.listener?.pong(),
      drain: (ws) => ws.getUserData().session?.listener?.drain?.(),
      close: (ws) => this.#closed(ws),
    });
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Refuses new sockets and closes the open ones, `perStep` every `stepMs`. */
  async closeAll(perStep: number, stepMs: number): Promise<void> {
    this.#closing = true;
    while (this.#sessions.size > 0) {
      for (const session of [...this.#sessions].slice(0, perStep)) session.close(GOING_AWAY, "going away");
      if (this.#sessions.size > 0) await new Promise((resolve) => setTimeout(resolve, stepMs));
    }
  }

  #upgrade(res: HttpResponse, req: HttpRequest, context: us_socket_context_t): void {
    if (this.#closing || this.#sessions.size >= this.#mount.socketsMax) {
      res.writeStatus("503 Service Unavailable").writeHeader("Retry-After", "2").end("", true);
      return;
    }
    const { addresses, ownOrigin, hostRefusal, refuse } = this.#parts;
    const head = this.#head;
    head.read(req);
    const refusal = head.refusal();
    if (refusal !== null) {
      answerAsLast(res, refuse(res, head, refusal));
      return;
    }
    const wrongHost = hostRefusal(head.getHeader("host"));
    if (wrongHost !== null) {
      refuse(res, head, wrongHost)();
      return;
    }
    const address = addresses.of(res, head.forwardedFor);
    const counted = this.#mount.perAddress?.open(address) ?? UNCOUNTED;
    if (counted instanceof RelayError) {
      refuse(res, head, counted)();
      return;
    }
    const offered = head.getHeader("sec-websocket-protocol").split(",");
    const protocol = this.#mount.protocols.find((name) => offered.some((offer) => offer.trim() === name)) ?? "";
    const origin = head.getHeader("origin");
    const upgrade: Upgrade = {
      ipAddress: address.text,
      // A browser attaches a login that it remembers for any page; of another origin's page only what the page itself sends counts.
      authorization: foreignOrigin(origin, head, ownOrigin) === null ? head.getHeader("authorization") : "",
      userAgent: head.getText("user-agent"),
      origin,
      protocol,
    };
    const [key, extensions] = [head.getHeader("sec-websocket-key"), head.getHeader("sec-websocket-extensions")];
    res.upgrade<SocketData>({ upgrade, session: null, counted }, key, protocol, extensions, context);
  }

  #open(ws: WebSocket<SocketData>): void {
    const data = ws.getUserData();
    const { upgrade } = data;
    if (upgrade === null) throw new Error("the same socket was opened twice");
    data.upgrade = null;
    const session = new Session(ws, data.counted);
    data.session = session;
    this.#sessions.add(session);
    session.start(this.#mount, upgrade);
  }

  #closed(ws: WebSocket<SocketData>): void {
    const { session, counted } = ws.getUserData();
    counted.closed();
    if (session === null) return;
    this.#sessions.delete(session);
    session.ended();
  }
}

/** One socket. uWebSockets throws for any call on a closed one, so it is not called any more. */
class Session implements Socket {
  listener: SocketListener | null = null;
  readonly #ws: WebSocket<SocketData>;
  readonly #counted: CountedSocket;
  #open = true;

  constructor(ws: WebSocket<SocketData>, counted: CountedSocket) {
    this.#ws = ws;
    this.#counted = counted;
  }

  start(mount: WebSocketMount, upgrade: Upgrade): void {
    const listener = mount.open(this, upgrade);
    // It may have closed the socket while opening it.
    if (this.#open) this.listener = listener;
    else listener.closed();
  }

  send(data: string | Uint8Array): "sent" | "buffered" | "dropped" {
    if (!this.#open) return "dropped";
    const outcome = this.#ws.send(data, typeof data !== "string");
    if (outcome === SENT) return "sent";
    return outcome === DROPPED ? "dropped" : "buffered";
  }

  close(code?: number, reason?: string): void {
    if (this.#open) this.#ws.end(code, reason);
  }

  terminate(): void {
    if (this.#open) this.#ws.close();
  }

  ping(): void {
    if (this.#open) this.#ws.ping();
  }

  loggedIn(): void {
    if (this.#open) this.#counted.loggedIn();
  }

  bufferedBytes(): number {
    return this.#open ? this.#ws.getBufferedAmount() : 0;
  }

  ended(): void {
    this.#open = false;
    const listener = this.listener;
    this.listener = null;
    listener?.closed();
  }
}
