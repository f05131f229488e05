import { once } from "node:events";
import { createServer } from "node:net";

/** Whether nothing listens on this loopback port now. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

/** A loopback port that was free a moment ago; another process may take it before it is used. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("a listening server has a port");
  return address.port;
}

/** `wanted` if it is free, else any free one. */
export async function freePortNear(wanted: number): Promise<number> {
  return (await isFree(wanted)) ? wanted : freePort();
}
