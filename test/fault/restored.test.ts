import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { promisify } from "node:util";
import { readAnalystAccess } from "../../storage/clickhouse/analyst-access.ts";
import { directoryOf } from "../storage/kv/world.ts";
import { eventually } from "../support/within.ts";
import { NO_CLICKHOUSE, type NodeProcess, placeOf, startNodeProcess } from "./node-process.ts";
import { type Drill, drillOf, lives } from "./restore-drill.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

const PRODUCTION = {
  ...NO_CLICKHOUSE,
  RELAY_MODE: "production",
  RELAY_HOST: "127.0.0.1",
  RELAY_TERMINAL_SECRET: "a-terminal-secret-of-this-test",
  RELAY_SECRET_KEY: "q2r9C2Xq0o6Qb0V3J8cVbFh3b0k4m1Zl7pXn5sYtT2E=",
};

/** As an operator types it. */
async function command(name: "backup" | "restored", dataDirectory: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ["--import", "tsx", `infra/cli/${name}.ts`, "--data-dir", dataDirectory, ...args], {
    cwd: ROOT,
  });
  return stdout;
}

async function stopped(node: NodeProcess): Promise<void> {
  node.signal("SIGTERM");
  assert.equal((await node.exited).code, 0);
}

async function bringBack(backup: string, dataDirectory: string): Promise<void> {
  await rm(join(dataDirectory, "state"), { recursive: true });
  await cp(join(backup, "state"), join(dataDirectory, "state"), { recursive: true });
}

/** A production node that nothing can be taken back for: a copy of its store as it was after its first start, and its second life. */
async function copiedNode(test: TestContext) {
  const place = { ...(await placeOf(test)), environment: PRODUCTION };
  const { dataDirectory } = place;
  const start = () => startNodeProcess(test, place);
  const backup = join(await directoryOf(test), "backup");
  const first = start();
  await first.ready();
  await stopped(first);
  await command("backup", dataDirectory, backup);
  const second = startNodeProcess(test, {
    ...place,
    environment: { ...PRODUCTION, RELAY_ADMIN_PASSWORD: "another-password-of-this-test" },
  });
  await second.ready();
  const denied = await fetch(`${second.url}/admin/terminals/T1/deny`, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from("admin:another-password-of-this-test").toString("base64")}` },
  });
  assert.equal(denied.status, 200, await denied.text());
  await stopped(second);
  return { start, backup, dataDirectory };
}

describe("a store that was restored", () => {
  it("is known as one, and has back what ClickHouse holds, before the node is ready", { timeout: 300_000 }, async (test) => {
    const place = { ...(await placeOf(test)), environment: { RELAY_SHARDS: "2" } };
    const { dataDirectory } = place;
    const backup = join(await directoryOf(test), "backup");
    let node = startNodeProcess(test, place);
    await node.ready();
    const drill: Drill = {
      url: node.url,
      backUp: async () => assert.match(await command("backup", dataDirectory, backup), /everything that was acknowledged before/),
      fed: (uuids) =>
        eventually(async () => {
          for (const uuid of uuids) assert.equal(await lives(await drill.analyst(), uuid), "done\n");
        }),
      restore: async () => {
        await stopped(node);
        await bringBack(backup, dataDirectory);
        node = startNodeProcess(test, place);
        await node.ready();
      },
      analyst: async () => {
        const access = await readAnalystAccess(dataDirectory);
        assert.ok(access !== null);
        return access;
      },
    };
    await drillOf(drill);
    assert.match(node.output(), /"event":"store restored","certain":true/);
    await stopped(node);
    // It is told once.
    node = startNodeProcess(test, place);
    await node.ready();
    assert.doesNotMatch(node.output(), /store restored/);
  });

  it("with nothing to take back from is not begun with in production, until an operator says so", async (test) => {
    const { start, backup, dataDirectory } = await copiedNode(test);
    await bringBack(backup, dataDirectory);
    for (const attempt of ["first", "second"]) {
      const refused = start();
      assert.equal((await refused.exited).code, 1, attempt);
      assert.match(refused.output(), /was replaced by an earlier copy.*npm run restored/, attempt);
    }
    assert.match(await command("restored", dataDirectory), /^Recorded: the store is a copy of \d{4}-/);
    const begun = start();
    await begun.ready();
    assert.match(begun.output(), /"event":"store restored","certain":true/);
    assert.match(begun.output(), /the missing data cannot be loaded from anywhere/);
    await stopped(begun);
    const again = start();
    await again.ready();
    assert.doesNotMatch(again.output(), /store restored/);
  });

  it("is likely where no witness is left and the folder is another one: the node begins, and says so", async (test) => {
    const { start, backup, dataDirectory } = await copiedNode(test);
    await rm(join(dataDirectory, "witness"));
    const before = join(await directoryOf(test), "before");
    await mkdir(before);
    // The folder that was there stays, so that the copy cannot get its inode.
    await cp(join(dataDirectory, "state"), join(before, "state"), { recursive: true });
    await cp(join(backup, "state"), join(dataDirectory, "copy"), { recursive: true });
    await rm(join(dataDirectory, "state"), { recursive: true });
    await run("mv", [join(dataDirectory, "copy"), join(dataDirectory, "state")]);
    const begun = start();
    await begun.ready();
    assert.match(begun.output(), /"event":"store restored","certain":false.*may have been replaced by an earlier copy/);
    await stopped(begun);
    const again = start();
    await again.ready();
    assert.doesNotMatch(again.output(), /store restored/);
  });
});
