import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type Server as TlsServer } from "node:tls";
import type { Clock } from "../../engine/kernel/clock.ts";
import type { Ids } from "../../engine/kernel/ids.ts";
import type { Timers } from "../../engine/kernel/timers.ts";
import type { ZvtConnection, ZvtListenOptions, ZvtPayments, ZvtReports, ZvtTls } from "../../engine/zvt/zvt-payments.ts";
import { RegisterConnection, type RegisterSocket } from "./connection.ts";
import * as limits from "./limits.ts";
import type { SessionOptions } from "./session.ts";
import { createStallGuard } from "./stall-guard.ts";

export interface ZvtListenerDependencies extends SessionOptions {
  payments: ZvtPayments;
  reports: ZvtReports;
  clock: Clock;
  timers: Timers;
  ids: Pick<Ids, "uuid">;
}

export interface ZvtListener {
  /** The ports in the order in which they were asked for; a 0 was replaced by a free one. */
  readonly ports: readonly number[];
  /** Connections from now on get this certificate; those that are there stay. Throws where it cannot be used; does nothing without TLS. */
  renewTls(tls: ZvtTls): void;
  /**
   * Accepts no more connections, closes those where nothing is under way, and waits for the others, which take no new payment, until the deadline. Then
   * they are closed; their payments go on by themselves.
   */
  stop(withinMs: number): Promise<void>;
}

/** Listens for cash registers. Rejects with the system's error where one of the ports cannot be bound (`EADDRINUSE`); then none is. */
export async function startZvtListener(options: ZvtListenOptions, on: ZvtListenerDependencies): Promise<ZvtListener> {
  /** In the order in which they were accepted; null before TLS is agreed. */
  const sockets = new Map<Socket, RegisterConnection | null>();
  const connections = new Map<string, RegisterConnection>();
  // By the system's clock: it is about this process, and not about the time that is told.
  const stall = createStallGuard(() => performance.now());
  const ticking = on.timers.every(limits.STALL_TICK_MS, stall.tick);
  let stopping = false;
  let onEmpty = (): void => {};

  /** Counted and checked before TLS is agreed. */
  function accept(socket: Socket, next: (socket: Socket) => void): void {
    destroyOnError(socket);
    const address = addressOf(socket);
    const refusal = !options.allows(address) ? "not_allowed" : hasRoom() ? null : "too_many";
    if (refusal !== null) {
      on.reports.refused(refusal, address);
      socket.destroy();
      return;
    }
    sockets.set(socket, null);
    socket.once("close", () => {
      sockets.delete(socket);
      if (sockets.size === 0) onEmpty();
    });
    socket.setNoDelay(true);
    socket.setKeepAlive(true, limits.KEEP_ALIVE_MS);
    next(socket);
  }

  /** Whether there is room for another connection, for which the oldest that is no register as yet gives way: a few silent ones must not keep all registers out. */
  function hasRoom(): boolean {
    if (sockets.size < options.maxConnections) return true;
    for (const [socket, connection] of sockets) {
      if (connection !== null && !connection.mayGiveWay) continue;
      sockets.delete(socket);
      if (connection === null) on.reports.refused("gave_way", addressOf(socket));
      else connection.step({ type: "closed", reason: "gave_way" });
      socket.destroy();
      return true;
    }
    return false;
  }

  /**
   * Whether its route has more than half of all connections, and no more are left than are kept for routes that have none. A register that opens connections and
   * forgets them costs only itself; one that comes again after a broken connection is far from it.
   */
  function isBeyondShare({ routeId }: RegisterConnection): boolean {
    const taken = [...sockets.values()].map((connection) => connection?.routeId ?? null);
    const kept = Math.min(options.routeIds.filter((id) => !taken.includes(id)).length, Math.floor(options.maxConnections / 4));
    if (routeId === null || sockets.size <= options.maxConnections - kept) return false;
    return taken.filter((id) => id === routeId).length > options.maxConnections / 2;
  }

  /** The socket that was accepted, of one on which TLS is agreed. */
  function acceptedOf(socket: Socket): Socket | undefined {
    if (sockets.has(socket)) return socket;
    const { remoteAddress, remotePort, localPort } = socket;
    return [...sockets.keys()].find(
      (accepted) => accepted.remotePort === remotePort && accepted.remoteAddress === remoteAddress && accepted.localPort === localPort,
    );
  }

  function open(socket: Socket): void {
    destroyOnError(socket);
    if (stopping) return void socket.destroy();
    const of: ZvtConnection = { id: on.ids.uuid(), port: socket.localPort ?? 0, address: addressOf(socket) };
    const connection = new RegisterConnection(of, registerSocket(socket, on.timers), {
      ...on,
      keepsRefused: options.isProxy(of.address),
      logRawBytes: options.logRawBytes,
      hasJustSlept: stall.hasJustSlept,
      closeOther: (connectionId) => connections.get(connectionId)?.step({ type: "replaced" }),
      forget: ({ of: { id } }) => connections.delete(id),
    });
    // Without a route it was closed at once.
    if (connection.isClosed) return;
    connections.set(of.id, connection);
    const accepted = acceptedOf(socket);
    if (accepted !== undefined) sockets.set(accepted, connection);
    if (isBeyondShare(connection)) {
      on.reports.refused("too_many", of.address);
      connection.step({ type: "closed", reason: "too_many" });
      return;
    }
    socket.on("data", (chunk: Buffer) => connection.received(chunk));
    socket.once("close", () => connection.step({ type: "closed", reason: "register" }));
  }

  const tlsServer = options.tls === null ? null : secured(options.tls, open);
  // Sockets that were accepted are handed to it; it does not listen itself.
  const handshake = tlsServer === null ? open : (socket: Socket) => void tlsServer.emit("connection", socket);
  const servers: Server[] = [];
  const ports: number[] = [];
  try {
    for (const port of options.ports) {
      const server = createServer((socket) => accept(socket, handshake));
      ports.push(await listen(server, options.host, port));
      servers.push(server);
    }
  } catch (error) {
    ticking.clear();
    for (const server of servers) server.close();
    throw error;
  }

  return {
    ports,
    renewTls: (tls) => tlsServer?.setSecureContext(contextOf(tls)),
    async stop(withinMs) {
      stopping = true;
      ticking.clear();
      for (const server of servers) server.close();
      for (const connection of [...connections.values()]) connection.step({ type: "draining" });
      if (sockets.size === 0) return;
      await new Promise<void>((resolve) => {
        const deadline = on.timers.set(withinMs, () => {
          for (const connection of [...connections.values()]) connection.step({ type: "closed", reason: "stopped" });
          for (const socket of sockets.keys()) socket.destroy();
        });
        onEmpty = () => {
          deadline.clear();
          resolve();
        };
      });
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      // Of a connection that could not be accepted, for want of descriptors: the next one may be.
      server.on("error", () => {});
      resolve(boundPort(server.address()));
    });
  });
}

