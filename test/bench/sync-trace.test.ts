import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { syncedAnswers } from "../../bench/peers/sync-trace.ts";

const LOG = "15</data/state/000005.log>";
const ARRIVES = '10 recvfrom(20<socket:[1]>, "POST /api/v1/P1/pay HTTP/1.1\\r\\nHost"..., 524288, 0, NULL, NULL) = 400';
const WRITES = `11 write(${LOG}, "\\1\\2", 300) = 300`;
const SYNCS = `11 fdatasync(${LOG}) = 0`;
const SYNC_BEGINS = `11 fdatasync(${LOG} <unfinished ...>`;
const SYNC_ENDS = "11 <... fdatasync resumed>) = 0";
const ANSWERS = '10 sendto(20<socket:[1]>, "HTTP/1.1 200 OK\\r\\nContent-Length: 2"..., 300, 0, NULL, 0) = 300';

const CASES: readonly (readonly [what: string, calls: readonly string[], unsynced: number])[] = [
  ["what was written is synced", [ARRIVES, WRITES, SYNCS, ANSWERS], 0],
  ["a sync takes a while", [ARRIVES, WRITES, SYNC_BEGINS, SYNC_ENDS, ANSWERS], 0],
  [
    "of Redis and a program before it",
    [
      '9 read(8<TCP:[1]>, "GET /api/v1/P1/get", 99) = 80',
      '7 write(9</d/appendonlydir/appendonly.aof.1.incr.aof>, "*3", 3) = 3',
      "7 fdatasync(9</d/appendonlydir/appendonly.aof.1.incr.aof>) = 0",
      '9 write(8<TCP:[1]>, "HTTP/1.1 200 OK", 99) = 99',
    ],
    0,
  ],
  ["nothing is synced", [ARRIVES, WRITES, ANSWERS], 1],
  ["nothing is written", [ARRIVES, SYNCS, ANSWERS], 1],
  ["the answer leaves while it syncs", [ARRIVES, WRITES, SYNC_BEGINS, ANSWERS, SYNC_ENDS], 1],
  ["the sync began before it was written", [ARRIVES, SYNC_BEGINS, WRITES, SYNC_ENDS, ANSWERS], 1],
  ["the sync failed", [ARRIVES, WRITES, `11 fdatasync(${LOG}) = -1 EIO (Input/output error)`, ANSWERS], 1],
  ["another file is synced", [ARRIVES, WRITES, "11 fdatasync(16</data/other>) = 0", ANSWERS], 1],
  ["the sync is that of the request before", [ARRIVES, WRITES, SYNCS, ANSWERS, ARRIVES, ANSWERS], 1],
];

describe("answers in a trace of system calls", () => {
  for (const [what, calls, unsynced] of CASES) {
    it(`${unsynced === 0 ? "are synced" : "are not synced"} where ${what}`, () => {
      assert.equal(syncedAnswers(calls).unsynced, unsynced);
    });
  }

  it("are those to the caller and the frames to a terminal, but not the RECEIPT of a subscription", () => {
    const frame = (text: string) => `10 sendto(21<socket:[2]>, "\\201~\\0\\220${text}", 200, 0, NULL, 0) = 200`;
    const result =
      '10 recvfrom(21<socket:[2]>, "\\201\\376\\0\\303\\0\\0\\0\\0SEND\\ndestination:/app/terminal/W1/receipt\\n"..., 524288, 0, NULL, NULL) = 203';
    const calls = [
      frame("RECEIPT\\nreceipt-id:subscribed\\n\\n\\0"),
      ARRIVES,
      WRITES,
      SYNCS,
      frame("MESSAGE\\nsubscription:0\\n"),
      ANSWERS,
      result,
      WRITES,
      frame("RECEIPT\\nreceipt-id:7\\n\\n\\0"),
      '10 sendto(20<socket:[1]>, "HTTP/1.1 400 Bad Request\\r\\n", 300, 0, NULL, 0) = 300',
    ];
    assert.deepEqual(syncedAnswers(calls), { answers: 3, unsynced: 1 });
  });
});
