import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { ClickHouseNotStarted, startEmbeddedClickHouse } from "../../../storage/clickhouse/embedded/supervisor.ts";
import { eventually } from "../../support/within.ts";
import { ADMIN, ask, startClickHouse } from "./clickhouse-world.ts";

describe("the child process of ClickHouse", () => {
  it("is started again after kill -9, at the same address, with the data there", async (test) => {
    const world = await startClickHouse();
    test.after(() => world.stop());
    const { url } = world.clickhouse;
    await ask(world, "CREATE TABLE relay.t (a UInt64) ENGINE = MergeTree ORDER BY a SETTINGS fsync_after_insert = 1", {}, ADMIN);
    await ask(world, "INSERT INTO relay.t SELECT number FROM numbers(1000)", {}, ADMIN);

    for (let round = 1; round <= 2; round++) {
      const started = world.next("started");
      const pid = world.clickhouse.pid();
      assert.ok(pid !== null);
      process.kill(pid, "SIGKILL");
      await started;
      assert.equal(world.clickhouse.url, url);
      assert.equal(world.clickhouse.restarts(), round);
      assert.equal((await ask(world, "SELECT count() FROM t")).text, "1000\n");
    }
  });

  it("lets go of its directory when it is stopped", async (test) => {
    const directory = await mkdtemp(join(tmpdir(), "relay-clickhouse-"));
    test.after(() => rm(directory, { recursive: true, force: true }));
    const first = await startClickHouse(directory);
    await ask(first, "CREATE TABLE relay.t (a UInt64) ENGINE = MergeTree ORDER BY a", {}, ADMIN);
    await first.stop();
    assert.equal(first.clickhouse.pid(), null);
    const second = await startClickHouse(directory);
    assert.equal((await ask(second, "SHOW TABLES")).text, "t\n");
    await second.stop();
  });

  it("does not outlive a relay that was killed", async (test) => {
    const directory = await mkdtemp(join(tmpdir(), "relay-clickhouse-"));
    test.after(() => rm(directory, { recursive: true, force: true }));
    const program = fileURLToPath(new URL("./parent-process.ts", import.meta.url));
    const parent = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), program, directory], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const pid = Number(await new Promise<string>((resolve) => parent.stdout.setEncoding("utf8").once("data", resolve)));
    assert.ok(isRunning(pid));
    parent.kill("SIGKILL");
    await eventually(() => assert.ok(!isRunning(pid), "the child of a killed relay still runs"));
  });

  it("says that a directory is in use", async (test) => {
    const world = await startClickHouse();
    test.after(() => world.stop());
    await assert.rejects(startClickHouse(world.directory), ClickHouseNotStarted);
  });

  it("says when the port is taken", async (test) => {
    const world = await startClickHouse();
    test.after(() => world.stop());
    const directory = await mkdtemp(join(tmpdir(), "relay-clickhouse-"));
    test.after(() => rm(directory, { recursive: true, force: true }));
    const starting = startEmbeddedClickHouse({
      directory,
      host: "127.0.0.1",
      port: Number(new URL(world.clickhouse.url).port),
      adminPassword: "a",
      readerUsername: "analyst",
      readerPassword: "b",
      onLog: () => undefined,
    });
    await assert.rejects(starting, /EADDRINUSE/);
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
