/**
 * `npm run test:zvt`: cash registers that others wrote pay on a sandbox node, and tshark decodes what went over the wire. The registers are a program of our own
 * on a public ZVT library for Rust, and the example that the library ships (rust/); what is built is kept in `~/.cache/terminal-relay-zvt` (or ZVT_CACHE).
 * Needs cargo and tshark; outside CI it says what is missing and leaves that out.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { commandLine } from "../../infra/command-line.ts";
import { type SimulatedTerminal, startSimulatedTerminal } from "../../infra/sandbox/terminal/terminal.ts";
import { HttpClient } from "../support/http/http-client.ts";
import { assertMatches } from "../support/http/matches.ts";
import { ADMIN, startTestNode, type TestNode } from "../support/node/node.ts";
import { skipReason } from "../support/node/server-process.ts";
import { connectStomp } from "../support/people/stomp-terminal.ts";
import { eventually } from "../support/within.ts";
import { Capture } from "./capture.ts";
import { rustPrograms, tshark } from "./programs.ts";

commandLine("test:zvt")
  .description("Pays with cash registers that others wrote on a sandbox node, and decodes the wire with tshark.")
  .parse();

const run = promisify(execFile);

/** No register here waits longer: a payment takes a tenth of a second. */
const REGISTER_MS = 20_000;
/** Asks for progress (08), and for the slip (02 and 80). */
const CONFIG_BYTE = 0xde;

/** Past the time that the relay waits for a result of a command that was sent, and for the answer to its cancel. */
const UNKNOWN_AFTER_MS = 310_000;
/** Longer than one frame, with characters of code page 437. */
const SLIP = Array.from({ length: 60 }, (_, line) => `Straße ${line}: 1 Käse ½ £ ${"·".repeat(line % 20)}`);
const STATUS_FIELDS = ["zvt.result_code", "zvt.amount", "zvt.trace_number", "zvt.terminal_id", "zvt.card_number"];
const SLIP_FIELDS = ["zvt.length_field", "zvt.tlv.text_lines.line"];

/** What rust/src/bin/register.rs prints of a payment. */
interface Payment {
  amount: number;
  end: { kind: "CompletionData" } | { kind: "Abort"; code: number } | { kind: "Err"; message: string };
  statuses: { [member: string]: unknown }[];
  progress: number[];
  /** Lines of slips, of 06-D1 and of blocks (06-D3). */
  printed: string[];
  blocks: number;
}

const startedAtMs = performance.now();
const [rust, decoder] = await Promise.all([rustPrograms(), tshark()]);
console.log(`# the programs are there after ${Math.round((performance.now() - startedAtMs) / 1000)} s`);
const skipRust = skipReason(rust);
const skipDecoder = skipReason(decoder);

