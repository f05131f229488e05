import assert from "node:assert/strict";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createClock, createClockShift } from "../../../../infra/node/boot/clock.ts";
import { readConfig } from "../../../../infra/node/boot/config.ts";
import { backgroundTimers } from "../../../../infra/node/boot/machine-timers.ts";
import type { NodeProtocol } from "../../../../infra/node/boot/node-protocol.ts";
import type { Reload } from "../../../../infra/node/boot/reload.ts";
import { readCertificates } from "../../../../infra/node/process/certificates.ts";
import { createReloading, type Reloading } from "../../../../infra/node/process/reload-node.ts";
import { createMesh } from "../../../../storage/bus/mesh.ts";
import { createThreadBus } from "../../../../storage/bus/thread-bus.ts";

const PAIRS = join(import.meta.dirname, "../../../http/server/tls");

interface World {
  reloading: Reloading;
  /** What the shard was asked to take over. */
  reloads: Reload[];
  /** The variables that name this pair of files, of which each has the same contents in every world. */
  tls(pair: "a" | "b"): { [name: string]: string };
  /** Authorities of clients. */
  clientCa: string;
}

async function startWorld(t: TestContext, extra: (clientCa: string) => { [name: string]: string } = () => ({})): Promise<World> {
  const directory = await mkdtemp(join(tmpdir(), "relay-reload-"));
  t.after(() => rm(directory, { recursive: true }));
  const [cert, key] = ["test-only-cert.pem", "test-only-key.pem"].map((name) => join(PAIRS, name));
  assert.ok(cert !== undefined && key !== undefined);
  const tls: World["tls"] = (pair) => ({ RELAY_TLS_CERT: join(directory, `${pair}.cert`), RELAY_TLS_KEY: join(directory, `${pair}.key`) });
  for (const pair of ["a", "b"]) {
    await copyFile(cert, join(directory, `${pair}.cert`));
    await copyFile(key, join(directory, `${pair}.key`));
  }
  const config = readConfig({ ...tls("a"), ...extra(cert) });
  const mesh = createMesh(["main", "shard-0"]);
  const clock = createClock(createClockShift());
  const busOf = (self: string) =>
    createThreadBus<NodeProtocol>({
      ...{ self, shards: ["shard-0"], ports: mesh.get(self) ?? new Map(), clock, timers: backgroundTimers, outstandingMax: 10 },
      onError: (error) => assert.fail(String(error)),
    });
  const [bus, shard] = [busOf("main"), busOf("shard-0")];
  t.after(() => {
    bus.close();
    shard.close();
  });
  const reloads: Reload[] = [];
  shard.handle("shard.reload", (reload) => {
    reloads.push(reload);
    return { type: "reloaded" };
  });
  const reloading = createReloading({ config, certificates: await readCertificates(config), bus, log: { setLevel: () => undefined } });
  return { reloading, reloads, tls, clientCa: cert };
}

test("a node whose files of TLS are no longer named stays with those that it has now, not with those of its start", async (t) => {
  const { reloading, reloads, tls } = await startWorld(t);
  await reloading.reload(readConfig(tls("b")));
  await reloading.reload(readConfig({}));
  const { RELAY_TLS_CERT: certFile = "", RELAY_TLS_KEY: keyFile = "" } = tls("b");
  for (const { config } of reloads) assert.deepEqual(config.tls, { certFile, keyFile });
  assert.equal(reloads.length, 2);
});

test("whether clients need certificates stays as it was at the start", async (t) => {
  const without = await startWorld(t);
  await without.reloading.reload(readConfig({ ...without.tls("a"), RELAY_TLS_CLIENT_CA: without.clientCa }));
  assert.deepEqual(
    without.reloads.map(({ config, certificatesChanged }) => [config.tlsClientCaFile, certificatesChanged]),
    [[null, false]],
  );
  const needed = await startWorld(t, (clientCa) => ({ RELAY_TLS_CLIENT_CA: clientCa }));
  await needed.reloading.reload(readConfig(needed.tls("a")));
  assert.deepEqual(
    needed.reloads.map(({ config, certificatesChanged }) => [config.tlsClientCaFile, certificatesChanged]),
    [[needed.clientCa, false]],
  );
});
