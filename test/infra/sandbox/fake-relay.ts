import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { type StompFrame, serializeFrame } from "../../../http/stomp/frame.ts";
import { FrameParser } from "../../../http/stomp/frame-parser.ts";
import { CLIENT_FRAME_LIMITS } from "../../../http/stomp/limits.ts";

export interface Posted {
  terminalId: string;
  authorization: string | undefined;
  body: { [member: string]: unknown };
}

/** Just enough of a relay for a terminal: hands commands out by poll or push, and takes results as it is told to. */
export interface FakeRelay {
  readonly url: string;
  /** Commands for the next polls. */
  readonly waiting: object[];
  /** Statuses of the next receipt postings; 200 when it is empty. "drop" cuts the connection without an answer. */
  readonly receiptAnswers: (number | "drop")[];
  readonly posted: Posted[];
  readonly polls: IncomingMessage["headers"][];
  readonly frames: StompFrame[];
  /** Resolves with the results (also those refused) once there are `count`. */
  results(count: number): Promise<Posted[]>;
  /** Resolves with the frames of this command once there are `count`. */
  framesOf(command: string, count: number): Promise<StompFrame[]>;
  push(command: object): void;
  /** Cuts all WebSockets. */
  cut(): void;
  stop(): Promise<void>;
}

export async function startFakeRelay(): Promise<FakeRelay> {
  const changed = new EventEmitter().setMaxListeners(100);
  const relay = { waiting: [], receiptAnswers: [], posted: [], polls: [], frames: [] } as Pick<
    FakeRelay,
    "waiting" | "receiptAnswers" | "posted" | "polls" | "frames"
  >;
  const subscribers = new Map<WebSocket, { id: string; acknowledges: boolean }>();
  let messages = 0;

  const http = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, , , terminalId = "", operation] = (request.url ?? "").split("/");
    if (operation === "get") {
      relay.polls.push(request.headers);
      const command = relay.waiting.shift();
      response.writeHead(command === undefined ? 204 : 200).end(command === undefined ? undefined : JSON.stringify(command));
      return;
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const status = relay.receiptAnswers.shift() ?? 200;
    relay.posted.push({ terminalId, authorization: request.headers.authorization, body: JSON.parse(Buffer.concat(chunks).toString()) });
    if (status === "drop") request.socket.destroy();
    else response.writeHead(status).end("{}");
    changed.emit("change");
  }

  const sockets = new WebSocketServer({ server: http, path: "/ws" });
  sockets.on("connection", (socket) => {
    const parser = new FrameParser(CLIENT_FRAME_LIMITS);
    socket.on("close", () => subscribers.delete(socket));
    socket.on("message", (data) => {
      parser.feed(Buffer.isBuffer(data) ? data : Buffer.alloc(0));
      for (let frame = parser.next(); frame !== null; frame = parser.next()) {
        handle(socket, frame);
        relay.frames.push(frame);
        changed.emit("change");
      }
    });
  });
  function handle(socket: WebSocket, frame: StompFrame): void {
    if (frame.command === "CONNECT") socket.send(serializeFrame("1.2", "CONNECTED", [["version", "1.2"]]));
    if (frame.command !== "SUBSCRIBE") return;
    subscribers.set(socket, { id: frame.headers.get("id") ?? "", acknowledges: (frame.headers.get("ack") ?? "auto") !== "auto" });
    socket.send(serializeFrame("1.2", "RECEIPT", [["receipt-id", frame.headers.get("receipt") ?? ""]]));
  }

  async function until<T>(read: () => T[], count: number): Promise<T[]> {
    while (read().length < count) await once(changed, "change");
    return read();
  }

  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  return {
    ...relay,
    url: `http://127.0.0.1:${port}`,
    results: (count) => until(() => relay.posted, count),
    framesOf: (command, count) => until(() => relay.frames.filter((frame) => frame.command === command), count),
    push: (command) => {
      for (const [socket, { id, acknowledges }] of subscribers) {
        messages += 1;
        const ack = acknowledges ? ([["ack", `m${messages}`]] as const) : [];
        socket.send(
          serializeFrame(
            "1.2",
            "MESSAGE",
            [["subscription", id], ["message-id", `m${messages}`], ["destination", "/topic/terminal/T1"], ...ack],
            JSON.stringify(command),
          ),
        );
      }
    },
    cut: () => {
      for (const socket of sockets.clients) socket.terminate();
    },
    stop: async () => {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      http.close();
      http.closeAllConnections();
      await once(http, "close");
    },
  };
}
