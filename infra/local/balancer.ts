import { get } from "node:http";
import { connect, createServer, type Server, type Socket } from "node:net";

/** A connection to a node is made within this time, or the next node is tried. */
const CONNECT_TIMEOUT_MS = 1_000;

/** How often a node's readiness is checked. A node is not ready if it does not answer within the time for a connection. */
const CHECK_INTERVAL_MS = 250;

/** Connections at once; two descriptors each. */
const CONNECTIONS_MAX = 8_000;

/**
 * Spreads TCP connections over nodes in turn, for a cluster on one machine. A node that is not ready gets no connection while another one
 * is ready, and a node that refuses is skipped. The balancer does not parse the data, so WebSockets and keep-alive connections stay at
 * their node, and it adds no `X-Forwarded-For`: nodes see its address.
 */
export function startBalancer(
  port: number,
  nodePorts: readonly number[],
  host = "127.0.0.1",
): Promise<{ port: number; stop(): Promise<void> }> {
  const clients = new Set<Socket>();
  const unready = new Set<number>();
  let turn = 0;

  function check(nodePort: number): void {
    const checked = (ready: boolean) => (ready ? unready.delete(nodePort) : unready.add(nodePort));
    const request = get({ host, port: nodePort, path: "/health/ready", agent: false, timeout: CONNECT_TIMEOUT_MS }, (response) => {
      checked(response.statusCode === 200);
      response.resume();
    });
    request.on("timeout", () => request.destroy(new Error("no answer in time")));
    request.on("error", () => checked(false));
  }
  const checks = setInterval(() => nodePorts.forEach(check), CHECK_INTERVAL_MS);

  /** The next ready node in turn; if none is ready, the next node. */
  function next(): number | undefined {
    for (let passed = 0; passed < nodePorts.length && unready.has(nodePorts[turn % nodePorts.length] ?? 0); passed += 1) turn += 1;
    return nodePorts[turn++ % nodePorts.length];
  }

  function pass(client: Socket, left: number): void {
    const nodePort = next();
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
            clearInterval(checks);
            server.close(() => stopped());
            for (const client of clients) client.destroy();
          }),
      });
    });
  });
}
