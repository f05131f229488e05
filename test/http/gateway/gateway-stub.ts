import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import { verifyIndependently } from "../../support/http/independent-signature.ts";

export interface Received {
  method: string;
  target: string;
  body: unknown;
  /** As another implementation verified it; null for a signature that does not hold. */
  keyId: string | null;
  signed: string[];
  digest: string;
}

export type Behave = (request: Received, response: ServerResponse, message: IncomingMessage) => void;

/** A gateway that answers as the test says, on a free port, and checks signatures with an implementation that is not ours. */
export async function startGatewayStub(
  test: TestContext,
  secret: string,
  behave: Behave,
  port = 0,
): Promise<{ url: string; port: number; received: Received[]; connections(): number; stop(): Promise<void> }> {
  const received: Received[] = [];
  let connections = 0;
  const server = createServer((message, response) => {
    let text = "";
    message.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    message.on("end", () => {
      const params = verifyIndependently(message, secret);
      const request = {
        method: message.method ?? "",
        target: message.url ?? "",
        body: text === "" ? null : JSON.parse(text),
        keyId: params?.keyId ?? null,
        signed: params?.headers ?? [],
        digest: String(message.headers["digest"] ?? ""),
      };
      received.push(request);
      behave(request, response, message);
    });
  });
  server.on("connection", () => {
    connections += 1;
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  test.after(stop);
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a listening server has a port");
  return { url: `http://127.0.0.1:${address.port}/CG`, port: address.port, received, connections: () => connections, stop };
}

export function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
