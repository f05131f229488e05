import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { ClientAddresses } from "../../../http/server/client-address.ts";

function from(text: string): { getRemoteAddress(): ArrayBuffer } {
  return { getRemoteAddress: () => Uint8Array.from(ipaddr.parse(text).toByteArray()).buffer };
}

function clientOf(trusted: string[], socket: string, forwarded = ""): string {
  return new ClientAddresses(trusted).of(from(socket), forwarded).text;
}

test("without trusted proxies the socket's address is the client, whatever the header says", () => {
  assert.equal(clientOf([], "192.0.2.1", "198.51.100.1"), "192.0.2.1");
  assert.equal(clientOf(["10.0.0.0/8"], "192.0.2.1", "198.51.100.1"), "192.0.2.1");
});

test("behind trusted proxies it is the last address that is not one, from the right", () => {
  const trusted = ["10.0.0.0/8", "2001:db8:ffff::/48", "192.0.2.7"];
  const cases: [string, string][] = [
    ["198.51.100.1", "198.51.100.1"],
    ["1.2.3.4, 198.51.100.1", "198.51.100.1"],
    ["198.51.100.1, 10.1.1.1", "198.51.100.1"],
    ["198.51.100.1, 192.0.2.7 ,10.1.1.1", "198.51.100.1"],
    ["198.51.100.1:4711, 10.1.1.1", "198.51.100.1"],
    ["[2001:db8::1]:443, 2001:db8:ffff::2", "2001:db8::1"],
    ["10.1.1.2, 10.1.1.1", "10.1.1.2"],
    ["", "10.0.0.1"],
    ["nonsense", "10.0.0.1"],
    ["198.51.100.1, nonsense, 10.1.1.1", "10.1.1.1"],
    ["1", "10.0.0.1"],
    ["::ffff:198.51.100.1", "198.51.100.1"],
    ["1.1.1.1,".repeat(500), "10.0.0.1"],
    // However much a client says of itself, what its proxy wrote is on the right.
    [`${"203.0.113.9, ".repeat(300)}198.51.100.1`, "198.51.100.1"],
    [`${"x".repeat(3_000)},198.51.100.1`, "198.51.100.1"],
    [`${"x".repeat(3_000)},10.1.1.1`, "10.1.1.1"],
    [",198.51.100.1", "198.51.100.1"],
    [",,", "10.0.0.1"],
    // So many proxies in a row are none of ours.
    [`203.0.113.9${",10.1.1.1".repeat(16)}`, "10.1.1.1"],
    [`203.0.113.9${",10.1.1.1".repeat(15)}`, "203.0.113.9"],
  ];
  for (const [header, expected] of cases) assert.equal(clientOf(trusted, "10.0.0.1", header), expected, header);
});

test("a single forwarded address is read as strictly as any other, and counts as the same client as its own socket", () => {
  const addresses = new ClientAddresses(["10.0.0.0/8"]);
  const text = fc.oneof(
    fc.ipV4(),
    fc.string({ unit: fc.constantFrom("0", "1", "2", "5", "6", ".", " "), maxLength: 17 }),
    fc.constantFrom("01.2.3.4", "256.1.1.1", "1.2.3", "1.2.3.4.5", "1..2.3", "1.2.3.", ".1.2.3", "255.255.255.255", "0.0.0.0", "1.2.3.4 "),
  );
  fc.assert(
    fc.property(text, (header) => {
      const bare = header.trim();
      const valid = ipaddr.IPv4.isValidFourPartDecimal(bare) && ipaddr.isValid(bare);
      const client = addresses.of(from("10.0.0.1"), header);
      assert.equal(client.text, valid ? bare : "10.0.0.1");
      const { limitHigh, limitLow } = addresses.of(from(client.text), "");
      assert.deepEqual({ limitHigh: client.limitHigh, limitLow: client.limitLow }, { limitHigh, limitLow });
    }),
    { numRuns: 2_000 },
  );
});

test("limits count IPv4 by address and IPv6 by its /64", () => {
  const addresses = new ClientAddresses([]);
  const key = (text: string) => {
    const { limitHigh, limitLow } = addresses.of(from(text), "");
    return `${limitHigh}/${limitLow}`;
  };
  assert.notEqual(key("192.0.2.1"), key("192.0.2.2"));
  assert.equal(key("::ffff:192.0.2.1"), key("192.0.2.1"));
  assert.equal(key("2001:db8:1:2::1"), key("2001:db8:1:2:ffff::9"));
  assert.notEqual(key("2001:db8:1:2::1"), key("2001:db8:1:3::1"));
  assert.notEqual(key("2001:db8:1:2::1"), key("2001:db9:1:2::1"));
});

test("behind a proxy on the same machine the socket is asked only where the header does not tell the client", () => {
  const socketsRead = (trusted: string[], host: string, header: string) => {
    const addresses = new ClientAddresses(trusted);
    addresses.listeningOn(host);
    let read = 0;
    const socket = {
      getRemoteAddress: () => {
        read += 1;
        return from("127.0.0.1").getRemoteAddress();
      },
    };
    addresses.of(socket, header);
    return read;
  };
  for (const header of ["198.51.100.1", "2001:db8::1", "198.51.100.1, 127.0.0.1"]) {
    assert.equal(socketsRead(["127.0.0.0/8"], "127.0.0.1", header), 0, header);
  }
  for (const header of ["nonsense", ""]) assert.equal(socketsRead(["127.0.0.0/8"], "127.0.0.1", header), 1, header);
  // Where another socket could be one that is not trusted, it has to be asked.
  for (const host of ["0.0.0.0", "10.0.0.1", "::1", "localhost"]) {
    assert.equal(socketsRead(["127.0.0.0/8"], host, "198.51.100.1"), 1, host);
  }
  for (const trusted of [[], ["127.0.0.1/32"], ["10.0.0.0/8"]]) {
    assert.equal(socketsRead(trusted, "127.0.0.1", "198.51.100.1"), 1, trusted.join());
  }
});

test("a network that is none does not start", () => {
  assert.throws(() => new ClientAddresses(["10.0.0.0/40"]));
  assert.throws(() => new ClientAddresses(["proxy.example"]));
});
