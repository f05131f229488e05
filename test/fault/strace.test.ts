import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { SCHEMAS } from "../../engine/kernel/schemas.ts";
import { directoryOf } from "../storage/kv/world.ts";
import { SHARD_COUNTS } from "../support/node/node.ts";
import { connectStomp } from "../support/people/stomp-terminal.ts";
import { NO_CLICKHOUSE, placeOf, startNodeProcess } from "./node-process.ts";
import { type Answer, PARTNER, RelayCaller, TERMINAL } from "./relay-caller.ts";
import { readSystemCalls, type SystemCall } from "./system-calls.ts";

/** Whole records have to be seen, not their beginnings. */
const TEXT_MAX = "65536";

for (const shards of SHARD_COUNTS) {
  describe(`what a node with ${shards} shard(s) has on disk before it speaks, by its system calls`, () => {
    it("syncs what an answer or a frame tells before it is sent", { timeout: 120_000 }, async (test) => {
      const missing = whyNoTrace();
      if (missing !== null) {
        assert.equal(process.env["CI"], undefined, missing);
        test.skip(missing);
        return;
      }
      const place = await placeOf(test);
      const traceFile = join(await directoryOf(test), "trace");
      const calls = ["--seccomp-bpf", "-f", "-y", "-s", TEXT_MAX, "-e", "trace=write,writev,sendto,sendmsg,fdatasync,fsync"];
      const node = startNodeProcess(test, {
        ...place,
        environment: { ...NO_CLICKHOUSE, RELAY_SHARDS: String(shards) },
        under: ["strace", ...calls, "-o", traceFile],
      });
      await node.ready();
      const told = await speak(node.url);
      await node.kill();
      const trace = readSystemCalls(await readFile(traceFile, "utf8"));
      for (const { what, sent, stored } of told) assertSyncedBefore(trace, what, sent, stored);
    });
  });
}

/** Something that the relay told: what its bytes hold, and what has to be in a record on disk before. */
interface Told {
  what: string;
  sent: readonly string[];
  stored: RegExp;
}

/** Everything that the relay promises by an answer or a frame, one after the other, on several terminals so that both shards get some. */
async function speak(url: string): Promise<Told[]> {
  const caller = new RelayCaller(url, { connections: 1 });
  const told: Told[] = [];
  const answered = async (
    what: string,
    id: string,
    stored: RegExp,
    answer: Promise<Answer | null>,
    holds: string[] = [],
  ): Promise<void> => {
    const got = await answer;
    assert.equal(got?.status, 200, `${what}: ${got?.text}`);
    told.push({ what, sent: ["HTTP/1.1 200", `X-Request-Id: ${id}`, ...holds], stored });
  };
  const json = { "content-type": "application/json" };
  const post = (path: string, headers: { [name: string]: string }, id: string, body: object) =>
    caller.call("POST", `/api/v1/${path}`, { ...headers, ...json, "x-request-id": id }, JSON.stringify(body));
  const payment = (uuid: string) => ({ uuid, amount: 1_000, service: "PAYCC" });

  for (const n of [0, 1, 2]) {
    const [terminalId, uuid] = [`polling-${n}`, `polled-${n}`];
    const { queued, sent, done } = recordsOf(uuid);
    await answered("200 on pay", `pay-${n}`, queued, post(`${terminalId}/pay`, PARTNER, `pay-${n}`, payment(uuid)));
    const poll = caller.get(`/api/v1/${terminalId}/get`, { ...TERMINAL, "x-request-id": `get-${n}` });
    await answered("a command as the answer to a poll", `get-${n}`, sent, poll, [`"uuid":"${uuid}"`]);
    const result = { uuid, result: "OK", amount: 1_000 };
    await answered("200 on receipt", `receipt-${n}`, done, post(`${terminalId}/receipt`, TERMINAL, `receipt-${n}`, result));

    const printed = `print-${n}`;
    const print = post(`${terminalId}/print`, PARTNER, `print-${n}`, { uuid: printed, text: "Thank you" });
    await answered("200 on print", `print-${n}`, recordsOf(printed).queued, print);
    const cancel = post(`commands/${printed}/cancel`, PARTNER, `cancel-${n}`, {});
    await answered("200 on cancel", `cancel-${n}`, recordsOf(printed).cancelled, cancel);
  }
  for (const n of [0, 1, 2]) {
    const [terminalId, uuid] = [`pushed-to-${n}`, `pushed-${n}`];
    const { sent, done } = recordsOf(uuid);
    const terminal = await connectStomp(url, { login: "terminal", passcode: "terminal" });
    const commands = await terminal.subscribe(terminalId);
    await answered("200 on a pay that is pushed", `push-${n}`, sent, post(`${terminalId}/pay`, PARTNER, `push-${n}`, payment(uuid)));
    await commands.next();
    told.push({ what: "a MESSAGE", sent: ["MESSAGE\\n", `/topic/terminal/${terminalId}`, `"uuid":"${uuid}"`], stored: sent });
    // Receipts are counted by connection, the first is the subscription's: so many pings make this one's number the first of its kind.
    for (let ping = 0; ping < n; ping++) await terminal.ping(terminalId);
    await terminal.result(terminalId, { uuid, result: "KO", amount: 1_000 });
    told.push({ what: "a RECEIPT for a result", sent: ["RECEIPT\\n", `receipt-id:receipt-${n + 2}\\n`], stored: done });
    await terminal.vanish();
  }
  await caller.close();
  return told;
}

/** What a write holds once a command stands so; the record of a terminal begins with its queue. */
function recordsOf(uuid: string): { [state in "queued" | "sent" | "done" | "cancelled"]: RegExp } {
  return {
    queued: new RegExp(`\\[${SCHEMAS.terminal.writes},\\[\\["${uuid}".*c/${uuid}`, "s"),
    sent: new RegExp(`\\[${SCHEMAS.terminal.writes},\\[\\],\\[\\["${uuid}"`),
    done: new RegExp(`c/${uuid}.*\\],\\["done",[^\\]]*\\],\\[\\d+,"CARD","(?:OK|KO)"`, "s"),
    cancelled: new RegExp(`c/${uuid}.*\\],\\["cancelled"`, "s"),
  };
}

function assertSyncedBefore(trace: readonly SystemCall[], what: string, sent: readonly string[], stored: RegExp): void {
  const write = trace.find(({ type, file, text }) => type === "write" && file.endsWith(".log") && stored.test(text));
  assert.ok(write !== undefined, `${what}: nothing was written that matches ${stored}`);
  const sync = trace.find(({ type, file, began }) => type === "sync" && file === write.file && began > write.ended);
  assert.ok(sync !== undefined, `${what}: what was written was never synced`);
  const first = trace.find(({ type, text }) => type === "send" && sent.every((part) => text.includes(part)));
  assert.ok(first !== undefined, `${what}: was not sent`);
  assert.ok(first.began > sync.ended, `${what}: was sent before its record was synced`);
}

function whyNoTrace(): string | null {
  const tried = spawnSync("strace", ["--seccomp-bpf", "-f", "-e", "trace=fdatasync", "true"], { encoding: "utf8" });
  if (tried.error !== undefined) return "strace is not installed";
  return tried.status === 0 ? null : `strace does not work here: ${tried.stderr.trim()}`;
}
