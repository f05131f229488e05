import assert from "node:assert/strict";
import { test } from "node:test";
import { compileAddressList } from "../../../http/auth/address-list.ts";

const CASES: { list: string[]; in: string[]; out: string[] }[] = [
  { list: [], in: ["10.0.0.1", "::1", "2001:db8::1"], out: [] },
  { list: ["10.0.0.1"], in: ["10.0.0.1", "::ffff:10.0.0.1"], out: ["10.0.0.2", "::1", "", "nonsense", "10.0.0.1, 10.0.0.2"] },
  { list: ["10.1.0.0/16", "192.0.2.7/32"], in: ["10.1.255.255", "192.0.2.7"], out: ["10.2.0.0", "192.0.2.8"] },
  { list: ["10.1.2.3/8"], in: ["10.9.9.9"], out: ["11.0.0.0"] },
  { list: ["0.0.0.0/0"], in: ["8.8.8.8"], out: ["2001:db8::1"] },
  { list: ["2001:db8::/32", "::1"], in: ["2001:db8:ffff::5", "::1"], out: ["2001:db9::", "127.0.0.1"] },
  { list: ["::ffff:10.0.0.0/104"], in: ["10.200.0.1"], out: ["11.0.0.1"] },
];

for (const { list, in: inside, out } of CASES) {
  test(`[${list.join(", ")}] has ${inside.join(", ")} and not ${out.join(", ")}`, () => {
    const has = compileAddressList(list);
    assert.deepEqual(inside.filter(has), inside);
    assert.deepEqual(out.filter(has), []);
  });
}

test("refuses what is neither an address nor a network", () => {
  for (const entry of [
    "",
    "10.0.0",
    "10.1",
    "0x0a000001",
    "010.0.0.1x",
    "10.0.0.1/33",
    "10.0.0.1/",
    "10.0.0.1/8/8",
    "10.0.0.1/-1",
    "::1/129",
    "fe80::1%eth0",
    "host.example",
    "10.0.0.256",
  ]) {
    assert.throws(() => compileAddressList(["10.0.0.1", entry]), { code: "invalid_request" }, entry);
  }
});
