import { connect, createServer, type Server, type Socket } from "node:net";

/** A connection to a node is made within this time, or the next node is tried. */
const CONNECT_TIMEOUT_MS = 1_000;

/** Connections at once; two descriptors each. */
const CONNECTIONS_MAX = 8_000;

/**
 * Spreads TCP connections over nodes in turn, for a cluster on one machine; a node that refuses is passed over. It knows no HTTP, so
 * that WebSockets and keep-alive connections stay where they are, and adds no `X-Forwarded-For`: nodes see its address.
 */
export function startBalancer(
  port: number,
  nodePorts: readonly number[],
  host = "127.0.0.1",
): Promise<{ port: number; stop(): Promise<void> }> {
  const clients = new Set<Socket>();
  let turn = 0;

  function pass(client: Socket, left: number): void {
    const nodePort = nodePorts[turn % nodePorts.length];
    turn += 1;
    if (nodePort === undefined || left === 0) {
      client.destroy();
      return;
    }
    const node = connect({ host, port: nodePort, timeout: CONNECT_TIMEOUT_MS });
    const refused = () => {
      node.destroy();
      pass(client, left - 1);
    };
    node.once("error", refused);
    node.once("timeout", refused);
    node.once("connect", () => {
      node.off("error", refused);
      node.off("timeout", refused);
      node.setTimeout(0);
      node.on("error", () => client.destroy());
      node.on("close", () => client.destroy());
      client.on("close", () => node.destroy());
      client.pipe(node);
      node.pipe(client);
    });
  }

  const server: Server = createServer({ noDelay: true }, (client) => {
    clients.add(client);
    client.on("error", () => client.destroy());
    client.on("close", () => clients.delete(client));
    pass(client, nodePorts.length);
  });
  server.maxConnections = CONNECTIONS_MAX;

  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve({
        port: typeof address === "object" && address !== null ? address.port : port,
        stop: () =>
          new Promise((stopped) => {
            server.close(() => stopped());
            for (const client of clients) client.destroy();
          }),
      });
    });
  });
}
