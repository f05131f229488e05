import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { terminalPassword } from "../../../http/auth/terminal-password.ts";
import { startSimulatedTerminal } from "../../../infra/sandbox/terminal/terminal.ts";
import { Relay } from "../../support/node/relay.ts";
import { AdminPerson } from "../../support/people/admin-person.ts";

const run = promisify(execFile);
const GUIDE = readFileSync("infra/docs/first-payment.md", "utf8");

/** The commands of a section. */
function commandsOf(section: number): string[] {
  const [, text] = new RegExp(`^## ${section}\\. .*\\n([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, "m").exec(GUIDE) ?? [];
  assert.ok(text !== undefined, `there is no section ${section}`);
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands = ""]) => commands);
}

/** ClickHouse takes a while to start, and nobody reads the guide so fast. */
const PATIENT = 'curl() { command curl --retry 60 --retry-delay 1 "$@"; }';

const SECRETS = {
  RELAY_TERMINAL_SECRET: randomBytes(32).toString("hex"),
  RELAY_SECRET_KEY: randomBytes(32).toString("hex"),
  RELAY_ADMIN_PASSWORD: randomBytes(24).toString("hex"),
};

test("the guide's commands lead from a new relay in production to a payment that its merchant reads", { timeout: 240_000 }, async (t) => {
  const environment = { RELAY_MODE: "production", RELAY_HOST: "127.0.0.1", RELAY_PARTNER_DEFAULT_RULE: "none", ...SECRETS };
  const relay = new Relay({ shards: 1, environment });
  await relay.start();
  t.after(() => relay.stop());
  const { node } = relay;
  const password = terminalPassword(SECRETS.RELAY_TERMINAL_SECRET, "TILL0001");
  const terminal = await startSimulatedTerminal({ terminalId: "TILL0001", url: node.url, username: "TILL0001", password, latencyMs: 1 });
  t.after(() => terminal.stop());
  const file = join(node.dataDirectory, "relay.env");
  await writeFile(
    file,
    Object.entries({ RELAY_MODE: "production", ...SECRETS })
      .map((pair) => `${pair.join("=")}\n`)
      .join(""),
  );

  // The reader enrols an authenticator app in a browser.
  const administrator = new AdminPerson(relay, { username: "admin", password: SECRETS.RELAY_ADMIN_PASSWORD });
  await administrator.begin();
  await administrator.enrol();

  // What installs and starts a relay is not done here; names that are its reader's to choose take their place.
  const script = [PATIENT, ...[3, 4, 5, 6].flatMap(commandsOf)]
    .join("\n")
    .replaceAll("https://relay.example", node.url)
    .replaceAll("PASSWORD", SECRETS.RELAY_ADMIN_PASSWORD)
    .replaceAll('"CODE"', `"${administrator.code()}"`)
    .replaceAll("OWNER@EXAMPLE.ORG", "owner@example.org")
    .replaceAll("cd /opt/terminal-relay", `cd ${process.cwd()}`)
    .replaceAll("/etc/terminal-relay/relay.env", file);
  const path = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const { stdout } = await run("bash", ["--norc", "-euo", "pipefail", "-c", script], {
    cwd: node.dataDirectory,
    env: { PATH: path, HOME: node.dataDirectory },
  });

  assert.match(stdout, new RegExp(`TILL0001  ${password}`));
  assert.match(stdout, /"connectionStatus":"ONLINE"/);
  assert.match(stdout, /"message":"Payment request sent to the terminal"/);
  assert.match(stdout, /"status":"OK","amountCents":100,"currency":"EUR","terminalId":"TILL0001","merchantId":"SHOP-1"/);
  assert.match(stdout, /"state":"done"/);
  assert.match(stdout, /"amountMinor":100,/);
  assert.match(stdout, /https?:\/\/\S+\/portal\/invitation\/\S+/);
});
