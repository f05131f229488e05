import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { bundleScripts } from "../../../http/web/bundle-scripts.ts";

test("scripts are the same bytes whenever they are made", async () => {
  assert.deepEqual(await bundleScripts(), await bundleScripts());
});

test("a script that cannot be made stops the build and the start, with its name and the place of the mistake", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "relay-scripts-"));
  t.after(() => rm(folder, { recursive: true }));
  await assert.rejects(bundleScripts(folder), /^Error: the browser script compat\.js cannot be made: .*compat-script\.ts/s);
  await writeFile(join(folder, "compat-script.ts"), "export const one = 1;\nconst = 2;\n");
  await assert.rejects(bundleScripts(folder), /compat\.js cannot be made: .*compat-script\.ts:2:6/s);
  await writeFile(join(folder, "compat-script.ts"), "");
  await assert.rejects(bundleScripts(folder), /scan\.js cannot be made/);
});
