import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { answerIn } from "../load/http-connection.ts";

function statusOf(text: string): number | null {
  // More lies behind what was read, as in the buffer that all connections read into.
  return answerIn(Buffer.from(`${text}HTTP/1.1 500 left from before\r\n\r\n`, "latin1"), text.length);
}

const WHOLE: readonly (readonly [server: string, answer: string, status: number])[] = [
  ["the relay", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", 200],
  ["Fastify", 'HTTP/1.1 400 Bad Request\r\ncontent-length: 11\r\nConnection: keep-alive\r\n\r\n{"error":1}', 400],
  ["a server that writes no body", "HTTP/1.1 204 No Content\r\nDate: now\r\n\r\n", 204],
  ["Spring", 'HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n1a\r\n{"status":"ok","data":"1"}\r\n3\r\nabc\r\n0\r\n\r\n', 200],
];

describe("an answer to the load generator", () => {
  for (const [server, answer, status] of WHOLE) {
    it(`is whole when all of it came, and not before: ${server}`, () => {
      assert.equal(statusOf(answer), status);
      for (let length = 0; length < answer.length; length += 1) assert.equal(statusOf(answer.slice(0, length)), null, `${length} bytes`);
    });
  }

  it("is refused where it does not say how long it is, or more came than one", () => {
    assert.throws(() => statusOf("HTTP/1.1 200 OK\r\nDate: now\r\n\r\n"), /says not how long it is/);
    assert.throws(() => statusOf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnone\r\n"), /a chunk without a size/);
    assert.throws(() => statusOf("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1"), /more came than one answer/);
  });
});
