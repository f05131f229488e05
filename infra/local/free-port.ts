import { randomInt } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/** Whether nothing listens on this loopback port now. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  const isListening = await once(server, "listening").then(
    () => true,
    () => false,
  );
  if (!isListening) return false;
  server.close();
  await once(server, "close");
  return true;
}

const PORT_TRIES = 100;

/** From the first to before the second. Linux begins with the ports of connections at 32768, unless it is told otherwise. */
export type PortRange = readonly [from: number, below: number];
const BELOW_CONNECTIONS: PortRange = [15_000, 32_768];

/**
 * A loopback port at which nobody listens, which nobody else who asks here is given before this process ends. Below those that the system gives to connections:
 * a port of theirs may be taken by any connection between this answer and the moment when somebody listens.
 */
export function freePort(): Promise<number> {
  return freePorts(1);
}

/** The first of so many in a row. */
export async function freePorts(count: number, [from, below]: PortRange = BELOW_CONNECTIONS): Promise<number> {
  for (let tries = 0; tries < PORT_TRIES; tries += 1) {
    const port = randomInt(from, below - count + 1);
    if (await claim(Array.from({ length: count }, (_, index) => port + index))) return port;
  }
  throw new Error("no free port");
}

/** `wanted` if it is free, else any free one. */
export async function freePortNear(wanted: number): Promise<number> {
  return (await isFree(wanted)) ? wanted : freePort();
}

/**
 * Takes ports for this process, all or none; false where one is taken. Whoever was given a port may listen there seconds later, or again after a restart. That
 * it is given a datagram socket says meanwhile, which ends with this process, however that ends; nobody here speaks UDP.
 */
async function claim(ports: readonly number[]): Promise<boolean> {
  const claims: Socket[] = [];
  for (const port of ports) {
    const socket = createSocket("udp4");
    claims.push(socket);
    socket.bind({ port, address: "127.0.0.1", exclusive: true });
    const isMine = await once(socket, "listening").then(
      () => true,
      () => false,
    );
    if (isMine && (await isFree(port))) continue;
    for (const one of claims) one.close();
    return false;
  }
  for (const one of claims) one.unref();
  return true;
}
