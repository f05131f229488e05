import type { ClientAddresses } from "./client-address.ts";
import type { HttpRequest, HttpResponse, TemplatedApp, us_socket_context_t, WebSocket } from "./uws.ts";
import type { Socket, SocketListener, Upgrade, WebSocketMount } from "./websocket.ts";

/** What uWebSockets keeps with each socket. */
interface SocketData {
  /** Null once the socket is open: it holds the client's credentials, which nobody reads again. */
  upgrade: Upgrade | null;
  session: Session | null;
}

/** 1001: the server goes away. */
const GOING_AWAY = 1_001;

/** Values that `send` of uWebSockets answers with. */
const SENT = 1;
const DROPPED = 2;

/** Carries one WebSocket mount on uWebSockets. */
export class WebSocketHost {
  readonly #mount: WebSocketMount;
  readonly #addresses: ClientAddresses;
  readonly #isHere: ((req: HttpRequest) => boolean) | null;
  readonly #sessions = new Set<Session>();
  #closing = false;

  /** `isHere`: whether an upgrade names a host that is served; null for any. */
  constructor(app: TemplatedApp, mount: WebSocketMount, addresses: ClientAddresses, isHere: ((req: HttpRequest) => boolean) | null) {
    this.#mount = mount;
    this.#isHere = isHere;
    this.#addresses = addresses;
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
    if (this.#isHere?.(req) === false) {
      res.writeStatus("403 Forbidden").end("", true);
      return;
    }
    const offered = req.getHeader("sec-websocket-protocol").split(",");
    const protocol = this.#mount.protocols.find((name) => offered.some((offer) => offer.trim() === name)) ?? "";
    const upgrade: Upgrade = {
      ipAddress: this.#addresses.of(res.getRemoteAddress(), req.getHeader("x-forwarded-for")).text,
      authorization: req.getHeader("authorization"),
      userAgent: req.getHeader("user-agent"),
      origin: req.getHeader("origin"),
      protocol,
    };
    const [key, extensions] = [req.getHeader("sec-websocket-key"), req.getHeader("sec-websocket-extensions")];
    res.upgrade<SocketData>({ upgrade, session: null }, key, protocol, extensions, context);
  }

  #open(ws: WebSocket<SocketData>): void {
    const data = ws.getUserData();
    const { upgrade } = data;
    if (upgrade === null) throw new Error("a socket is opened twice");
    data.upgrade = null;
    const session = new Session(ws);
    data.session = session;
    this.#sessions.add(session);
    session.start(this.#mount, upgrade);
  }

  #closed(ws: WebSocket<SocketData>): void {
    const session = ws.getUserData().session;
    if (session === null) return;
    this.#sessions.delete(session);
    session.ended();
  }
}

/** One socket. uWebSockets throws for any call on a closed one, so it is not called any more. */
class Session implements Socket {
  listener: SocketListener | null = null;
  readonly #ws: WebSocket<SocketData>;
  #open = true;

  constructor(ws: WebSocket<SocketData>) {
    this.#ws = ws;
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
