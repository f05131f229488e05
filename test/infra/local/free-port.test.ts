import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { freePorts, type PortRange } from "../../../infra/local/free-port.ts";

/** Is given two ports in a row, prints the first, and holds them until it is killed. */
const HOLDER = `import { freePorts } from "./infra/local/free-port.ts";
console.log(await freePorts(2));
setInterval(() => {}, 60_000);`;

test("a port is given to one who asks, in whichever process, until that process ends; and those in a row are all free", async (t) => {
  const holder = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", HOLDER], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => holder.kill("SIGKILL"));
  const [printed] = await once(holder.stdout.setEncoding("utf8"), "data");
  const first = Number(printed);
  const range: PortRange = [first, first + 2];
  await assert.rejects(freePorts(1, range), /no free port/);
  const ended = once(holder, "exit");
  holder.kill("SIGKILL");
  await ended;
  const given = new Set([await freePorts(1, range), await freePorts(1, range)]);
  assert.deepEqual([...given].sort(), [first, first + 1]);
  await assert.rejects(freePorts(1, range), /no free port/);
});

test("a port at which somebody listens is given to nobody, nor are its neighbours as ports in a row", async (t) => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const { port } = address;
  for (const range of [
    [port, port + 1],
    [port - 1, port + 1],
    [port, port + 2],
  ] as const)
    await assert.rejects(freePorts(range[1] - range[0], range), /no free port/);
});
