import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { ClientAddresses } from "../../../http/server/client-address.ts";

function binary(text: string): ArrayBuffer {
  return Uint8Array.from(ipaddr.parse(text).toByteArray()).buffer;
}

function clientOf(trusted: string[], socket: string, forwarded = ""): string {
  return new ClientAddresses(trusted).of(binary(socket), forwarded).text;
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
      const client = addresses.of(binary("10.0.0.1"), header);
      assert.equal(client.text, valid ? bare : "10.0.0.1");
      const { limitHigh, limitLow } = addresses.of(binary(client.text), "");
      assert.deepEqual({ limitHigh: client.limitHigh, limitLow: client.limitLow }, { limitHigh, limitLow });
    }),
    { numRuns: 2_000 },
  );
});

test("limits count IPv4 by address and IPv6 by its /64", () => {
  const addresses = new ClientAddresses([]);
  const key = (text: string) => {
    const { limitHigh, limitLow } = addresses.of(binary(text), "");
    return `${limitHigh}/${limitLow}`;
  };
  assert.notEqual(key("192.0.2.1"), key("192.0.2.2"));
  assert.equal(key("::ffff:192.0.2.1"), key("192.0.2.1"));
  assert.equal(key("2001:db8:1:2::1"), key("2001:db8:1:2:ffff::9"));
  assert.notEqual(key("2001:db8:1:2::1"), key("2001:db8:1:3::1"));
  assert.notEqual(key("2001:db8:1:2::1"), key("2001:db9:1:2::1"));
});

test("behind a proxy on the same machine a plain IPv4 address, or a header that was seen before, tells the client without the socket", () => {
  const listening = (trusted: string[], host: string) => {
    const addresses = new ClientAddresses(trusted);
    addresses.listeningOn(host);
    addresses.of(binary("127.0.0.1"), "2001:db8::1");
    addresses.of(binary("127.0.0.1"), "nonsense");
    return addresses;
  };
  const local = listening(["127.0.0.0/8"], "127.0.0.1");
  assert.equal(local.known("198.51.100.1")?.text, "198.51.100.1");
  assert.equal(local.known("2001:db8::1")?.text, "2001:db8::1");
  for (const header of ["2001:db8::2", "198.51.100.1, 127.0.0.1", "nonsense", ""]) assert.equal(local.known(header), null, header);
  // Where another socket could be one that is not trusted, it has to be asked.
  for (const host of ["0.0.0.0", "10.0.0.1", "::1", "localhost"]) {
    assert.equal(listening(["127.0.0.0/8"], host).known("198.51.100.1"), null, host);
  }
  for (const trusted of [[], ["127.0.0.1/32"], ["10.0.0.0/8"]]) {
    assert.equal(listening(trusted, "127.0.0.1").known("198.51.100.1"), null, trusted.join());
  }
});

test("a network that is none does not start", () => {
  assert.throws(() => new ClientAddresses(["10.0.0.0/40"]));
  assert.throws(() => new ClientAddresses(["proxy.example"]));
});
