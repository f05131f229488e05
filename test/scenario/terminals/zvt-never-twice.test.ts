import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { type SimulatedTerminal, startSimulatedTerminal } from "../../../infra/sandbox/terminal/terminal.ts";
import { HttpClient } from "../../support/http/http-client.ts";
import { assertMatches } from "../../support/http/matches.ts";
import { ADMIN, FLEET, startTestNode, type TestNode } from "../../support/node/node.ts";
import { frameOf, payment, Register } from "../../support/people/register.ts";
import { eventually, within } from "../../support/within.ts";

/** Password, config byte 86 (no intermediate status) or DE (with it), currency. */
const REGISTRATION = "060006123456860978";
const REGISTRATION_WITH_STATUS = "060006123456de0978";
/** Service byte 03: the result, and no slip. */
const REPEAT_RECEIPT = "0620050000000303";
const ACKNOWLEDGEMENT = "800000";

/** No dialogue has more bytes, in both directions. */
const DIALOGUE_BYTES_MAX = 400;

/** What a register knows when its dialogue ends, or is cut. */
interface Heard {
  /** `paid` from an approved 04-0F that it acknowledged in full; `notPaid` from 06-1E, or such a 04-0F. */
  belief: "paid" | "notPaid" | null;
  isCut: boolean;
  frames: string[];
}

