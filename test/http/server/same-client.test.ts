import assert from "node:assert/strict";
import { test } from "node:test";
import { sameClient } from "../../../http/server/same-client.ts";

test("addresses are one client's if they are the same, for IPv6 in the same /64", () => {
  const CASES: [one: string, other: string, same: boolean][] = [
    ["192.0.2.1", "192.0.2.1", true],
    ["192.0.2.1", "192.0.2.2", false],
    ["192.0.2.1", "::ffff:192.0.2.1", true],
    ["192.0.2.1", "::ffff:192.0.2.2", false],
    ["2001:db8::1", "2001:db8:0:0:ffff::9", true],
    ["2001:db8::1", "2001:db8:0:1::1", false],
    ["2001:db8::1", "192.0.2.1", false],
    ["unknown", "192.0.2.1", false],
    ["", "192.0.2.1", false],
  ];
  for (const [one, other, same] of CASES) assert.equal(sameClient(one, other), same, `${one} and ${other}`);
});
