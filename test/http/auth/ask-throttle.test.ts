import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ASKING_ADDRESSES, createAskThrottle } from "../../../http/auth/ask-throttle.ts";
import { createLoginCounts } from "../../../http/auth/login-counts.ts";

const KEY = Buffer.alloc(32, 7);

describe("the throttle for asking without a session", () => {
  it("holds an address back after twenty times, and goes on an hour later", async () => {
    let nowMs = 0;
    const admit = createAskThrottle({ counts: createLoginCounts(() => nowMs), key: KEY });
    for (let asked = 0; asked < 20; asked += 1) await admit("192.0.2.1");
    await assert.rejects(admit("192.0.2.1"), { code: "rate_limited", retryAfterSeconds: 3_600 });
    await admit("192.0.2.2");
    nowMs += 3_600_000;
    await admit("192.0.2.1");
  });

  it("takes a bounded part of the table that logins need, from however many addresses it is asked", async () => {
    const counts = createLoginCounts(() => 0);
    const admit = createAskThrottle({ counts, key: KEY });
    for (let network = 0; network < 30_000; network += 1) {
      await admit(`2001:db8:${(network >> 12).toString(16)}:${(network & 4_095).toString(16)}::1`).catch(() => undefined);
    }
    assert.ok(counts.size <= ASKING_ADDRESSES, `${counts.size} counts`);
  });
});