/** A register on a line of which only so many bytes pass, counted over both directions; with the next one the line is gone. */
function payOverCutLine(port: number, commands: readonly string[], bytes: number): Promise<Heard> {
  const socket: Socket = connect({ port, host: "127.0.0.1" });
  socket.setNoDelay(true);
  const heard: Heard = { belief: null, isCut: false, frames: [] };
  const waiting = [...commands];
  let left = bytes;
  let buffered = Buffer.alloc(0);
  let told: "paid" | "notPaid" | null = null;

  return new Promise((resolve, reject) => {
    const end = () => {
      socket.destroy();
      resolve(heard);
    };
    const cut = () => {
      heard.isCut = true;
      end();
    };
    /** True where all of it went. */
    const send = (hex: string): boolean => {
      const frame = Buffer.from(hex, "hex");
      const part = frame.subarray(0, left);
      left -= part.length;
      if (part.length > 0) socket.write(part);
      return part.length === frame.length;
    };
    const sendNext = (): boolean => {
      const next = waiting.shift();
      return next === undefined || send(next);
    };
    const read = (frame: string): boolean => {
      heard.frames.push(frame);
      if (frame.startsWith("84")) return false;
      if (frame === ACKNOWLEDGEMENT) return true;
      if (frame.startsWith("040f")) told = frame.slice(8, 10) === "00" ? "paid" : "notPaid";
      if (frame.startsWith("061e")) heard.belief = "notPaid";
      if (!send(ACKNOWLEDGEMENT)) return false;
      if (frame.startsWith("040f")) heard.belief = told;
      if (frame.startsWith("060f") || frame.startsWith("061e")) return sendNext();
      return true;
    };
    socket.once("connect", () => {
      if (!sendNext()) cut();
    });
    socket.on("data", (chunk: Buffer) => {
      const passed = chunk.subarray(0, left);
      left -= passed.length;
      buffered = Buffer.concat([buffered, passed]);
      for (;;) {
        const length = 3 + (buffered[2] ?? Number.POSITIVE_INFINITY);
        if (buffered.length < length) break;
        const frame = buffered.subarray(0, length).toString("hex");
        buffered = buffered.subarray(length);
        const goesOn = read(frame);
        const isLast = waiting.length === 0 && (frame.startsWith("060f") || frame.startsWith("061e"));
        if (!goesOn && !frame.startsWith("84")) return cut();
        if (frame.startsWith("84") || (isLast && heard.belief !== null)) return end();
      }
      if (passed.length < chunk.length || left === 0) cut();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(heard));
  });
}

describe("a register whose line is cut, on a sandbox node with the simulated terminal", () => {
  let node: TestNode;
  let terminal: SimulatedTerminal;
  let port = 0;
  const executed = new Map<number, number>();
  const uuids = new Map<number, string>();
  const admin = new HttpClient(() => node.url, { authorization: ADMIN }, "127.0.0.1");
  const routes = () => admin.get("/admin/zvt/routes");

  before(async () => {
    node = await startTestNode();
    terminal = await startSimulatedTerminal({
      terminalId: "SIM00001",
      url: node.url,
      speed: 200,
      // Each of its bytes would be a cut more; that slips change nothing of it is shown by test/http/zvt/dialogues.test.ts.
      slips: false,
      onEvent: (event) => {
        if (event.type === "received" && event.service === "PAYCC") {
          executed.set(event.amountCents, (executed.get(event.amountCents) ?? 0) + 1);
          uuids.set(event.amountCents, event.uuid);
        }
      },
    });
    await terminal.online;
    await eventually(async () => {
      port = Number(/"ports":\[(\d+)\]/.exec((await routes()).text)?.[1]);
      assert.ok(port > 0);
    });
  });
  after(async () => {
    await terminal?.stop();
    await node?.stop();
  });

  /** The result of a payment of which the terminal itself says none (infra/sandbox/terminal/outcomes.ts). */
  async function approve(amountCents: number): Promise<void> {
    const fleet = new HttpClient(() => node.url, { authorization: FLEET }, "127.0.0.1");
    const posted = await fleet.receipt("SIM00001", { uuid: uuids.get(amountCents), result: "OK", amount: amountCents });
    assert.equal(posted.status, 200, posted.text);
  }

  /** Comes again until it is told how it ended; `84 A0 00` says nothing of that. */
  function payAgain(amountCents: number): Promise<Heard> {
    return eventually(async () => {
      const heard = await payOverCutLine(port, [REGISTRATION, payment(amountCents)], Number.POSITIVE_INFINITY);
      assert.notEqual(heard.belief, null, heard.frames.join());
      return heard;
    });
  }

  for (const { title, digits, truth, first } of [
    { title: "approved", digits: 0, truth: "paid", first: [] },
    { title: "approved, with registration and intermediate status", digits: 0, truth: "paid", first: [REGISTRATION_WITH_STATUS] },
    { title: "declined", digits: 51, truth: "notPaid", first: [REGISTRATION] },
  ] as const) {
    it(`${title}: cut after each byte of the dialogue, and the same 06-01 again: executed once, and told the truth`, {
      timeout: 240_000,
    }, async () => {
      const base = { approved: 100_000, declined: 300_000 }[title.split(",")[0] ?? ""] ?? 0;
      const cuts = { silent: 0, told: 0 };
      let bytes = 0;
      for (let isCut = true; isCut; ) {
        bytes += 1;
        assert.ok(bytes < DIALOGUE_BYTES_MAX, "the dialogue has no end");
        const amountCents = base + first.length * 1_000_000 + bytes * 100 + digits;
        const where = `cut after ${bytes} bytes`;
        const heard = await within(where, payOverCutLine(port, [...first, payment(amountCents)], bytes));
        isCut = heard.isCut;
        if (heard.belief === null) {
          cuts.silent += 1;
          assert.equal((await within(where, payAgain(amountCents))).belief, truth, where);
        } else {
          cuts.told += 1;
          assert.equal(heard.belief, truth, where);
        }
        assert.equal(executed.get(amountCents), 1, `${where}: executed once`);
      }
      assert.ok(cuts.silent > 80 && cuts.told > 0, JSON.stringify({ ...cuts, bytes }));
    });
  }

  it("gives a register that was cut off before 06-0F its receipt when it asks for it", async () => {
    const amountCents = 7_700;
    const register = await Register.connect(port);
    register.send(payment(amountCents));
    assert.equal(await register.next(), ACKNOWLEDGEMENT);
    const told = await register.next();
    assert.match(told ?? "", /^040f..270004000000007700/);
    register.send(ACKNOWLEDGEMENT);
    register.destroy();
    await eventually(async () => {
      const again = await Register.connect(port);
      const frames = await again.command(REPEAT_RECEIPT);
      again.destroy();
      assert.match(frameOf(frames, "040f"), /^040f..270004000000007700/);
    });
    assert.equal(executed.get(amountCents), 1);
  });

  it("repeats after T3 on a new socket while the old one stays: one payment, told on the new one, and the old one is closed", async () => {
    const amountCents = 8_891;
    const silent = await Register.connect(port);
    silent.send(payment(amountCents));
    await eventually(() => assert.equal(executed.get(amountCents), 1));
    // It waited for 80-00-00, which was lost on its way.
    const again = await Register.connect(port);
    again.send(payment(amountCents));
    assert.equal(await again.next(), ACKNOWLEDGEMENT);
    assert.equal(await silent.next(), ACKNOWLEDGEMENT);
    assert.equal(await silent.next(), null);
    await approve(amountCents);
    const frames = await again.end();
    assert.match(frameOf(frames, "040f"), /^040f..2700/);
    assert.equal(frames.at(-1)?.slice(0, 4), "060f");
    again.destroy();
    assert.equal(executed.get(amountCents), 1);
    assertMatches((await routes()).body, { data: { routes: [{ open: null, lastOutcome: { outcome: "paid", amountCents } }] } });
  });

  it("repeats three times at once: one of the sockets is told, and the terminal executed once", async () => {
    const amountCents = 9_991;
    const registers = await Promise.all([1, 2, 3].map(() => Register.connect(port)));
    let ended = 0;
    const paying = registers.map(async (register) => {
      const frames = await register.pay(amountCents);
      ended += 1;
      return frames;
    });
    // Two of them are sent away before there is a result.
    await eventually(() => assert.deepEqual([executed.get(amountCents), ended], [1, 2]));
    await approve(amountCents);
    const answers = await Promise.all(paying);
    for (const register of registers) register.destroy();
    const told = answers.filter((frames) => frames.some((frame) => frame?.startsWith("040f")));
    assert.equal(told.length, 1, JSON.stringify(answers));
    for (const frames of answers) {
      if (frames !== told[0]) assert.ok(frames.at(-1) === null || frames[0] === "84a000", JSON.stringify(frames));
    }
    assert.equal(executed.get(amountCents), 1);
  });

  it("has the same amount as a second sale once the result has waited for it longer than `reattachSeconds`", async () => {
    const amountCents = 11_100;
    const cut = await Register.connect(port);
    const unheard = await cut.pay(amountCents, (frame) => !frame.startsWith("040f"));
    cut.destroy();
    await eventually(async () => {
      assertMatches((await routes()).body, { data: { routes: [{ connections: [], lastOutcome: { amountCents } }] } });
    });
    node.advance(61_000);
    const next = await Register.connect(port);
    // By that clock its terminal's heart-beats are overdue, so that its socket may be closed: until it is back, it is refused as OFFLINE, and nothing executed.
    const frames = await eventually(async () => {
      const answer = await next.pay(amountCents);
      frameOf(answer, "040f");
      return answer;
    });
    next.destroy();
    assert.notEqual(frameOf(frames, "040f"), frameOf(unheard, "040f"));
    assert.equal(executed.get(amountCents), 2);
    const attention = await admin.get("/admin/attention");
    assert.match(attention.text, /zvt_undelivered/);
  });
});
