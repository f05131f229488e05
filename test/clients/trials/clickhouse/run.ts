import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { member } from "../../../support/http/matches.ts";
import type { Program } from "../../support/program.ts";
import { type Expected, expectedSteps, PARAMETERS, STATEMENTS } from "./statements.ts";
import { trialAnalyst } from "./world.ts";

/** A JVM of its own beside other tests; it takes four seconds by itself. */
const PROGRAM_MS = 120_000;
const OUTPUT_LENGTH_MAX = 1_048_576;

/** Starts the program as the analyst; rejects, with what it wrote, where it fails or prints something else than `steps` says. */
export async function runAnalyst(program: Program, args: readonly string[], steps: readonly string[], own: Expected = {}): Promise<void> {
  const { url, username, password } = await trialAnalyst();
  const expected: Expected = { ...(await expectedSteps({ url, username, password })), ...own };
  const child = spawn(program.command, [...program.args, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: PROGRAM_MS,
    killSignal: "SIGKILL",
    env: {
      ...process.env,
      TRIAL_URL: url,
      TRIAL_USERNAME: username,
      TRIAL_PASSWORD: password,
      TRIAL_AMOUNT: String(PARAMETERS.amount),
      TRIAL_TEXT: PARAMETERS.text,
      ...Object.fromEntries(Object.entries(STATEMENTS).map(([step, sql]) => [`TRIAL_SQL_${step}`, sql])),
    },
  });
  let output = "";
  let complaint = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(0, OUTPUT_LENGTH_MAX);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-4_000);
  });
  const [status, signal] = await once(child, "close");
  const lines = output.split("\n").filter((line) => line !== "");
  const said: unknown[] = lines.map((line) => JSON.parse(line));
  const done = new Set(said.map((line) => String(member(line, "step"))));
  const ending = `${program.name} ${args.join(" ")} ended with ${status ?? signal} after "${[...done].at(-1) ?? "nothing"}"`;
  assert.equal(status, 0, `${ending}: ${complaint}`);
  for (const line of said) assertStep(String(member(line, "step")), member(line, "value"), expected);
  assert.deepEqual([...done].sort(), [...steps].sort());
}

function assertStep(step: string, value: unknown, expected: Expected): void {
  const wanted = expected[step];
  assert.notEqual(wanted, undefined, `nobody knows the step "${step}"`);
  if (wanted instanceof RegExp) assert.match(String(value), wanted, `at the step "${step}"`);
  else assert.deepEqual(value, wanted, `at the step "${step}"`);
}
