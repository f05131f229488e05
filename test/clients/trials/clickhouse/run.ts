import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { member } from "../../../support/matches.ts";
import type { Program } from "../../support/program.ts";
import { type Expected, expectedSteps, PARAMETERS, STATEMENTS } from "./statements.ts";
import { trialAnalyst } from "./world.ts";

/** A JVM of its own beside other tests; it takes four seconds by itself. */
const PROGRAM_MS = 120_000;

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
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString("latin1");
  });
  child.stderr.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString("utf8")).slice(-4_000);
  });
  const [status] = await once(child, "close");
  const said: unknown[] = Buffer.from(output, "latin1")
    .toString("utf8")
    .trim()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const done = new Set(said.map((line) => String(member(line, "step"))));
  assert.equal(status, 0, `${program.name} ${args.join(" ")} failed after "${[...done].at(-1) ?? "nothing"}": ${complaint}`);
  for (const line of said) assertStep(String(member(line, "step")), member(line, "value"), expected);
  assert.deepEqual([...done].sort(), [...steps].sort());
}

function assertStep(step: string, value: unknown, expected: Expected): void {
  const wanted = expected[step];
  assert.notEqual(wanted, undefined, `nobody knows the step "${step}"`);
  if (wanted instanceof RegExp) assert.match(String(value), wanted, `at the step "${step}"`);
  else assert.deepEqual(value, wanted, `at the step "${step}"`);
}