function boundPort(address: AddressInfo | string | null): number {
  return address === null || typeof address === "string" ? 0 : address.port;
}

/** Agrees on TLS with each socket; `open` gets those that did. */
function secured(tls: ZvtTls, open: (socket: Socket) => void): TlsServer {
  const server = createTlsServer(
    {
      ...contextOf(tls),
      handshakeTimeout: limits.TLS_HANDSHAKE_TIMEOUT_MS,
      ...(tls.clientCa === null ? {} : { requestCert: true, rejectUnauthorized: true }),
    },
    open,
  );
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  return server;
}

function contextOf({ cert, key, clientCa }: ZvtTls): { cert: string; key: string; ca?: string } {
  return { cert, key, ...(clientCa === null ? {} : { ca: clientCa }) };
}

function registerSocket(socket: Socket, timers: Timers): RegisterSocket {
  return {
    write: (bytes) => void socket.write(bytes),
    bufferedBytes: () => socket.writableLength,
    end: () => {
      socket.destroySoon();
      if (socket.destroyed) return;
      const timer = timers.set(limits.CLOSE_TIMEOUT_MS, () => socket.destroy());
      socket.once("close", () => timer.clear());
    },
  };
}

/** What went wrong does not matter: `close` follows, and ends the session. */
function destroyOnError(socket: Socket): void {
  socket.on("error", () => socket.destroy());
}

/** An IPv4 client of an IPv6 socket has its IPv4 address. */
function addressOf(socket: Socket): string {
  const address = socket.remoteAddress ?? "";
  return address.startsWith("::ffff:") && address.includes(".") ? address.slice("::ffff:".length) : address;
}
