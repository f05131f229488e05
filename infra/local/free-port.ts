import { randomInt } from "node:crypto";
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
const PORTS_FROM = 15_000;
/** Where Linux begins with the ports of connections, unless it is told otherwise. */
const PORTS_BELOW = 32_768;

/**
 * A loopback port at which nobody listens. Below those that the system gives to connections: a port of theirs may be taken by any connection between this answer
 * and the moment when somebody listens.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORT_TRIES; tries += 1) {
    const port = randomInt(PORTS_FROM, PORTS_BELOW);
    if (await isFree(port)) return port;
  }
  throw new Error("no free port");
}

/** `wanted` if it is free, else any free one. */
export async function freePortNear(wanted: number): Promise<number> {
  return (await isFree(wanted)) ? wanted : freePort();
}
