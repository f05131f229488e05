import assert from "node:assert/strict";
import { createServer } from "node:http";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { eventually } from "../../test/support/within.ts";
import { HttpConnection } from "../load/http-connection.ts";
import { paced, type Schedule, saturated } from "../load/schedules.ts";

const REQUEST = Buffer.from("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "latin1");
const CONNECTIONS = 4;
const REQUESTS = 30;

async function connectionsTo(test: TestContext, answered: Schedule["answered"]): Promise<HttpConnection[]> {
  const server = createServer((_, response) => response.writeHead(204).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const open = () => HttpConnection.open(address.port, answered, () => {});
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, open));
  test.after(() => {
    for (const connection of connections) connection.close();
    server.close();
  });
  return connections;
}

describe("a schedule of so many requests", () => {
  for (const [name, schedule, ratePerSecond] of [
    ["as fast as they are answered", saturated, null],
    ["at a rate", paced, 1_000],
  ] as const) {
    it(`sends them and no more: ${name}`, async (test) => {
      let [sent, answers] = [0, 0];
      const requests = schedule({
        task: { ratePerSecond },
        requestsMax: REQUESTS,
        measurement: {
          answered: () => {
            answers += 1;
          },
          late: () => {},
        },
        send: (connection) => {
          sent += 1;
          connection.send(REQUEST);
        },
      });
      requests.start(await connectionsTo(test, requests.answered));
      await eventually(() => assert.equal(answers, REQUESTS));
      await delay(50);
      assert.deepEqual([sent, answers, requests.underWay()], [REQUESTS, REQUESTS, 0]);
      requests.stop();
    });
  }
});
