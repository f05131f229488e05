import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

/** Asks V8 in a process of its own, with the packages of a node loaded. */
async function fastStrings(after: string): Promise<string> {
  const program = `
    await import("./infra/node/shard/shard.ts");
    const { keepStringMethodsFast } = await import("./infra/node/boot/string-methods.ts");
    const { setFlagsFromString } = await import("node:v8");
    setFlagsFromString("--allow-natives-syntax");
    ${after}
    console.log(new Function("return %HasFastProperties(String.prototype)")());
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", program]);
  return stdout.trim();
}

test("V8 may inline the methods of strings, whatever the packages do to String", async () => {
  assert.equal(await fastStrings("keepStringMethodsFast();"), "true");
  assert.equal(await fastStrings("keepStringMethodsFast(); class Text extends String {}"), "true");
});

test("a class that extends String keeps it from that, which is why it is asked for", async () => {
  assert.equal(await fastStrings("class Text extends String {}"), "false");
});