describe("cash registers that others wrote", { skip: skipRust }, () => {
  let folder: string;
  let node: TestNode;
  let terminal: SimulatedTerminal;
  let port: number;
  let capture: Capture | null = null;
  /** Every 04-0F as our register decoded it, in their order. */
  const heard: { [member: string]: unknown }[] = [];
  const executed: string[] = [];
  const admin = new HttpClient(() => node.url, { authorization: ADMIN }, "127.0.0.1");

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "relay-zvt-"));
    node = await startTestNode();
    terminal = await startSimulatedTerminal({
      terminalId: "SIM00001",
      url: node.url,
      speed: 10,
      // It ends when its register wants it.
      slowMs: 3_600_000,
      onEvent: (event) => {
        if (event.type === "executed") executed.push(event.uuid);
      },
    });
    await terminal.online;
    port = await eventually(async () => {
      const found = Number(/"ports":\[(\d+)\]/.exec((await admin.get("/admin/zvt/routes")).text)?.[1]);
      assert.ok(found > 0);
      return found;
    });
    if (skipDecoder === false) capture = await Capture.start(port, join(folder, "zvt.pcapng"));
  });
  after(async () => {
    await capture?.stop();
    await terminal?.stop();
    await node?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Our register pays these amounts on one connection. */
  async function pay(amounts: readonly number[], ...more: string[]): Promise<Payment[]> {
    assert.ok(rust.type === "installed");
    const args = ["--address", `127.0.0.1:${port}`, "--amounts", amounts.join(","), ...more];
    const { stdout } = await run(rust.value.register, args, { timeout: REGISTER_MS });
    const lines = stdout
      .trim()
      .split("\n")
      .filter((line) => line.includes('"end"'));
    const payments = lines.map((line): Payment => JSON.parse(line));
    heard.push(...payments.flatMap(({ statuses }) => statuses));
    return payments;
  }

  it("approves: 04-0F with result 00, then 06-0F", async () => {
    const [payment] = await pay([1_234]);
    assertMatches(payment, {
      end: { kind: "CompletionData" },
      statuses: [{ resultCode: 0, amount: 1_234, currency: 978 }],
      // A register that has not registered asked for no progress.
      progress: [],
      printed: [],
    });
  });

  it("declines with the same code in 04-0F and 06-1E, and the connection goes on", async () => {
    const payments = await pay([1_005, 1_051, 2_345], "--config-byte", String(CONFIG_BYTE));
    assertMatches(payments, [
      { amount: 1_005, end: { kind: "Abort", code: 5 }, statuses: [{ resultCode: 5 }] },
      { amount: 1_051, end: { kind: "Abort", code: 5 }, statuses: [{ resultCode: 5 }] },
      { amount: 2_345, end: { kind: "CompletionData" }, statuses: [{ resultCode: 0, amount: 2_345 }] },
    ]);
    const [first] = payments;
    assert.ok(first !== undefined && first.progress.length > 0, "a register that asked for progress hears of it");
  });

  it("says 6C where the customer cancelled", async () => {
    const [payment] = await pay([1_017]);
    assertMatches(payment, { end: { kind: "Abort", code: 0x6c }, statuses: [{ resultCode: 0x6c }] });
  });

  it("says 6C where the register aborted, with 06-B0 in place of an acknowledgement, and executes nothing", async () => {
    const before = executed.length;
    // A slow one (infra/sandbox/terminal/outcomes.ts).
    const [payment] = await pay([3_009], "--config-byte", String(CONFIG_BYTE), "--abort");
    assertMatches(payment, { end: { kind: "Abort", code: 0x6c }, statuses: [{ resultCode: 0x6c }] });
    assert.equal(executed.length, before);
  });

  it("says the amount that was paid, where that is another", async () => {
    const [payment] = await pay([2_013]);
    assertMatches(payment, { end: { kind: "CompletionData" }, statuses: [{ resultCode: 0, amount: 2_012 }] });
  });

  it("the library's own example hears what the terminal can and what it cannot, on one connection", async () => {
    assert.ok(rust.type === "installed");
    const { stderr } = await run(rust.value.status, ["--ip", `127.0.0.1:${port}`], { timeout: REGISTER_MS });
    const answers = [...stderr.matchAll(/Response to (\w+): (.*)/g)].map(([, command, answer = ""]) => [command, briefly(answer)]);
    assert.deepEqual(answers, [
      ["Registration", "Ok(CompletionData)"],
      ["SetTerminalId", "Err"],
      ["Initialization", "Ok(CompletionData)"],
      ["Diagnosis", "Ok(CompletionData)"],
      ["PrintSystemConfiguration", "Err"],
      ["EndOfDay", `Ok(Abort ${0x77})`],
      ["StatusEnquiry", "Ok(CompletionData)"],
      ["PartialReversalData", `Ok(PartialReversalAbort ${0xb8})`],
    ]);
  });

  it("an unknown outcome is an error to the library: neither paid nor declined", async () => {
    const before = executed.length;
    const paying = pay([2_091], "--config-byte", String(CONFIG_BYTE));
    await eventually(() => assert.equal(executed.length, before + 1));
    node.advance(UNKNOWN_AFTER_MS);
    const [payment] = await paying;
    assert.ok(payment?.end.kind === "Err", "neither paid nor declined");
    assert.match(payment.end.message, /eof/);
    assert.deepEqual(payment.statuses, []);
    // It may have been paid: until that is known the same amount is refused, and no second card is read.
    assertMatches(await pay([2_091]), [{ end: { kind: "Err" }, statuses: [], progress: [] }]);
    assert.equal(executed.length, before + 1);
  });

  it("says A3 where the terminal is offline, and sends it nothing", async () => {
    const before = executed.length;
    await terminal.stop();
    await eventually(async () => assert.match((await admin.get("/api/v1/SIM00001/connection")).text, /OFFLINE/));
    const [payment] = await pay([2_345]);
    assertMatches(payment, { end: { kind: "Abort", code: 0xa3 }, statuses: [] });
    assert.equal(executed.length, before);
  });

  it("prints the slip in lines, and in blocks of more than 255 bytes for a register that takes them", async () => {
    const other = await connectStomp(node.url, { login: "terminal", passcode: "terminal" });
    try {
      const commands = await other.subscribe("SIM00001");
      for (const [index, more] of [[], ["--text-blocks"]].entries()) {
        const amount = 4_000 + index;
        const paying = pay([amount], "--config-byte", String(CONFIG_BYTE), ...more);
        const { command } = await commands.next();
        const result = { result: "OK", service: "PAYCC", receipt: { text: SLIP.join("\n") } };
        await other.result("SIM00001", { uuid: command["uuid"], amount, ...result });
        const [payment] = await paying;
        assertMatches(payment, { end: { kind: "CompletionData" }, statuses: [{ resultCode: 0, amount }] });
        assert.deepEqual(payment?.printed, SLIP);
        assert.equal((payment?.blocks ?? 0) > 0, more.length > 0);
      }
    } finally {
      await other.vanish();
    }
  });

  it("tshark finds nothing malformed, and decodes every 04-0F and every slip", { skip: skipDecoder }, async () => {
    assert.ok(capture !== null);
    await capture.finish();
    assert.deepEqual(await capture.packets("_ws.malformed || zvt.apdu_len.invalid || _ws.expert.severity == error"), []);
    // Two decoders that share nothing, and the relay's own encoder, agree on every value.
    const statuses = (await capture.packets("zvt.control_field == 0x040f", STATUS_FIELDS)).map((line) => line.split("\t"));
    const inNumbers = statuses.map((fields) => fields.slice(0, 4).map(Number));
    assert.deepEqual(
      inNumbers,
      heard.map(({ resultCode, amount, trace, terminalId }) => [resultCode, amount, trace, terminalId]),
    );
    assert.ok(heard.length >= 7 && inNumbers.every((values) => values.every((value) => Number.isInteger(value))));
    // tshark shows the half byte E, which stands for a hidden digit, as a question mark.
    const cards = statuses.map(([, , , , card = ""]) => card).filter((card) => card !== "");
    assert.ok(cards.length >= 6, "approved and declined payments have a card");
    for (const card of cards) assert.match(card, /^\d{6}\?+\d{4}$/);
    const blocks = (await capture.packets("zvt.control_field == 0x06d3", SLIP_FIELDS)).map((line) => line.split("\t"));
    assert.ok(blocks.some(([length]) => Number(length) > 255));
    // tshark puts a comma between the values of one packet.
    assert.equal(blocks.map(([, lines]) => lines).join(","), SLIP.join(","));
  });
});

/** What the library's example prints of an answer: whether it could read it, which kind it is, and its code. */
function briefly(answer: string): string {
  const [, kind, code] = /^Ok\((\w+)\((?:.*?\berror: (\d+))?/.exec(answer) ?? [];
  return kind === undefined ? (/^\w+/.exec(answer)?.[0] ?? answer) : `Ok(${kind}${code === undefined ? "" : ` ${code}`})`;
}
