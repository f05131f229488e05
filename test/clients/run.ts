/**
 * `npm run test:clients`: the life of a payment with the platform's official libraries in four languages, against a sandbox relay of its own; every answer is
 * checked against the platform's own description of its interface and compared with its own mock. Then the trials of other clients (infra/docs/clients.md), and
 * schemathesis over the whole interface.
 * Words choose: `-- official` the libraries of the platform, `-- python stomp` what has these in its name. Needs the registries of Python, Go and Maven the first
 * time; what they give is kept in `~/.cache/terminal-relay-clients` (or CLIENTS_CACHE).
 *
 * `CLIENTS_BASE_URL` names another relay, with CLIENTS_SECRET_KEY, CLIENTS_PUBLISHABLE_KEY, CLIENTS_SLOW_KEY (of a merchant that may call twice a minute) and,
 * where there is one, CLIENTS_REFUSED_KEY (of a merchant that the gateway does not accept).
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { commandLine } from "../../infra/command-line.ts";
import { freePort } from "../../infra/local/free-port.ts";
import { ServerProcess, skipReason } from "../support/node/server-process.ts";
import { eventually } from "../support/within.ts";
import { differencesOf } from "./differential.ts";
import { faultsOfRecording, openApiChecker } from "./openapi-checker.ts";
import { describeFuzzing } from "./schemathesis/fuzz.ts";
import { signaturesOfAttempts } from "./signatures.ts";
import { type Program, runLife, runObjects } from "./support/program.ts";
import { type RecordingProxy, startRecordingProxy } from "./support/recording-proxy.ts";
import {
  goProgram,
  javaProgram,
  nodeProgram,
  platformMock,
  pythonInterpreter,
  pythonProgram,
  scriptProgram,
} from "./support/toolchains.ts";
import { startWebhookReceiver, type WebhookReceiver } from "./support/webhook-receiver.ts";
import { givenFake, givenWorld, startRelayWorld, type World } from "./support/world.ts";
import { CLIENT_TRIALS } from "./trials/all.ts";
import { describeTrials, nameOf, prepareTrials } from "./trials/run-trials.ts";

/** Lives at once: they mostly wait for the relay, which has the other core. */
const SIDE_BY_SIDE = 3;
/** A program that called fewer did not find what its objects offer. */
const OBJECT_METHODS_MIN = 40;

const { args: words } = commandLine("test:clients")
  .description("Runs client libraries that others wrote against a sandbox relay of its own.")
  .argument("[words...]", "only clients whose name contains one of them; official: the libraries of the compatible platform")
  .parse();
const has = (name: string, word: string) => name.includes(word.toLowerCase());
/** What is left out where no words choose: a landing leaves the fuzzing to the night. */
const WITHOUT = process.env["CLIENTS_WITHOUT"];
const chosen = (name: string) => (words.length === 0 ? name !== WITHOUT : words.some((word) => has(name, word)));
const officialName = (language: string) => `official ${language}`;
const wanted = (language: string) => chosen(officialName(language));
const missing = (name: string) => Promise.resolve({ type: "missing" as const, reason: `${name} was not asked for` });

const LANGUAGES = ["node-stripe", "node-stripe-15", "python", "go", "java"];
/** Their programs only call what objects offer. */
const SCRIPTS = ["php", "ruby"];
const FUZZING = "schemathesis";
const names = [...[...LANGUAGES, ...SCRIPTS].map(officialName), ...CLIENT_TRIALS.map(nameOf), FUZZING];
const unknown = words.filter((word) => !names.some((name) => has(name, word)));
if (unknown.length > 0) {
  console.error(`no client matches: ${unknown.join(" ")}`);
  process.exit(1);
}
const fuzzing = chosen(FUZZING);
const official = [...LANGUAGES, ...SCRIPTS].some(wanted);

const startedAtMs = performance.now();
const [python, go, java, php, ruby, mock, trials, fuzzer] = await Promise.all([
  wanted("python") ? pythonProgram({ name: "python", folder: "python" }) : missing("python"),
  wanted("go") ? goProgram({ name: "go", folder: "go" }) : missing("go"),
  wanted("java") ? javaProgram({ name: "java", folder: "java" }) : missing("java"),
  wanted("php") ? scriptProgram("php", { extension: "php", folderVariable: "STRIPE_PHP" }) : missing("php"),
  wanted("ruby") ? scriptProgram("ruby", { extension: "rb", folderVariable: "STRIPE_RUBY" }) : missing("ruby"),
  official ? platformMock() : missing("the platform's mock"),
  prepareTrials(CLIENT_TRIALS.filter((trial) => chosen(nameOf(trial)))),
  fuzzing ? pythonInterpreter({ name: FUZZING, folder: "schemathesis" }) : missing(FUZZING),
]);
console.log(`# libraries are there after ${Math.round((performance.now() - startedAtMs) / 1000)} s`);

