import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { assertMatches, listOf, member, textMember } from "../http/matches.ts";
import { within } from "../within.ts";

/** The options for the README's tour ("Five minutes"), which runs as a user pastes it. */
export interface TourOptions {
  /** The relay's base address, which replaces the one in the README. */
  api: string;
  /** An installation with its README.md, where the lines run. */
  cwd: string;
  /**
   * Additions to this process's environment, such as RELAY_CLICKHOUSE_URL if `npm run sql` does not
   * find the relay's own ClickHouse.
   */
  environment?: { readonly [name: string]: string };
}

export interface TourStep {
  /** The line as it was pasted. */
  line: string;
  /** The text of both outputs, without line ends at its end. */
  output: string;
  exitCode: number;
}

/**
 * A user reads an answer before pasting the next line. The nodes of a cluster notify each other
 * meanwhile.
 */
const LOOK_MS = 100;

/** ClickHouse receives results later. A user who does not find a result retries for this long. */
const FOLLOWS_WITHIN_MS = 30_000;
const LOOK_AGAIN_MS = 500;

const STEP_DEADLINE_MS = 60_000;

/**
 * Runs the tour line by line in one shell, and skips comments and empty lines. Rejects when a line
 * does not end.
 */
export async function runTour({ api, cwd, environment = {} }: TourOptions): Promise<TourStep[]> {
  const lines = tourLines(await readFile(join(cwd, "README.md"), "utf8"), api);
  const shell = spawn("bash", ["--noprofile", "--norc"], {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(shell, "close");
  const written = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
  const end = `end-${randomUUID()}`;

  async function paste(line: string): Promise<TourStep> {
    shell.stdin.write(`${line}\nprintf '\\n%s %s\\n' ${end} $?\n`);
    const output: string[] = [];
    for (;;) {
      const { value, done } = await written.next();
      if (done === true) throw new Error(`the shell ended at ${line}: ${output.join("\n")}`);
      if (value.startsWith(end)) return { line, output: output.join("\n").trimEnd(), exitCode: Number(value.slice(end.length)) };
      output.push(value);
    }
  }

  try {
    shell.stdin.write("exec 2>&1\n");
    const steps: TourStep[] = [];
    for (const line of lines) {
      const giveUpAt = performance.now() + FOLLOWS_WITHIN_MS;
      for (;;) {
        const step = await within(`the end of ${line}`, paste(line), STEP_DEADLINE_MS);
        if (ANSWERS[steps.length]?.follows !== true || performance.now() > giveUpAt || isRight(step, steps)) {
          steps.push(step);
          break;
        }
        await delay(LOOK_AGAIN_MS);
      }
      await delay(LOOK_MS);
    }
    shell.stdin.end();
    await exited;
    return steps;
  } finally {
    shell.kill("SIGKILL");
  }
}

/** Asserts that the answer to each line of the tour is the one that the README describes. */
export function checkTour(steps: readonly TourStep[]): void {
  for (const [index, step] of steps.entries()) checkStep(step, steps.slice(0, index));
  assert.equal(steps.length, ANSWERS.length, `of the tour's ${ANSWERS.length} lines ${steps.length} were run`);
}

/** Returns the lines to paste, with the relay's address. */
function tourLines(readme: string, api: string): string[] {
  const block = /\n## Five minutes\n[\s\S]*?\n```sh\n([\s\S]*?)\n```\n/.exec(readme)?.[1];
  assert.ok(block !== undefined, 'README.md has no tour under "Five minutes"');
  const lines = block.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const address = lines.findIndex((line) => line.startsWith("API="));
  assert.ok(address !== -1, "the tour does not say where the relay is");
  return lines.with(address, `API=${api}`);
}

/** The expected answer to one line of the tour. */
interface Answer {
  /** Matches the line. A new or changed line needs an answer here. */
  line: RegExp;
  /** Asserts that the output is right; `before` contains the previous steps. */
  check(output: string, before: readonly TourStep[]): void;
  /** The answer comes from ClickHouse, which gets results a moment after they are stored. */
  follows?: true;
}

const SILENT = (output: string): void => assert.equal(output, "");

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const ANSWERS: readonly Answer[] = [
  { line: /^API=/, check: SILENT },
  { line: /^KEY=/, check: SILENT },
  { line: /^JSON=/, check: SILENT },
  { line: /SIM00001\/connection$/, check: json({ status: "ok", data: { terminalId: "SIM00001", connectionStatus: "ONLINE" } }) },
  { line: /^ID=/, check: SILENT },
  { line: /SIM00001\/pay .*"amount\\":1050/, check: paid({ terminalID: "SIM00001", received: { amount: 1050, service: "PAYCC" } }) },
  {
    line: /\/\$ID\/uuid\?wait=10"$/,
    check: (output, before) => json({ status: "ok", data: { uuid: uuidOf(before, 1050), status: "OK", amountCents: 1050 } })(output),
  },
  {
    line: /^curl -si .*SIM00001\/pay/,
    check: (output, before) => {
      assert.match(output, /^HTTP\/1\.1 400 /);
      assert.match(output, /^relay-command-state: done$/im);
      assert.match(output, new RegExp(`^location: /api/v1/commands/${uuidOf(before, 1050)}$`, "im"));
      assert.match(output, /Duplicate payment request/);
    },
  },
  { line: /^ID=/, check: SILENT },
  { line: /SIM00001\/pay .*"amount\\":2051/, check: paid({ terminalID: "SIM00001", received: { amount: 2051 } }) },
  {
    line: /SIM00001\/status\?wait=10"$/,
    check: (output, before) => {
      json({ status: "ok", data: { uuid: uuidOf(before, 2051), status: "KO", message: "INSUFFICIENT FUNDS" } })(output);
    },
  },
  { line: /SIM00001\/scan$/, check: json({ status: "ok", data: { uuid: UUID, service: "SCAN" } }) },
  {
    line: /SIM00001\/status\?wait=10"$/,
    check: (output, before) => {
      const uuid = textMember(parsed(before.at(-1)?.output ?? ""), "data", "uuid");
      json({ status: "ok", data: { uuid, method: "SCAN", status: "OK", scan: { scanResult: "OK" } } })(output);
    },
  },
  { line: /SIM00001\/print /, check: json({ status: "ok", data: { uuid: UUID, service: "PRINT" } }) },
  { line: /%\{http_code\}\\n' \$API\/api\/v1\/T2\/get$/, check: (output) => assert.equal(output, "204") },
  { line: /^ID=/, check: SILENT },
  { line: /T2\/pay .*"amount\\":700/, check: paid({ terminalID: "T2", received: { amount: 700, service: "PAYSAT" } }) },
  {
    line: /terminal:terminal \$API\/api\/v1\/T2\/get$/,
    check: (output, before) => json({ uuid: uuidOf(before, 700), amount: 700, service: "PAYSAT", terminalId: "T2" })(output),
  },
  { line: /T2\/receipt /, check: json({ status: "ok" }) },
  {
    line: /\/commands\/\$ID$/,
    check: (output, before) => json({ status: "ok", data: { uuid: uuidOf(before, 700), state: "done", result: "OK" } })(output),
  },
  {
    line: /SIM00001\/transactions$/,
    check: (output, before) => {
      const found = listOf(parsed(output)["data"]).find((row) => textMember(row, "uuid") === uuidOf(before, 1050));
      assertMatches(found, { method: "CARD", status: "OK", amountCents: 1050, terminalId: "SIM00001" });
    },
  },
  {
    line: /^npm run -s sql /,
    follows: true,
    check: (output, before) => {
      for (const [amount, says] of [
        [1050, "CARD +│ OK"],
        [2051, "CARD +│ KO"],
        [700, "SATISPAY +│ OK"],
      ] as const) {
        assert.match(output, new RegExp(`${uuidOf(before, amount)} │ [^│]*│ ${says} +│ +${amount} │`));
      }
    },
  },
  { line: /^LINK=/, check: SILENT },
  { line: /^TX=/, check: SILENT },
  {
    line: /^echo "\$LINK"$/,
    check: json({ status: "ok", txId: UUID, paymentUrl: /^https?:\/\//, amount: "12.34", reason: "Order 7" }),
  },
  {
    line: /payment\/status\/\$TX$/,
    check: (output, before) =>
      json({ status: "PENDING", txId: textMember(parsed(before.at(-1)?.output ?? ""), "txId"), amount: "12.34" })(output),
  },
  {
    line: /terminal:terminal .*T2\/paybylink /,
    check: json({ status: "ok", txId: UUID, paymentUrl: /^https?:\/\//, terminalID: "T2", reason: "Order 8" }),
  },
  { line: /partner\/api\/v1\/me$/, check: json({ success: true, partner: { partnerCode: "DEMO" } }) },
  {
    line: /\/v1\/payment_intents .*-d amount=1099 /,
    check: json({ object: "payment_intent", amount: 1099, status: "requires_action", next_action: { type: "redirect_to_url" } }),
  },
  {
    line: /api\/merchant\/overview$/,
    // A tour has one approved and one declined payment, and another tour may have run before. An
    // unpaid link does not count.
    check: (output) => {
      json({ status: "ok", data: { complete: false, today: [{ currency: "EUR" }] } })(output);
      const [sums] = listOf(member(parsed(output), "data", "today"));
      const approved = Number(member(sums, "approved"));
      assert.ok(approved >= 1, output);
      assertMatches(sums, { volumeMinor: approved * 1_050, declined: approved });
    },
  },
  {
    line: /api\/merchant\/transactions\.csv\?lang=en"$/,
    check: (output, before) => {
      assert.match(output, new RegExp(`${uuidOf(before, 1050)}.*10\\.50|10\\.50.*${uuidOf(before, 1050)}`));
      assert.doesNotMatch(output, new RegExp(uuidOf(before, 700)), "T2 is no terminal of the shop");
    },
  },
  { line: /^LINK=.*\/api\/merchant\/payment-links /, check: SILENT },
  { line: /^node -p .*data\.url/, check: (output) => assert.match(output, /^https?:\/\/[^/]+\/l\/[A-Za-z0-9]{22}$/) },
  { line: /admin\/attention$/, check: (output) => listOf(parsed(output)["data"]) },
  {
    line: /admin\/terminals$/,
    check: (output) => {
      const seen = listOf(parsed(output)["data"]).map((row) => textMember(row, "terminalId"));
      for (const terminalId of ["SIM00001", "T2"]) assert.ok(seen.includes(terminalId), output);
    },
  },
  { line: /admin\/dashboard$/, check: json({ status: "ok", data: { terminals: {}, commands: {}, results: { CARD: {} } } }) },
];

function checkStep(step: TourStep, before: readonly TourStep[]): void {
  const answer = ANSWERS[before.length];
  assert.ok(answer !== undefined, `the tour has a line without an expected answer: ${step.line}`);
  assert.match(step.line, answer.line);
  assert.equal(step.exitCode, 0, `${step.line}\n${step.output}`);
  try {
    answer.check(step.output, before);
  } catch (cause) {
    throw new Error(`${step.line}\nwas answered\n${step.output}`, { cause });
  }
}

function isRight(step: TourStep, before: readonly TourStep[]): boolean {
  try {
    checkStep(step, before);
    return true;
  } catch {
    return false;
  }
}

function json(expected: object): (output: string) => void {
  return (output) => assertMatches(parsed(output), expected);
}

function paid(data: object): (output: string) => void {
  return json({ status: "ok", data });
}

function parsed(output: string): { [member: string]: unknown } {
  return JSON.parse(output);
}

/** Returns the uuid of the tour's payment of this amount. */
function uuidOf(before: readonly TourStep[], amount: number): string {
  const step = before.find(({ line }) => line.includes(`"amount\\":${amount}`));
  assert.ok(step !== undefined, `nothing was paid of ${amount}`);
  return textMember(parsed(step.output), "data", "received", "uuid");
}
