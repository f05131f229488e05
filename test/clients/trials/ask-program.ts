import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";

const PROGRAM_MS = 60_000;
const OUTPUT_LENGTH_MAX = 1_048_576;

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/** Starts a program, gives it one JSON object, and returns the JSON that it prints. Rejects, with what it wrote on its standard error, where it fails. */
export async function askProgram({ command, args }: Command, question: object): Promise<unknown> {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"], timeout: PROGRAM_MS, killSignal: "SIGKILL" });
  let output = "";
  let complaint = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(0, OUTPUT_LENGTH_MAX);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-4_000);
  });
  child.stdin.on("error", () => undefined).end(JSON.stringify(question));
  const [status, signal] = await once(child, "close");
  assert.equal(status, 0, `${command} ended with ${status ?? signal}: ${complaint}`);
  return JSON.parse(output);
}
