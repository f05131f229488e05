import type { SocketsPerAddress } from "./sockets-per-address.ts";

/**
 * A WebSocket as the rest of the relay sees it; the uWS types stay in this folder.
 */

/** What is known when a client asks to upgrade. */
export interface Upgrade {
  /** The client's address, trusted proxies taken away. */
  readonly ipAddress: string;
  /** Empty when absent, and for a page of another origin. */
  readonly authorization: string;
  /** Header values; empty when absent. */
  readonly userAgent: string;
  readonly origin: string;
  /** The subprotocol that was agreed on; empty when the client asked for none. */
  readonly protocol: string;
}

export interface Socket {
  /**
   * Strings go out as text messages, bytes as binary ones. `buffered`: taken, but the client reads too slowly. `dropped`: nothing of
   * it was or will be written; the socket is closed or over its limit and about to be closed.
   */
  send(data: string | Uint8Array): "sent" | "buffered" | "dropped";
  /** Closes with a close frame after what is buffered; does nothing when already closed. */
  close(code?: number, reason?: string): void;
  /** Ends at once, without a close frame: for a client that may no longer read. */
  terminate(): void;
  ping(): void;
  /** The client has logged in. Until then the socket counts among those of its address without a login. */
  loggedIn(): void;
  /** Bytes that wait for the client to read; 0 when closed. */
  bufferedBytes(): number;
}

/** Callbacks of one socket; none is called after `closed`. */
export interface SocketListener {
  /** `data` is valid only during the call. */
  message(data: Uint8Array, isBinary: boolean): void;
  pong(): void;
  /** The client has read; `bufferedBytes` is less than before. */
  drain?(): void;
  /** Once, whoever closed it. */
  closed(): void;
}

/** One WebSocket address and its limits. */
export interface WebSocketMount {
  path: string;
  /** In order of preference; the first that the client offers is agreed on. A client that offers none of them is accepted without one. */
  protocols: readonly string[];
  /** A longer message closes the socket. */
  messageBytesMax: number;
  /** A socket that would buffer more is closed. */
  bufferedBytesMax: number;
  /** A socket without any traffic for this long is closed; 0 turns it off, else 8 to 960. Pings keep it open while the client answers. */
  idleSeconds: number;
  /** Sockets of one shard; beyond it an upgrade is answered 503. */
  socketsMax: number;
  /** Beyond it an upgrade is answered 429; unbounded where it is absent. */
  perAddress?: SocketsPerAddress;
  /** Called once a socket is open. */
  open(socket: Socket, upgrade: Upgrade): SocketListener;
}
