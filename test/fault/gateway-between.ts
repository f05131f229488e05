import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { TestContext } from "node:test";
import { atEnd } from "../storage/kv/world.ts";

/** What stands between the relay and the gateway: it may do something when the relay has asked and the gateway does not know yet, or has answered and the relay does not know yet. */
export interface Between {
  url: string;
  /** Called with the operation before the gateway hears of it: false, or where whoever has asked is gone by then, it never does. */
  asked: (operation: string) => Promise<boolean>;
  /** Called with the operation; the answer is passed on once this resolves. */
  answered: (operation: string) => Promise<unknown>;
}

export async function startBetween(test: TestContext, gatewayUrl: string): Promise<Between> {
  const between: Between = { url: "", asked: async () => true, answered: async () => {} };
  const server = createServer(async (near, response) => {
    const operation = operationOf(near.url ?? "");
    if (!(await between.asked(operation)) || near.socket.destroyed) {
      response.destroy();
      return;
    }
    // The signature covers the host that the relay has called: it is passed on as it came.
    const far = request(gatewayUrl + near.url, { method: near.method ?? "GET", headers: near.headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", async () => {
        await between.answered(operation);
        response.writeHead(answer.statusCode ?? 502, answer.headers).end(Buffer.concat(chunks));
      });
    });
    far.on("error", () => response.destroy());
    near.pipe(far);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(test, () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address !== "string");
  between.url = `http://127.0.0.1:${address.port}`;
  return between;
}

/** Those of the protocol, and `charges` and `charges/verification` of cards on file. */
function operationOf(url: string): string {
  return /^\/(?:pgw\/payment|sandbox)\/([\w/]+)/.exec(url)?.[1] ?? "";
}
