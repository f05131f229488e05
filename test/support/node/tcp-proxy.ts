import { once } from "node:events";
import { createConnection, createServer, type Socket } from "node:net";

/** A network between a client and a server on loopback, which a test can cut or redirect. */
export interface TcpProxy {
  readonly port: number;
  /** Breaks all connections. New ones are possible. */
  cut(): void;
  /** Breaks all connections and refuses new ones until `join`. */
  part(): void;
  /**
   * Simulates an unplugged cable: connections stay, new ones are accepted, and data from both sides
   * is held until `release`.
   */
  hold(): void;
  /**
   * From the next request with this text on, requests arrive but answers are held until `release`.
   */
  holdAnswersFrom(text: string): void;
  /** Delivers the held data late. */
  release(): void;
  /** Accepts connections (again), to `targetPort` from now on if it is given. */
  join(targetPort?: number): void;
  stop(): Promise<void>;
}

/** Starts a proxy on a free port. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  let target = targetPort;
  let parted = false;
  let held = false;
  let answersHeld = false;
  let watchedFor: string | null = null;
  const sockets = new Set<Socket>();
  const targets = new Set<Socket>();
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
    targets.add(far);
    let before = "";
    // The text is searched before the request is passed on, when its answer cannot exist yet.
    near.on("data", (chunk: Buffer) => {
      if (watchedFor === null) return;
      const read = before + chunk.toString("latin1");
      before = read.slice(Math.max(0, read.length - watchedFor.length + 1));
      if (!read.includes(watchedFor)) return;
      watchedFor = null;
      answersHeld = true;
      for (const socket of targets) socket.pause();
    });
    near.pipe(far).pipe(near);
    if (held) near.pause();
    if (held || answersHeld) far.pause();
    near.on("close", () => far.destroy());
    far.on("close", () => {
      targets.delete(far);
      near.destroy();
    });
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
    holdAnswersFrom: (text) => {
      watchedFor = text;
    },
    release: () => {
      held = false;
      answersHeld = false;
      watchedFor = null;
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
