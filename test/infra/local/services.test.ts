import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { freePort } from "../../../infra/local/free-port.ts";
import { redisAnswers } from "../../../infra/local/redis-answers.ts";
import { readInfraState, writeInfraState } from "../../../infra/local/service-state.ts";
import { servicesDown, servicesUp } from "../../../infra/local/services.ts";
import { redisMissing } from "../../support/node/redis.ts";

async function folderOf(test: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "relay-infra-"));
  test.after(async () => {
    await servicesDown(directory);
    await rm(directory, { recursive: true, force: true });
  });
  return directory;
}

describe("infra:up and infra:down", { skip: await redisMissing() }, () => {
  it("start what is missing, find what runs, and stop it", async (test) => {
    const directory = await folderOf(test);
    const port = await freePort();
    const variable = { name: "RELAY_REDIS_URL", value: `redis://127.0.0.1:${port}/0` };
    const up = () => servicesUp({ directory, only: ["redis"], ports: { redis: port } });
    assert.deepEqual(await up(), [{ name: "redis", type: "started", port, variable }]);
    assert.equal(await redisAnswers(port), true);
    assert.deepEqual(await up(), [{ name: "redis", type: "was running", port, variable }]);
    assert.deepEqual(await servicesDown(directory), ["redis"]);
    assert.equal(await redisAnswers(port), false);
    assert.deepEqual(await servicesDown(directory), []);
    // Its data and its port are kept.
    const again = await servicesUp({ directory, only: ["redis"], ports: {} });
    assert.deepEqual(again, [{ name: "redis", type: "started", port, variable }]);
  });

  it("say so when a wished port is taken", async (test) => {
    const directory = await folderOf(test);
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    test.after(() => server.close());
    const address = server.address();
    assert.ok(address !== null && typeof address === "object");
    const results = await servicesUp({ directory, only: ["redis"], ports: { redis: address.port } });
    assert.deepEqual(results, [{ name: "redis", type: "failed", reason: `port ${address.port} is taken` }]);
  });

  it("never stop another process that was given a recorded id", async (test) => {
    const directory = await folderOf(test);
    const other = spawn("sleep", ["60"]);
    await once(other, "spawn");
    test.after(() => other.kill("SIGKILL"));
    assert.ok(other.pid !== undefined);
    await writeInfraState(directory, { redis: { pid: other.pid, port: 6379, marker: join(directory, "redis", "redis.conf") } });
    assert.deepEqual(await servicesDown(directory), []);
    assert.equal(other.exitCode, null);
    assert.equal(other.signalCode, null);
    assert.equal((await readInfraState(directory)).redis?.pid, other.pid);
  });
});
