/** What runs when: which files may share a process, what a landing adds to `npm test`, and which suites run at night and by sixths. */
import { readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type Job, jobsOf } from "./jobs.ts";

/** A suite of the nightly run. */
export interface Suite extends Job {
  /** Paths of the product, or their beginnings: a landing that changes one of them runs the suite. */
  readonly subject: readonly string[];
  /** Whether the landings run it in turn. Not what repeats, on another layout or library, tests that every landing runs. */
  readonly isInSixths: boolean;
}

/** Folders whose test files hold no global state (a clock, a browser, servers, the process itself): the files of one of them share a process. */
const SHARED = [
  "test/engine/",
  ...["auth", "endpoint", "exports", "gateway", "mail", "stomp", "surfaces", "webhooks", "zvt"].map((folder) => `test/http/${folder}/`),
  ...["activity", "bus", "files", "packages"].map((folder) => `test/storage/${folder}/`),
  ...["docs", "monitoring", "node", "sandbox"].map((folder) => `test/infra/${folder}/`),
  "bench/test/",
  "test/golden/",
  "test/tidy/",
];

/** Tests of clusters that share Redis, Kafka and ClickHouse, in two processes: the files of each run one after the other on servers that are emptied. */
const CLUSTERS = "test/cluster/shared/";

/** Where several nodes differ from one. */
const CLUSTERED = ["engine/routing/", "infra/node/cluster/", "storage/bus/", "storage/redis/"];

const partOf = (file: string): string => `${CLUSTERS}* ${basename(file) < "p" ? "a to o" : "p to z"}`;

export function groupOf(file: string): string | null {
  if (file.startsWith(CLUSTERS)) return partOf(file);
  if (NIGHTLY.some((suite) => suite.files.includes(file))) return null;
  return SHARED.some((folder) => file.startsWith(folder)) ? `${dirname(file)}/*` : null;
}

const program = (name: string, file: string): Job => ({ name, files: [file] });
const script = (name: string): Job => ({ name, files: [], command: ["npm", "run", name] });

/** What a landing and the nightly run add to `npm test`: what protects what users see, and clusters. */
export const CHECKS: readonly Job[] = [
  script("types"),
  script("lint"),
  { name: "the package of the benchmarks", files: [], command: ["npm", "--prefix", "bench", "run", "check"] },
  program("a fresh installation", "test/machines/fresh-install.ts"),
  { ...program("clients that others wrote", "test/clients/run.ts"), environment: { CLIENTS_WITHOUT: "schemathesis" } },
  program("cash registers that others wrote", "test/zvt/run.ts"),
  program("the portal in Chromium", "test/portal/acceptance.ts"),
  { ...script("test:http-library"), name: "the other HTTP library" },
];

/** Files that only a landing and the nightly run have, by the beginnings of their paths. */
export const LANDING = ["bench/test/", "test/cluster/", "test/fault/", "test/infra/local/", "test/proxies/"];

/** The test files of a folder, whose name ends with a slash. */
const filesOf = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => folder + file);

/** A file that runs at night, in its turn by sixths, and where the change touches its subject. */
const nightly = (file: string, ...subject: readonly string[]): Suite => ({ name: file, files: [file], subject, isInSixths: true });

