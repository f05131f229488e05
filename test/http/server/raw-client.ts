import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A bare TCP client, for what no HTTP client would send. */
export interface RawClient {
  socket: Socket;
  write(text: string): void;
  /** Resolves with everything received so far once it holds `text`; rejects when the connection ends before. */
  until(text: string): Promise<string>;
  /** What was received so far is not told again. */
  forget(): void;
  /** Resolves with everything received when the server has closed the connection. */
  closed(): Promise<string>;
}

export async function rawClient(t: { after(end: () => void): void }, port: number): Promise<RawClient> {
  const socket = connect(port, "127.0.0.1");
  t.after(() => socket.destroy());
  let received = "";
  let ended = false;
  socket.setEncoding("latin1");
  socket.on("data", (chunk) => {
    received += chunk;
    socket.emit("more");
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    ended = true;
    socket.emit("more");
  });
  await once(socket, "connect");
  return {
    socket,
    write: (text) => socket.write(text, "latin1"),
    until: async (text) => {
      while (!received.includes(text)) {
        if (ended) throw new Error(`closed before "${text}" came: ${received}`);
        await once(socket, "more");
      }
      return received;
    },
    forget: () => {
      received = "";
    },
    closed: async () => {
      while (!ended) await once(socket, "more");
      return received;
    },
  };
}
