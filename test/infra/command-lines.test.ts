import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";

const ANSWER_WITHIN_MS = 60_000;

function run(args: readonly string[], environment: { [name: string]: string } = {}) {
  return new Promise<{ code: unknown; text: string }>((resolve) => {
    execFile(
      process.execPath,
      ["--import", "tsx", ...args],
      { env: { ...process.env, ...environment }, timeout: ANSWER_WITHIN_MS },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : error.code, text: stdout + stderr }),
    );
  });
}

const GATEWAY = "infra/sandbox/gateway/main.ts";
const TERMINAL = "infra/sandbox/terminal/main.ts";
const WEBHOOKS = "infra/sandbox/webhooks/main.ts";
const LOAD = "bench/deployment/run.ts";
const REGISTER = "infra/sandbox/register/main.ts";

const WRONG: readonly [args: readonly string[], told: RegExp, environment?: { [name: string]: string }][] = [
  [["bench/run.ts", "--bogus"], /unknown option '--bogus'/],
  [["bench/run.ts", "--rounds", "0"], /'--rounds <n>' argument '0' is invalid. It is a whole number from 1 to 100/],
  [
    ["bench/run.ts", "--peers", "fastify,nonsense"],
    /Names of fastify, fastify-rows, fastify-redis, spring, each once, with commas between them/,
  ],
  [["bench/run.ts", "--peers", "fastify,fastify"], /argument 'fastify,fastify' is invalid/],
  [["bench/run.ts", "--only-peers", "--no-peers"], /--only-peers and --no-peers leave nothing to measure/],
  [["bench/links/run.ts", "--starts", "x"], /'--starts <n>' argument 'x' is invalid/],
  [["bench/start/run.ts", "--rounds", "0"], /'--rounds <n>' argument '0' is invalid/],
  [["bench/engine/run.ts", "--bogus"], /unknown option '--bogus'/],
  [["bench/portal/run.ts", "page"], /Allowed choices are weights, sessions, subscriptions, pages, beside, queries, reports, lists/],
  [["bench/packages.ts", "--rate", ""], /'--rate <n>' argument '' is invalid/],
  [[LOAD, "--url", "nonsense"], /'--url <url>' argument 'nonsense' is invalid/],
  [[LOAD, "--url", "https://user:word@relay.example"], /http:\/\/ or https:\/\/, a host and perhaps a port, nothing else/],
  [[LOAD, "--url", "https://relay.example", "--key", "secret"], /^error: this sends payments to https:\/\/relay\.example\. .* say --yes/],
  [[LOAD, "--url", "https://relay.example", "--yes"], /^error: RELAY_LOAD_KEY has to be a partner's API key/],
  [[LOAD, "--url", "https://relay.example", "--yes", "--key", "secret"], /^error: RELAY_LOAD_TERMINAL_SECRET has to be/],
  [[LOAD, "--for", "10"], /'--for <time>' argument '10' is invalid. A number with ms, s, m or h/],
  [[LOAD, "--poll", "20"], /From 0% to 100%/],
  [[LOAD, "--scenario", "nonsense"], /Allowed choices are pay-get, reconnect-storm, slow-terminals, rate-limited, roll-out/],
  [[LOAD, "--rate", "200", "--terminals", "10"], /^error: 10 terminals are too few for this rate: .* At least --terminals 100/],
  [[LOAD, "--for", "10s", "--ramp", "20s"], /^error: --ramp is longer than --for/],
  [[LOAD, "--rate", "1000", "--terminals", "500", "--for", "24h"], /^error: a run has at most 5000000 payments/],
  [[LOAD, "--scenario", "rate-limited", "--scan", "5%"], /asks for payments alone/],
  [[LOAD, "--scenario", "reconnect-storm", "--poll", "100%"], /wants terminals with a WebSocket/],
  [
    [LOAD, "--scenario", "roll-out"],
    /^error: --scenario roll-out wants an administrator with the role operator: RELAY_LOAD_ADMIN_USERNAME/,
    { RELAY_LOAD_ADMIN_PASSWORD: "secret" },
  ],
  [[LOAD, "--scenario", "roll-out", "--update", "0%"], /wants terminals that take the update/],
  [[LOAD, "--scenario", "roll-out", "--terminals", "5000"], /^error: a roll-out of a load test has at most 2000 terminals: lower --update/],
  [[LOAD, "--package", "300"], /'--package <MiB>' argument '300' is invalid. It is a number from 0.001 to 200/],
  [[REGISTER], /required option '--amount <cents>' not specified/],
  [[REGISTER, "--amount", "10.50"], /Cents, a whole number/],
  [[REGISTER, "--amount", "1050", "--port", "0"], /A port is 1 to 65535/],
  [[REGISTER, "--amount", "1050", "--currency", "EUR"], /4 digits/],
  [[REGISTER, "--amount", "1050", "--password", "12345"], /6 digits/],
  [[GATEWAY, "--port", "99999"], /A port is 0 to 65535/],
  [[GATEWAY, "--port", "0", "--host", "192.0.2.1"], /listens on a loopback address only/],
  [[GATEWAY, "--port", "0", "--state", "/proc/no/file"], /^error: ENOENT/],
  [[WEBHOOKS, "--port", "99999"], /A port is 0 to 65535/],
  [[WEBHOOKS, "--status", "99"], /A status is 200 to 599/],
  [[WEBHOOKS, "--secret", "a-text-of-my-shop"], /a key of webhooks begins with whsec_ or sk_partner_/],
  [[WEBHOOKS, "--port", "0", "--host", "192.0.2.1"], /^error: listen EADDRNOTAVAIL/],
  [[TERMINAL, "--id", "T1", "--url", "nonsense"], /'--url <url>' argument 'nonsense' is invalid/],
  [[TERMINAL, "--id", "T1", "--state", "/proc/no/file"], /^error: ENOENT/],
  [["infra/local/cluster.ts", "--port", "65534"], /ports end at 65535/],
  [["infra/cli/repair-store.ts", "test/infra"], /holds no database/],
  [["infra/cli/backup.ts", "test/infra/no-such-folder", "--data-dir", "test/infra"], /there is no store in test\/infra\/state/],
  [["infra/cli/restored.ts", "--data-dir", "test/infra"], /there is no test\/infra\/state/],
  [["infra/cli/reset-owner-factors.ts"], /there is no .*test\/infra\/state/, { RELAY_DATA_DIR: "test/infra" }],
  [["infra/cli/sql.ts", "select 1"], /^the address is not valid/, { RELAY_CLICKHOUSE_URL: "http://u:secret@[bad" }],
];

for (const [args, told, environment] of WRONG) {
  test(`${args.join(" ")} is told what is wrong, without a stack`, async () => {
    const { code, text } = await run(args, environment);
    assert.match(text, told);
    assert.doesNotMatch(text, /^ +at |secret/m);
    assert.equal(code, 1);
  });
}
