import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { bundleApp } from "../../../http/web/bundle-web-app.ts";

test("two nodes that start at once in one process both get the portal, and the same", { timeout: 120_000 }, async () => {
  const first = bundleApp("portal");
  // The second is in the middle of it when the first is done.
  const second = delay(20).then(() => bundleApp("portal"));
  const [one, other] = await Promise.all([first, second]);
  assert.deepEqual([...one.files.keys()].sort(), [...other.files.keys()].sort());
  assert.equal(one.shell, other.shell);
});
