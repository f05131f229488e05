import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { WIRE_NAMES } from "../../../http/compat/wire-names.ts";
import { member } from "../../support/http/matches.ts";
import { payOnHostedPage } from "./hosted-page.ts";
import { STEP_OF_REFUSED_ACCOUNT, STEPS } from "./steps.ts";
import type { WebhookReceiver } from "./webhook-receiver.ts";

/** How a program of an official library is started; `life`, `objects`, or `verify` and its arguments follow. */
export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** The keys of a merchant, and those of the two that are there to be refused. */
export interface LifeKeys {
  readonly secretKey: string;
  readonly publishableKey: string;
  /** Of a merchant that may call two times a minute, and has not called yet. */
  readonly slowKey: string;
  /** Of a merchant whose account the gateway does not accept; null where there is none. */
  readonly refusedKey: string | null;
}

export interface LifeOptions {
  readonly baseUrl: string;
  readonly keys: LifeKeys;
  readonly receiver: WebhookReceiver;
  /** How a buyer pays; default: without a browser. */
  readonly pay?: typeof payOnHostedPage;
}

const LIFE_MS = 120_000;
const OBJECTS_MS = 120_000;
const VERIFY_MS = 30_000;

/** Runs a program's `life` and answers what it asks. Rejects, with what it wrote, where it fails or leaves a step out. */
export async function runLife(program: Program, { baseUrl, keys, receiver, pay = payOnHostedPage }: LifeOptions): Promise<void> {
  const child = spawn(program.command, [...program.args, "life"], {
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      ...process.env,
      CLIENT_BASE_URL: baseUrl,
      CLIENT_SECRET_KEY: keys.secretKey,
      CLIENT_PUBLISHABLE_KEY: keys.publishableKey,
      CLIENT_SLOW_KEY: keys.slowKey,
      CLIENT_REFUSED_KEY: keys.refusedKey ?? "",
      CLIENT_HOOK_URL: receiver.urlOf(program.name),
      CLIENT_RETURN_URL: receiver.returnUrl,
    },
  });
  const steps: string[] = [];
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString("utf8")).slice(-4_000);
  });
  child.stdin.on("error", () => undefined);
  const overdue = setTimeout(() => child.kill("SIGKILL"), LIFE_MS);
  const exit = once(child, "exit");
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const said: unknown = JSON.parse(line);
      const step = member(said, "step");
      if (typeof step === "string") steps.push(step);
      else child.stdin.write(`${JSON.stringify(await answerTo(said, program.name, receiver, pay))}\n`);
    }
    const [status, signal] = await exit;
    const after = `after "${steps.at(-1) ?? "nothing"}"`;
    assert.equal(signal, null, `${program.name} was ended ${after}: ${complaint}`);
    assert.equal(status, 0, `${program.name} failed ${after}: ${complaint}`);
    assert.deepEqual(
      steps,
      STEPS.filter((step) => keys.refusedKey !== null || step !== STEP_OF_REFUSED_ACCOUNT),
    );
  } finally {
    clearTimeout(overdue);
    child.kill("SIGKILL");
  }
}

/** Nobody listens there: whoever is called by https cannot be reached. Java has properties of its own. */
const NOBODY = { host: "127.0.0.1", port: 1 };
const ISOLATED = {
  ...{ https_proxy: `http://${NOBODY.host}:${NOBODY.port}`, HTTPS_PROXY: `http://${NOBODY.host}:${NOBODY.port}` },
  JAVA_TOOL_OPTIONS: `-Dhttps.proxyHost=${NOBODY.host} -Dhttps.proxyPort=${NOBODY.port}`,
};

/** Runs a program's `objects` where it can reach nobody else; resolves with the names of the methods that were called. Rejects, with what it wrote, where it fails. */
export async function runObjects(
  program: Program,
  { baseUrl, secretKey, hookUrl }: { baseUrl: string; secretKey: string; hookUrl: string },
): Promise<readonly string[]> {
  const child = spawn(program.command, [...program.args, "objects"], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: OBJECTS_MS,
    env: { ...process.env, ...ISOLATED, CLIENT_BASE_URL: baseUrl, CLIENT_SECRET_KEY: secretKey, CLIENT_HOOK_URL: hookUrl },
  });
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString("utf8")).slice(-4_000);
  });
  const exit = once(child, "exit");
  const called: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) called.push(String(member(JSON.parse(line), "called")));
  const [status] = await exit;
  assert.equal(status, 0, `${program.name} fails after ${called.at(-1) ?? "nothing"}: ${complaint}`);
  return called;
}

async function answerTo(said: unknown, name: string, receiver: WebhookReceiver, pay: typeof payOnHostedPage): Promise<object> {
  const text = (key: string) => String(member(said, key));
  if (text("ask") === "pay") return { returned: await pay(text("url"), text("card"), receiver.returnUrl) };
  assert.equal(text("ask"), "webhook", `${name} says ${JSON.stringify(said)}`);
  const { payload, headers } = await receiver.find(name, text("type"), text("object"));
  return { payload, header: headers[WIRE_NAMES.signature.toLowerCase()] ?? "" };
}

/** What the library says of a webhook: verified, with whether it could read the event's object, or refused. */
export async function runVerify(
  program: Program,
  webhook: { file: string; header: string; secret: string; nowSeconds?: number },
): Promise<{ verified: string; object: boolean } | { refused: string }> {
  const { file, header, secret, nowSeconds } = webhook;
  const now = nowSeconds === undefined ? [] : [String(nowSeconds)];
  const child = spawn(program.command, [...program.args, "verify", file, header, secret, ...now], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: VERIFY_MS,
  });
  let output = "";
  let complaint = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString("utf8");
  });
  child.stderr.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString("utf8")).slice(-4_000);
  });
  const [status] = await once(child, "close");
  assert.notEqual(output, "", `${program.name} ends with ${status}: ${complaint}`);
  const said: unknown = JSON.parse(output);
  const refused = member(said, "refused");
  if (typeof refused === "string") return { refused };
  return { verified: String(member(said, "verified")), object: member(said, "object") === true };
}
