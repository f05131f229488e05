import { once } from "node:events";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";

/** A name of a socket may be no longer on any system. */
const PATH_BYTES_MAX = 103;
const LINE_CHARACTERS_MAX = 200;
const CONNECTIONS_MAX = 8;

const DONE = "done";
const FAILED = "failed: ";

/** What a request does; each line is told to who has asked. Rejects with why it could not. */
export type Handle = (request: string, tell: (line: string) => void) => Promise<void>;

/**
 * Lets other programs of this user ask a running cluster for something, at a socket in its folder: a line with the request, then lines of what it does, and
 * `done` or `failed: reason`. Requests are handled one after the other. Rejects where a cluster of this folder runs already.
 */
export async function listenForControl(directory: string, handle: Handle): Promise<{ close(): void }> {
  const path = socketPath(directory);
  mkdirSync(resolve(directory), { recursive: true });
  if (existsSync(path)) {
    if (await isAnswered(path)) throw new Error(`a cluster of ${resolve(directory)} is already running`);
    // Of one that was killed.
    rmSync(path);
  }
  let last: Promise<unknown> = Promise.resolve();
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
    const tell = (line: string): void => {
      if (socket.writable) socket.write(`${line}\n`);
    };
    const asked = (line: string): void => {
      const handled = last.then(() => handle(line, tell));
      last = handled.then(
        () => socket.end(`${DONE}\n`),
        (error: unknown) => socket.end(`${FAILED}${error instanceof Error ? error.message : String(error)}\n`),
      );
    };
    readLine(socket, asked);
  });
  server.maxConnections = CONNECTIONS_MAX;
  // Only this user may ask.
  const mask = process.umask(0o077);
  try {
    server.listen(path);
    await once(server, "listening");
  } finally {
    process.umask(mask);
  }
  return {
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

/** Asks the cluster of a folder, and tells each line. Rejects with why it failed, or where no cluster runs there. */
export async function askCluster(directory: string, request: string, tell: (line: string) => void): Promise<void> {
  const socket = connect(socketPath(directory));
  try {
    await once(socket, "connect");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `no cluster of ${resolve(directory)} is running (${reason}): start one with npm run cluster, or name its folder with --dir`,
    );
  }
  socket.write(`${request}\n`);
  for await (const line of createInterface({ input: socket })) {
    if (line === DONE) return;
    if (line.startsWith(FAILED)) throw new Error(line.slice(FAILED.length));
    tell(line);
  }
  throw new Error("the cluster has ended");
}

/** The first line, once. */
function readLine(socket: Socket, read: (line: string) => void): void {
  let text = "";
  socket.setEncoding("utf8");
  const more = (chunk: string): void => {
    text += chunk;
    const end = text.indexOf("\n");
    if (end < 0 && text.length > LINE_CHARACTERS_MAX) socket.destroy();
    if (end < 0) return;
    socket.off("data", more);
    socket.resume();
    read(text.slice(0, end));
  };
  socket.on("data", more);
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path);
  return once(socket, "connect").then(
    () => {
      socket.destroy();
      return true;
    },
    () => false,
  );
}

/** From the working folder, where that is shorter: the system keeps few bytes for such a name. */
function socketPath(directory: string): string {
  const absolute = join(resolve(directory), "control.sock");
  const near = relative(process.cwd(), absolute);
  const path = near.length < absolute.length ? near : absolute;
  if (Buffer.byteLength(path) > PATH_BYTES_MAX)
    throw new Error(`the path ${path} is too long for a socket: name a shorter folder with --dir`);
  return path;
}
