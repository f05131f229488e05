import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { Ajv } from "ajv";
import { parse } from "yaml";
import { readConfig } from "../../../infra/node/boot/config.ts";
import { dockerfileOf } from "./dockerfile.ts";

const FILE = "infra/compose/compose.yaml";

/** What README.md has people write into `.env`. */
const ENVIRONMENT: { readonly [name: string]: string } = {
  RELAY_ADMIN_PASSWORD: "a".repeat(48),
  RELAY_TERMINAL_SECRET: "b".repeat(64),
  RELAY_SECRET_KEY: createHash("sha256").update("key").digest("hex"),
  CLICKHOUSE_PASSWORD: "d".repeat(48),
};

interface Service {
  image?: string;
  build?: { context: string; dockerfile: string };
  environment?: { [name: string]: string };
  volumes?: string[];
  depends_on?: string[] | { [service: string]: { condition: string } };
  healthcheck?: { test: string[] };
  ports?: string[];
  networks?: string[];
  logging?: { driver: string };
  restart?: string;
  stop_grace_period?: string;
  user?: string;
  privileged?: boolean;
}

interface Compose {
  services: { [name: string]: Service };
  networks: { [name: string]: unknown };
  volumes: { [name: string]: unknown };
}

/** Variables as Compose replaces them: `${NAME}`, `${NAME:-otherwise}`, `${NAME:?why}`. */
function interpolated(text: string): string {
  return text.replace(/\$\{([A-Z_]+)(?::([-?])([^}]*))?\}/g, (_whole, name: string, kind: string | undefined, rest = "") => {
    const value = ENVIRONMENT[name];
    if (value === undefined && kind !== "-") throw new Error(`README.md does not have people set ${name}`);
    return value ?? rest;
  });
}

const source = readFileSync(FILE, "utf8");
// Comments show nothing that is replaced.
const read: Compose = parse(interpolated(source.replace(/^\s*#.*$/gm, "")), { merge: true });
const services = Object.entries(read.services);
const nodes = services.filter(([, { image }]) => image === "terminal-relay");

test("compose.yaml has the form that Compose's own schema describes", () => {
  // github.com/compose-spec/compose-spec (Apache-2.0), commit 170098ba07d9f53c383a41bfd4c5166b0a4529a6.
  const { $schema: _draft, ...schema } = JSON.parse(readFileSync("test/golden/compose-spec.json", "utf8"));
  const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema);
  assert.ok(validate(read), JSON.stringify(validate.errors, null, 2));
  assert.equal(validate({ services: { a: { imagee: "x" } } }), false, "the schema refuses nothing");
});

test("what services name is declared, and what is declared is named", () => {
  const named = { volumes: new Set<string>(), networks: new Set<string>() };
  for (const [name, { volumes = [], networks = [], depends_on = [] }] of services) {
    for (const volume of volumes) {
      const [from = ""] = volume.split(":");
      if (from.startsWith(".")) assert.ok(existsSync(join(dirname(FILE), from)), `${name}: ${from} is not there`);
      else named.volumes.add(from);
    }
    for (const network of networks) named.networks.add(network);
    for (const other of Array.isArray(depends_on) ? depends_on : Object.keys(depends_on)) {
      assert.ok(other in read.services, `${name} depends on ${other}, which is not there`);
      const condition = Array.isArray(depends_on) ? "service_started" : depends_on[other]?.condition;
      if (condition === "service_healthy") assert.ok(read.services[other]?.healthcheck, `${name} waits for the health of ${other}`);
    }
  }
  assert.deepEqual([...named.volumes].sort(), Object.keys(read.volumes).sort());
  assert.deepEqual([...named.networks].sort(), Object.keys(read.networks).sort());
});

for (const [name, service] of services) {
  test(`service ${name} has a version, comes back, keeps its log short, and has no more rights than it needs`, () => {
    if (service.build === undefined) assert.match(service.image ?? "", /:\d+\.\d+/, "an image without a version is another one tomorrow");
    assert.equal(service.restart, "unless-stopped");
    assert.deepEqual(service.logging, { driver: "local" }, "json-file grows without end");
    assert.notEqual(service.privileged, true);
    assert.doesNotMatch(JSON.stringify(service.volumes ?? []), /docker\.sock/);
    // Everything but the balancer is reached by its own network alone, and that one by this machine, unless something else is chosen.
    assert.deepEqual(service.ports ?? [], name === "balancer" ? ["127.0.0.1:8080:8080"] : []);
  });
}

test("three nodes start with what they are given, each with a name and a volume of its own", () => {
  assert.equal(nodes.length, 3);
  const ids = nodes.map(([name, { environment = {}, volumes = [], stop_grace_period }]) => {
    const config = readConfig(environment);
    assert.equal(config.mode, "production");
    assert.notEqual(config.cluster, null);
    assert.equal(config.nodeId, name);
    assert.ok(volumes.includes(`${name}:/relay/data`), "the witness file has to outlive the container");
    for (const folder of [config.packageDirectory, config.exportDirectory]) {
      assert.ok(
        volumes.some((volume) => volume.endsWith(`:${folder}`)),
        `${folder} is not shared`,
      );
    }
    // A node ends itself after 40 s (infra/node/main.ts).
    assert.ok(Number.parseInt(stop_grace_period ?? "0", 10) > 40);
    return config.nodeId;
  });
  assert.equal(new Set(ids).size, 3);
});

test("no secret stands in a file, and each comes from .env with a word on where to look when it is missing", () => {
  for (const name of Object.keys(ENVIRONMENT)) assert.match(source, new RegExp(`\\$\\{${name}:\\?see README\\.md\\}`));
  assert.doesNotMatch(source, /(?:PASSWORD|SECRET|KEY|TOKEN)[A-Z_]*: (?!\$\{)/);
  assert.match(readFileSync("infra/compose/README.md", "utf8"), /chmod 600 \.env/);
});

test("the balancer and the nodes agree on names, ports and the network whose addresses are trusted", () => {
  const haproxy = readFileSync("infra/compose/haproxy.cfg", "utf8");
  for (const [name, { environment }] of nodes) {
    assert.match(haproxy, new RegExp(`server ${name} ${name}:${environment?.["RELAY_PORT"]}$`, "m"));
    assert.match(source, new RegExp(`subnet: ${environment?.["RELAY_TRUSTED_PROXIES"]?.replaceAll(".", "\\.")} `));
  }
});

test("what runs in a node's container is in its image", () => {
  const { copied } = dockerfileOf("infra/compose/Dockerfile").final;
  for (const [, { healthcheck, build }] of nodes) {
    assert.deepEqual(build, { context: "../..", dockerfile: "infra/compose/Dockerfile" });
    const [, , script = ""] = healthcheck?.test ?? [];
    assert.ok(existsSync(script), script);
    assert.ok(
      copied.some((target) => script.startsWith(target)),
      `${script} is not in the image`,
    );
  }
});
