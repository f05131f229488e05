import assert from "node:assert/strict";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { directoryOf } from "../../test/storage/kv/world.ts";
import { installFastify, installSpring } from "../peers/install.ts";

/** A machine that has only these programs, and an empty cache. Each file of tests has a process of its own. */
async function machineWith(test: TestContext, programs: { [name: string]: string }): Promise<string> {
  const directory = await directoryOf(test);
  const [bin, cache] = [join(directory, "bin"), join(directory, "cache")];
  await mkdir(bin, { recursive: true });
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  }
  const before = { PATH: process.env["PATH"], XDG_CACHE_HOME: process.env["XDG_CACHE_HOME"] };
  Object.assign(process.env, { PATH: bin, XDG_CACHE_HOME: cache });
  test.after(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  return directory;
}

describe("a peer of the benchmark", () => {
  it("is left out with the reason where its tools are missing", async (test) => {
    await machineWith(test, {});
    assert.deepEqual(await installFastify(), { type: "missing", reason: "npm could not make it: spawn npm ENOENT" });
    const spring = await installSpring();
    assert.deepEqual(spring, { type: "missing", reason: "java is not installed: install a JDK from 17 on, and Maven" });
  });

  it("is left out with what its tool said last where that fails", async (test) => {
    await machineWith(test, { npm: "echo 'no registry answers' >&2; exit 1" });
    assert.deepEqual(await installFastify(), { type: "missing", reason: "npm could not make it: no registry answers" });
  });

  it("is made in the cache from its files, once", async (test) => {
    const directory = await machineWith(test, { npm: 'echo "$@" >> calls' });
    const [first, second] = [await installFastify(), await installFastify()];
    assert.ok(first.type === "installed");
    assert.deepEqual(second, first);
    assert.ok(first.program.startsWith(join(directory, "cache/terminal-relay/peers/fastify-")), first.program);
    assert.equal(await readFile(join(first.program, "calls"), "utf8"), "ci --ignore-scripts --no-audit --no-fund --loglevel=error\n");
    assert.deepEqual((await readdir(first.program)).sort(), ["calls", "complete", "package-lock.json", "package.json", "server.mjs"]);
  });
});
