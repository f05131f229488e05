import assert from "node:assert/strict";
import { test } from "node:test";
import { RelayError } from "../../../engine/kernel/errors.ts";
import {
  AGENT_NODE_REQUESTS_PER_SECOND,
  AGENT_REQUESTS_PER_SECOND,
  createAgentRate,
  createAgentRateMemory,
} from "../../../http/auth/agent-rate.ts";
import { openRateLimit } from "../../../http/auth/rate-limiter.ts";

function world(threads = 1) {
  const state = { nowMs: 10_000 };
  const { credentials, node } = createAgentRateMemory(threads);
  const open = () =>
    createAgentRate({ credentials: openRateLimit(credentials, () => state.nowMs), node: openRateLimit(node, () => state.nowMs) });
  const admitted = async (admit: (id: string) => Promise<void>, id: string, times: number) => {
    let count = 0;
    for (let n = 0; n < times; n += 1) {
      const refused = await admit(id).catch((error: unknown) => error);
      if (refused === undefined) count += 1;
      else assert.ok(refused instanceof RelayError && refused.code === "rate_limited" && refused.retryAfterSeconds === 1);
    }
    return count;
  };
  return { state, open, admitted };
}

test("a credential has its requests of a second, however many it tries, and all of them together the node's", async () => {
  const { state, open, admitted } = world();
  const admit = open();
  assert.equal(await admitted(admit, "one", 100), AGENT_REQUESTS_PER_SECOND);
  assert.equal(await admitted(admit, "other", 100), AGENT_REQUESTS_PER_SECOND, "what the first was refused is not the node's");
  assert.equal(await admitted(admit, "third", 100), AGENT_NODE_REQUESTS_PER_SECOND - 2 * AGENT_REQUESTS_PER_SECOND);
  state.nowMs += 1_001;
  assert.equal(await admitted(admit, "third", 100), AGENT_REQUESTS_PER_SECOND);
});

test("the threads of a node share both", async () => {
  const { open, admitted } = world(2);
  const [one, other] = [open(), open()];
  assert.equal((await admitted(one, "one", 6)) + (await admitted(other, "one", 6)), AGENT_REQUESTS_PER_SECOND);
  assert.equal(
    (await admitted(one, "two", 9)) + (await admitted(other, "three", 9)),
    AGENT_NODE_REQUESTS_PER_SECOND - AGENT_REQUESTS_PER_SECOND,
  );
});
