import assert from "node:assert/strict";
import type { LookupAddress } from "node:dns";
import { test } from "node:test";
import { createNameResolver, lookupWith, resolveConfigured } from "../../../http/gateway/resolve-name.ts";

const ADDRESSES: LookupAddress[] = [
  { address: "10.0.0.1", family: 4 },
  { address: "192.0.2.1", family: 4 },
];

function looked(lookup: ReturnType<typeof lookupWith>, all: boolean): Promise<unknown[]> {
  return new Promise((resolve) => lookup("name.example", { all }, (...answer) => resolve(answer)));
}

test("localhost is this machine, and no name server is asked", async () => {
  const addresses = await createNameResolver()("localhost");
  assert.deepEqual(
    addresses.map(({ address }) => address),
    ["127.0.0.1", "::1"],
  );
});

test("a connection gets the addresses that were judged fit, one or all of them", async () => {
  const lookup = lookupWith(
    async () => ADDRESSES,
    (addresses) => addresses.slice(1),
  );
  assert.deepEqual(await looked(lookup, true), [null, [ADDRESSES[1]]]);
  assert.deepEqual(await looked(lookup, false), [null, "192.0.2.1", 4]);
});

test("a connection fails with what was wrong", async () => {
  const refusing = lookupWith(
    async () => ADDRESSES,
    () => {
      throw new Error("refused");
    },
  );
  assert.match(String((await looked(refusing, true))[0]), /refused/);
  const none = lookupWith(
    async () => [],
    (addresses) => addresses,
  );
  assert.match(String((await looked(none, true))[0]), /no address/);
});

test("a configured name that no name server knows is asked of the system", async () => {
  const resolve = resolveConfigured(() => Promise.reject(new Error("ENOTFOUND")));
  const addresses = await resolve("localhost");
  assert.ok(addresses.length > 0, "the hosts file has it");
});
