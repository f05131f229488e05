import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { dockerfileOf, type Stage } from "./dockerfile.ts";

const { stages, final } = dockerfileOf("infra/compose/Dockerfile");
const ignore = readFileSync("infra/compose/Dockerfile.dockerignore", "utf8").split("\n");
const textsOf = (stage: Stage, name: string) => stage.instructions.filter((one) => one.name === name).map(({ text }) => text);
const TLS = join(import.meta.dirname, "../../http/server/tls");

test("the image is made from a Node of one version, which is that of .nvmrc", () => {
  const version = readFileSync(".nvmrc", "utf8").trim();
  for (const { from } of stages) assert.equal(from, `node:${version}-trixie-slim`);
});

test("the relay runs as a user who is not root, and owns only what it writes", () => {
  assert.deepEqual(textsOf(final, "USER"), ["node"]);
  const names = final.instructions.map(({ name }) => name);
  assert.ok(names.indexOf("USER") > names.lastIndexOf("COPY"), "what is copied later would be this user's");
  assert.ok(names.indexOf("USER") < names.indexOf("CMD"));
  for (const text of textsOf(final, "COPY")) assert.doesNotMatch(text, /--chown/);
});

test("SIGTERM reaches the relay, which is started without a shell and without npm", () => {
  assert.deepEqual(textsOf(final, "STOPSIGNAL"), ["SIGTERM"]);
  const [command = "", ...more] = textsOf(final, "CMD");
  assert.deepEqual(more, []);
  assert.deepEqual(JSON.parse(command), ["node", "dist/infra/node/main.js"]);
  assert.deepEqual(textsOf(final, "ENTRYPOINT"), []);
});

test("no secret is in a layer: none is an argument or a variable, and no file with one is sent to the engine", () => {
  for (const stage of stages) {
    for (const { name, text } of stage.instructions) {
      assert.notEqual(name, "ARG");
      assert.notEqual(name, "ADD");
      if (name === "ENV") assert.equal(text, "NODE_ENV=production");
    }
  }
  assert.equal(ignore[0], "*", "what is not named is not sent");
  for (const line of ["**/.env", "**/*.env", "**/*.pem", "**/*.key", "**/data"]) {
    // The last line that matches decides.
    assert.ok(ignore.indexOf(line) > ignore.findLastIndex((other) => other.startsWith("!")), line);
  }
});

test("what is copied from the repository is there and is sent to the engine", () => {
  for (const stage of stages) {
    for (const text of textsOf(stage, "COPY").filter((one) => !one.startsWith("--from="))) {
      for (const source of text.split(/\s+/).slice(0, -1)) {
        assert.ok(existsSync(source), `${source} is not there`);
        assert.ok(ignore.includes(`!${source.split("/")[0]}`), `${source} is not sent`);
      }
    }
  }
});

test("npm installs what the lock file says, with the folders that it links to, and without anybody's scripts", () => {
  const [build] = stages;
  assert.ok(build !== undefined);
  const installs = build.instructions.findIndex(({ text }) => text === "npm ci --ignore-scripts");
  assert.ok(installs >= 0);
  const before = build.instructions.slice(0, installs).map(({ text }) => text);
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const linked = Object.values<{ link?: boolean; resolved?: string }>(packages).flatMap(({ link, resolved }) =>
    link === true && resolved ? [resolved] : [],
  );
  assert.ok(linked.length > 0);
  for (const stage of [before, textsOf(final, "COPY")]) {
    for (const folder of linked)
      assert.ok(
        stage.some((text) => text.includes(folder)),
        `${folder} is not there when it is linked to`,
      );
  }
});

/** Runs the health check of the image against a server; resolves with its exit code. */
function checked(port: number, ...path: string[]): Promise<number> {
  const environment = { PATH: process.env["PATH"], RELAY_PORT: String(port) };
  return new Promise((resolve) => {
    execFile(process.execPath, ["infra/compose/healthcheck.mjs", ...path], { env: environment }, (error) =>
      resolve(error === null ? 0 : Number(error.code)),
    );
  });
}

async function portOf(t: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const address: AddressInfo | string | null = server.address();
  assert.ok(address !== null && typeof address === "object");
  return address.port;
}

test("the health check asks whether the process answers, over HTTP or its own TLS", async (t) => {
  const [health = ""] = textsOf(final, "HEALTHCHECK");
  assert.match(health, /--start-period=\d+s .*CMD \["node", "infra\/compose\/healthcheck\.mjs"\]$/);
  const answer = (request: { url?: string | undefined }, response: { statusCode: number; end(): unknown }): void => {
    response.statusCode = request.url === "/health/live" ? 200 : 503;
    response.end();
  };
  const [cert, key] = ["test-only-cert.pem", "test-only-key.pem"].map((name) => readFileSync(join(TLS, name)));
  for (const server of [createServer(answer), createTlsServer({ cert, key }, answer)]) {
    const port = await portOf(t, server);
    assert.equal(await checked(port), 0);
    assert.equal(await checked(port, "/health/ready"), 1);
    server.close();
    server.closeAllConnections();
    assert.equal(await checked(port), 1);
  }
});
