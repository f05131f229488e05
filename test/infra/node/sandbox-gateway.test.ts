import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { planSandboxGateway, type SandboxGatewayProcess } from "../../../infra/node/sandbox-gateway.ts";
import { atEnd, directoryOf } from "../../storage/kv/world.ts";
import { eventually } from "../../support/within.ts";

function plan(dataDirectory: string): Promise<SandboxGatewayProcess> {
  return planSandboxGateway({ port: 0, dataDirectory, printed: () => {}, died: (exit, reason) => assert.fail(`${exit}: ${reason}`) });
}

describe("the sandbox gateway of a data directory", () => {
  it("is at the same address after a restart, so that the links that it gave out still work, unless that is taken", async (test) => {
    const directory = join(await directoryOf(test), "data");
    const first = await plan(directory);
    await first.start();
    await eventually(async () => assert.ok((await fetch(first.url)).status < 500), 20_000);
    await first.stop();
    assert.equal((await plan(directory)).url, first.url);

    const other = createServer().listen(Number(new URL(first.url).port), "127.0.0.1");
    await once(other, "listening");
    atEnd(test, () => other.close());
    assert.notEqual((await plan(directory)).url, first.url);
  });

  it("takes any free port where what is kept of the last one is none", async (test) => {
    const directory = await directoryOf(test);
    for (const text of ["", "http", "99999\n", "-1\n", "0\n"]) {
      await writeFile(join(directory, "sandbox-gateway.port"), text);
      assert.match((await plan(directory)).url, /^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
    }
  });
});