const named = { python, go, java };
const programs: Program[] = [
  ...[nodeProgram("stripe"), nodeProgram("stripe-15")].filter(({ name }) => wanted(name)),
  ...Object.entries(named).flatMap(([name, program]) => {
    // What was not asked for is no failure in CI either.
    if (wanted(name) && program.type === "missing") skipReason(program);
    return program.type === "installed" ? [program.value] : [];
  }),
];

function describeOfficialLibraries(): void {
  let world: World;
  let proxy: RecordingProxy;
  let receiver: WebhookReceiver;

  before(async () => {
    world = givenWorld() ?? (await givenFake()) ?? (await startRelayWorld());
    proxy = await startRecordingProxy(world.baseUrl);
    receiver = await startWebhookReceiver();
    console.log(`# against ${world.about}`);
  });
  after(async () => {
    await receiver?.stop();
    await proxy?.stop();
    await world?.stop();
  });

  describe("the life of a payment", { concurrency: SIDE_BY_SIDE }, () => {
    for (const program of programs) {
      it(`with ${program.name}`, async () => runLife(program, { baseUrl: proxy.url, keys: await world.keys(), receiver }));
    }
  });

  describe("every method of its objects is sent to the relay, and nowhere else", { concurrency: SIDE_BY_SIDE }, () => {
    for (const program of programs) {
      it(`with ${program.name}`, () => callsObjects(program));
    }
    for (const [name, script] of Object.entries({ php, ruby })) {
      // No registry that CI reaches has these libraries.
      if (script.type === "missing") it(`with ${name}`, { skip: script.reason }, () => undefined);
      else it(`with ${name}`, () => callsObjects(script.value));
    }
  });

  async function callsObjects(program: Program): Promise<void> {
    const { secretKey } = await world.keys();
    const called = await runObjects(program, { baseUrl: world.baseUrl, secretKey, hookUrl: receiver.urlOf(program.name) });
    assert.ok(called.length >= OBJECT_METHODS_MIN, called.join());
  }

  const skip = skipReason(mock);
  it("every answer, and every event, is as the platform describes its interface", { skip }, () => {
    assert.ok(mock.type === "installed");
    const checker = openApiChecker(mock.value.openApiFile);
    const events = receiver.deliveries.flatMap(({ payload }) => checker.faultsOfObject("event", JSON.parse(payload)));
    assert.deepEqual([...faultsOfRecording(checker, proxy.exchanges), ...new Set(events)], []);
    assert.ok(proxy.exchanges.length > 0 && receiver.deliveries.length > 0, "nothing was recorded");
    console.log(`# ${proxy.exchanges.length} answers and ${receiver.deliveries.length} events fit the platform's description`);
  });

  it("answers have the members that the platform's mock has for the same calls", { skip }, async (test) => {
    assert.ok(mock.type === "installed");
    const port = await freePort();
    const folder = await mkdtemp(join(tmpdir(), "relay-mock-"));
    test.after(() => rm(folder, { recursive: true, force: true }));
    const server = new ServerProcess(mock.value.command, ["-http-addr", `127.0.0.1:${port}`], join(folder, "log"));
    await server.start();
    test.after(() => server.kill());
    await eventually(() => fetch(`http://127.0.0.1:${port}/`));
    const { compared, differences, unneeded } = await differencesOf(proxy.exchanges, `http://127.0.0.1:${port}`);
    assert.deepEqual(differences, []);
    assert.deepEqual(unneeded, [], "what may lack according to the table is there");
    assert.ok(compared > 0, "nothing was compared");
    console.log(`# ${compared} answers compared`);
  });

  // Last: it moves the clock by more than an hour.
  it("every library accepts the first, the fifth and the sixth attempt of a webhook", async (test) => {
    const { advance } = world;
    if (advance === null) return test.skip("the clock of that relay is not ours");
    await signaturesOfAttempts({ baseUrl: world.baseUrl, keys: await world.keys(), receiver, programs, advance });
  });
}

if (official) describe("official libraries of the compatible platform", describeOfficialLibraries);
if (trials.length > 0) describeTrials(trials);
if (fuzzing) describeFuzzing(fuzzer);
