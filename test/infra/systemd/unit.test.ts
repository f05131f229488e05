import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { hasProgram, runCommand } from "../../../infra/local/run-command.ts";
import { parseEnvironmentFile } from "../../../infra/node/boot/environment-file.ts";
import { skipReason } from "../../support/node/server-process.ts";

const UNIT = await readFile("infra/systemd/terminal-relay.service", "utf8");
const README = await readFile("infra/systemd/README.md", "utf8");

/** Every assignment of the unit by its name, in order. */
const settings = new Map<string, string[]>();
for (const [, name = "", value = ""] of UNIT.matchAll(/^([A-Za-z]+)=(.*)$/gm)) settings.set(name, [...(settings.get(name) ?? []), value]);
const one = (name: string): string => {
  const values = settings.get(name) ?? [];
  assert.equal(values.length, 1, name);
  return values[0] ?? "";
};

test("the unit stops a node with SIGTERM, gives it time to drain, and reloads it with SIGHUP", () => {
  assert.equal(one("KillSignal"), "SIGTERM");
  // A node ends itself after 40 s (infra/node/main.ts).
  assert.ok(Number(one("TimeoutStopSec")) > 40);
  assert.equal(one("ExecReload"), "/bin/kill -HUP $MAINPID");
  assert.match(one("ExecStart"), /^\/opt\/terminal-relay\/node_modules\/\.bin\/node dist\/infra\/node\/main\.js$/);
  assert.equal(one("Restart"), "on-failure", "a node that was drained stays down");
  assert.equal(one("RestartForceExitStatus"), "SIGHUP", "systemd takes an end by SIGHUP for a wanted one");
});

test("the unit runs a node as a user of its own, who keeps no secret in a core dump or an environment", () => {
  assert.equal(one("User"), "terminal-relay");
  assert.equal(one("NoNewPrivileges"), "yes");
  assert.equal(one("ProtectSystem"), "strict");
  assert.equal(one("LimitCORE"), "0");
  assert.equal(one("UMask"), "0077");
  assert.deepEqual(settings.get("EnvironmentFile"), undefined, "what systemd has read, a reload does not read again");
  for (const variable of settings.get("Environment") ?? []) assert.doesNotMatch(variable, /SECRET|PASSWORD|TOKEN/);
});

test("the guide's environment file is one that the relay reads, and it sets nothing that the unit sets", () => {
  const [, text = ""] = /relay\.env <<END\n([\s\S]*?)\nEND\n/.exec(README) ?? [];
  const variables = parseEnvironmentFile(
    text.replaceAll(/\$\(openssl rand -hex (\d+)\)/g, (_whole, bytes) => "0".repeat(Number(bytes) * 2)),
    "f",
  );
  assert.ok(variables.has("RELAY_SECRET_KEY"));
  const ofUnit = (settings.get("Environment") ?? []).map((variable) => variable.slice(0, variable.indexOf("=")));
  assert.deepEqual(
    [...variables.keys()].filter((name) => ofUnit.includes(name)),
    [],
  );
});

test("the guide's hook copies the certificate and its key to where the relay looks for them", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "relay-hook-"));
  t.after(() => rm(directory, { recursive: true }));
  const [, hook = ""] = /```sh\n( *#!\/bin\/sh -e\n[\s\S]*?)```/.exec(README) ?? [];
  const [, certFile = "", keyFile = ""] = /RELAY_TLS_CERT=(\S+)\nRELAY_TLS_KEY=(\S+)\n/.exec(README) ?? [];
  const [renewed, relay, done] = ["renewed", "relay", "done"].map((name) => join(directory, name));
  assert.ok(renewed !== undefined && relay !== undefined && done !== undefined);
  for (const folder of [renewed, join(relay, dirname(certFile))]) await mkdir(folder, { recursive: true });
  for (const name of ["cert.pem", "chain.pem", "fullchain.pem", "privkey.pem"]) await writeFile(join(renewed, name), name);
  // Neither the group nor systemd's service is on this machine.
  const here = hook
    .replaceAll(/^ +/gm, "")
    .replaceAll("-g terminal-relay ", "")
    .replaceAll("/etc/terminal-relay", `${relay}/etc/terminal-relay`)
    .replace(/^systemctl (.*)$/m, `echo "$1" > ${done}`);
  const { exitCode, output } = await runCommand("env", [`RENEWED_LINEAGE=${renewed}`, "sh", "-ec", here], 10_000);
  assert.equal(exitCode, 0, output);
  assert.equal(await readFile(join(relay, certFile), "utf8"), "fullchain.pem");
  assert.equal(await readFile(join(relay, keyFile), "utf8"), "privkey.pem");
  assert.match(await readFile(done, "utf8"), /reload.* terminal-relay/);
});

const missing = skipReason(
  (await hasProgram("systemd-analyze", ["--version"]))
    ? { type: "installed" }
    : { type: "missing", reason: "systemd-analyze is not installed" },
);

test("systemd finds no fault in the unit", { skip: missing }, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "relay-unit-"));
  t.after(() => rm(directory, { recursive: true }));
  const file = join(directory, "terminal-relay.service");
  // Neither the folder nor the user is on this machine.
  const here = UNIT.replaceAll("/opt/terminal-relay/node_modules/.bin/node", process.execPath)
    .replaceAll(/^(User|Group)=.*$/gm, "$1=root")
    .replace(/^WorkingDirectory=.*$/m, "WorkingDirectory=/tmp")
    .replace(/^Documentation=.*$/m, "Documentation=https://relay.example");
  await writeFile(file, here);
  const { exitCode, output } = await runCommand("systemd-analyze", ["verify", "--man=no", file], 60_000);
  assert.equal(exitCode, 0, output);
  assert.doesNotMatch(output, /terminal-relay\.service/, "it warns");
  await writeFile(file, here.replace("KillMode=mixed", "KillMode=never\nProtectSytem=strict"));
  const wrong = await runCommand("systemd-analyze", ["verify", "--man=no", file], 60_000);
  assert.match(wrong.output, /ProtectSytem/, "it finds nothing at all");
});
