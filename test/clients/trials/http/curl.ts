import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { HttpAnswer, HttpCall, Sender } from "./http-call.ts";

const CURL_MS = 60_000;
/** Between the answers of one run. */
const MARK = "\n-- next --\n";

/** curl, one run for each call; a burst is one run with as many URLs. It asks for `100 Continue` by itself before a body of more than a MiB. */
export const sendWithCurl: Sender = async (calls) => {
  const answers: HttpAnswer[] = [];
  for (const call of calls) answers.push(await send(call));
  return answers;
};

async function send({ method, url, headers, body, expect, times }: HttpCall): Promise<HttpAnswer> {
  const lines = Object.entries(expect ? { ...headers, Expect: "100-continue" } : headers);
  const args = [
    ...["--silent", "--show-error", "--include", "--http1.1", "--request", method, "--write-out", MARK],
    ...lines.flatMap(([name, value]) => ["--header", `${name}: ${value}`]),
    ...(body === "" ? [] : ["--data-binary", "@-"]),
    // What stands behind # is not sent: it only makes as many requests of it.
    times === 1 ? url : `${url}#[1-${times}]`,
  ];
  const child = spawn("curl", args, { stdio: ["pipe", "pipe", "pipe"], timeout: CURL_MS });
  let output = "";
  let complaint = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint += text;
  });
  child.stdin.on("error", () => undefined).end(body);
  const [status] = await once(child, "close");
  assert.equal(status, 0, `curl ended with ${status}: ${complaint}`);
  const answers = output.split(MARK).slice(0, -1).map(read);
  return answers.find((answer) => answer.status === 429) ?? answers.at(-1) ?? assert.fail(`curl said nothing: ${complaint}`);
}

/** An answer with its head, before which `100 Continue` may stand. */
function read(text: string): HttpAnswer {
  const last = text.replace(/^HTTP\/1\.1 100 [\s\S]*?\r\n\r\n/, "");
  const end = last.indexOf("\r\n\r\n");
  const [first = "", ...lines] = last.slice(0, end).split("\r\n");
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(first.split(" ")[1]), headers: Object.fromEntries(headers), text: last.slice(end + 4) };
}
