import { once } from "node:events";
import { createConnection, createServer, type Socket } from "node:net";

/** A network between a client and a server on loopback, which a test cuts or leads elsewhere. */
export interface TcpProxy {
  readonly port: number;
  /** Breaks all connections; new ones are made. */
  cut(): void;
  /** Breaks all connections and refuses new ones until `join`. */
  part(): void;
  /** Loses the cable: connections stay, new ones are taken, and nothing of what either side sends arrives until `release`. */
  hold(): void;
  /** Lets what was held arrive, late as it is. */
  release(): void;
  /** Lets connections through (again), to this port from now on when one is given. */
  join(targetPort?: number): void;
  stop(): Promise<void>;
}

/** Starts one on a free port. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  let target = targetPort;
  let parted = false;
  let held = false;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    keep(near);
    if (parted) {
      near.destroy();
      return;
    }
    const far = createConnection(target, "127.0.0.1");
    keep(far);
    near.pipe(far).pipe(near);
    if (held) for (const socket of [near, far]) socket.pause();
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a listening server has a port");
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: address.port,
    cut,
    part: () => {
      parted = true;
      cut();
    },
    hold: () => {
      held = true;
      for (const socket of sockets) socket.pause();
    },
    release: () => {
      held = false;
      for (const socket of sockets) socket.resume();
    },
    join: (port = target) => {
      target = port;
      parted = false;
    },
    stop: async () => {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
