import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { syncedAnswers } from "../peers/sync-trace.ts";

const UUID = "7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11";
const LOG = "15</data/state/000005.log>";
const READS_BODY = `10 recvfrom(20<socket:[1]>, "{\\"uuid\\":\\"${UUID}\\",\\"amount\\":100}", 524288, 0, NULL, NULL) = 66`;
const READS_HEAD =
  '10 recvfrom(20<socket:[1]>, "POST /api/v1/P1/pay HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n", 524288, 0, NULL, NULL) = 334';
const ARRIVES = `${READS_HEAD.slice(0, READS_HEAD.indexOf('", 524288'))}{\\"uuid\\":\\"${UUID}\\"}", 524288, 0, NULL, NULL) = 400`;
const POLL = '10 recvfrom(20<socket:[1]>, "GET /api/v1/P1/get HTTP/1.1\\r\\n\\r\\n", 524288, 0, NULL, NULL) = 100';
const SIMULATED_POLL = '12 write(37<socket:[3]>, "GET /api/v1/SIM00002/get HTTP/1.1\\r\\n\\r\\n", 100) = 100';
const WRITES = `11 write(${LOG}, "\\1\\2command/${UUID}\\3", 300) = 300`;
const WRITES_OTHER = `11 write(${LOG}, "\\1\\2feed/cursor\\3", 60) = 60`;
const SYNCS = `11 fdatasync(${LOG}) = 0`;
const SYNC_BEGINS = `11 fdatasync(${LOG} <unfinished ...>`;
const SYNC_ENDS = "11 <... fdatasync resumed>) = 0";
const ANSWERS = '10 sendto(20<socket:[1]>, "HTTP/1.1 200 OK\\r\\nContent-Length: 2"..., 300, 0, NULL, 0) = 300';

const AOF = "9</d/appendonlydir/appendonly.aof.1.incr.aof>";
const OF_TWO_PROCESSES = [
  "8 read(21<TCP:[1]>,  <unfinished ...>",
  `8 <... read resumed>"POST /api/v1/P1/pay HTTP/1.1\\r\\n\\r\\n{\\"uuid\\":\\"${UUID}\\"}", 65536) = 80`,
  `7 write(${AOF}, "*5\\r\\n$3\\r\\nSET\\r\\n$38\\r\\nu:${UUID}\\r\\n", 99) = 99`,
  `7 fdatasync(${AOF}) = 0`,
  '8 write(21<TCP:[1]>, "HTTP/1.1 200 OK\\r\\n", 99) = 99',
];

const CASES: readonly (readonly [what: string, calls: readonly string[], unsynced: number])[] = [
  ["what was written is synced", [ARRIVES, WRITES, SYNCS, ANSWERS], 0],
  ["a sync takes a while", [ARRIVES, WRITES, SYNC_BEGINS, SYNC_ENDS, ANSWERS], 0],
  ["a program asks a Redis", OF_TWO_PROCESSES, 0],
  ["the body comes after the head", [READS_HEAD, READS_BODY, WRITES, SYNCS, ANSWERS], 0],
  ["a poll takes the payment before it", [ARRIVES, WRITES, SYNCS, ANSWERS, POLL, WRITES, SYNCS, ANSWERS], 0],
  ["the simulated terminal polls meanwhile", [ARRIVES, WRITES, SYNC_BEGINS, SIMULATED_POLL, SYNC_ENDS, ANSWERS], 0],
  ["something else is written after it", [ARRIVES, WRITES, SYNCS, WRITES_OTHER, ANSWERS], 0],
  ["nothing is synced", [ARRIVES, WRITES, ANSWERS], 1],
  ["nothing is written", [ARRIVES, SYNCS, ANSWERS], 1],
  ["only something else is written", [ARRIVES, WRITES_OTHER, SYNCS, ANSWERS], 1],
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