export const NIGHTLY: readonly Suite[] = [
  ...["load", "relay-away", "roll-out"].map((name) => nightly(`bench/test/deployment/${name}.test.ts`, "bench/deployment/")),
  nightly("test/cluster/card-numbers.test.ts", "engine/kernel/mask.ts"),
  nightly("test/cluster/feed-told.test.ts", "storage/feed/"),
  nightly("test/cluster/former-version.test.ts", "engine/kernel/schemas.ts", "storage/schemas/"),
  nightly("test/cluster/portal-faults.test.ts", "storage/transactions/merchant-turns.ts"),
  nightly("test/cluster/redis-at-start.test.ts", "storage/redis/"),
  nightly("test/cluster/restored.test.ts", "storage/kv/history.ts", "engine/terminals/taking-back.ts"),
  nightly("test/cluster/scenarios.test.ts", ...CLUSTERED),
  nightly("test/cluster/sentinel.test.ts", "storage/redis/"),
  nightly("test/cluster/later-version.test.ts", "storage/schemas/"),
  nightly("test/doors/production.test.ts", "http/auth/"),
  nightly("test/fault/agents.test.ts", "engine/agents/"),
  nightly("test/fault/agents-node.test.ts", "engine/agents/"),
  nightly("test/fault/alerts-node.test.ts", "engine/alerts/"),
  nightly("test/fault/cut-files.test.ts", "storage/kv/embedded.ts"),
  nightly("test/fault/disk-full.test.ts", "storage/kv/embedded.ts", "storage/kv/committer.ts"),
  nightly("test/fault/exports-node.test.ts", "engine/exports/"),
  nightly("test/fault/intents-node.test.ts", "engine/intents/"),
  nightly("test/fault/links.test.ts", "engine/links/"),
  nightly("test/fault/packages.test.ts", "engine/apps/", "storage/packages/"),
  nightly("test/fault/portal-links.test.ts", "engine/portal-links/"),
  nightly("test/fault/portal-links-node.test.ts", "engine/portal-links/"),
  nightly("test/fault/refused-rows.test.ts", "storage/feed/feed.ts", "storage/feed/bisect-batch.ts"),
  nightly("test/fault/reload.test.ts", "infra/node/process/"),
  nightly("test/fault/restored.test.ts", "storage/kv/history.ts", "engine/terminals/taking-back.ts"),
  nightly("test/fault/second-node.test.ts", "infra/node/process/"),
  nightly("test/fault/start.test.ts", "infra/node/process/"),
  nightly("test/fault/subscriptions-node.test.ts", "engine/subscriptions/"),
  nightly("test/fault/terminate.test.ts", "infra/node/process/", "infra/node/shard/"),
  nightly("test/fault/webhooks.test.ts", "engine/webhooks/"),
  nightly("test/fault/zvt.test.ts", "engine/zvt/", "http/zvt/"),
  ...["portal", "operators"].flatMap((app) =>
    filesOf(`test/http/web/${app}/`).map((file) => nightly(file, `http/web/${app}/`, `test/http/web/${app}/`)),
  ),
  nightly("test/infra/build/compile.test.ts", "infra/build/"),
  nightly("test/infra/command-lines.test.ts", "infra/cli/"),
  nightly("test/infra/local/cluster.test.ts", "infra/local/"),
  nightly("test/infra/monitoring/faults.test.ts", "infra/monitoring/"),
  ...["haproxy", "nginx"].map((name) => nightly(`test/proxies/${name}.test.ts`, "infra/compose/")),
  ...jobsOf(filesOf(CLUSTERS), partOf).map((job) => ({ ...job, subject: [...CLUSTERED, "test/cluster/"], isInSixths: true })),
];

/** A simulation with all of its seeds, and fresh ones for some time. */
const simulation = (file: string, ...subject: readonly string[]): Suite => ({
  name: `${file}, all seeds`,
  files: [file],
  environment: { TEST_LEVEL: "nightly" },
  subject,
  isInSixths: true,
});

/** Tests that a landing runs in a smaller form. */
export const VARIANTS: readonly Suite[] = [
  {
    name: "every scenario on one shard",
    files: ["test/scenario/one-node.test.ts"],
    environment: { TEST_SHARDS: "1" },
    subject: [],
    isInSixths: false,
  },
  {
    name: "every scenario on three nodes",
    files: ["test/cluster/scenarios.test.ts"],
    environment: { TEST_LAYOUTS: "every" },
    subject: [],
    isInSixths: false,
  },
  {
    ...script("test:http-library"),
    name: "all tests of the other HTTP library",
    command: ["npm", "run", "test:http-library", "--", "every"],
    subject: ["http/server/uws.ts"],
    isInSixths: false,
  },
  {
    name: "schemathesis over the whole interface",
    files: [],
    command: ["npm", "run", "test:clients", "--", "schemathesis"],
    environment: { FUZZ_MINUTES: "25" },
    subject: [],
    isInSixths: true,
  },
  simulation("test/simulation/simulation.test.ts", "engine/terminals/command-machine.ts", "engine/routing/"),
  simulation("test/simulation/planted-faults.test.ts", "engine/terminals/command-machine.ts", "engine/routing/"),
  simulation("test/simulation/known-faults.test.ts", "engine/terminals/command-machine.ts", "engine/routing/"),
  simulation("test/simulation/agents/agents.test.ts", "engine/agents/"),
  simulation("test/simulation/disputes/disputes.test.ts", "engine/disputes/"),
  simulation("test/simulation/intents/intents.test.ts", "engine/intents/"),
  simulation("test/simulation/portal-links/portal-links.test.ts", "engine/portal-links/"),
  simulation("test/simulation/subscriptions/subscriptions.test.ts", "engine/subscriptions/"),
  simulation("test/simulation/zvt/zvt.test.ts", "engine/zvt/"),
  {
    name: "three nodes that lose their parts, under load",
    files: [],
    command: ["npm", "run", "test:trial", "--", "--rounds", "1", "--seconds", "8", "--settle-seconds", "5"],
    subject: [],
    isInSixths: false,
  },
];
