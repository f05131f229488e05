import assert from "node:assert/strict";
import { test } from "node:test";
import { RelayError } from "../../../engine/kernel/errors.ts";
import {
  AGENT_FIRST_REQUESTS,
  AGENT_FIRST_REQUESTS_PER_SECOND,
  AGENT_NODE_REQUESTS_PER_SECOND,
  AGENT_REQUESTS_PER_SECOND,
  createAgentRate,
  createAgentRateMemory,
} from "../../../http/auth/agent-rate.ts";
import { openRateLimit } from "../../../http/auth/rate-limiter.ts";

type Admit = ReturnType<typeof createAgentRate>;

function world(threads = 1) {
  const state = { nowMs: 10_000 };
  const { credentials, merchants, firsts, node } = createAgentRateMemory(threads);
  const open = () => {
    const nowMs = () => state.nowMs;
    return createAgentRate({
      ...{ credentials: openRateLimit(credentials, nowMs), merchants: openRateLimit(merchants, nowMs) },
      ...{ firsts: openRateLimit(firsts, nowMs), node: openRateLimit(node, nowMs) },
    });
  };
  const admitted = async (admit: Admit, credentialId: string, times: number, merchantId = `M-${credentialId}`) => {
    let count = 0;
    for (let n = 0; n < times; n += 1) {
      const refused = await admit({ credentialId, merchantId }).catch((error: unknown) => error);
      if (refused === undefined) count += 1;
      else assert.ok(refused instanceof RelayError && refused.code === "rate_limited" && refused.retryAfterSeconds === 1);
    }
    return count;
  };
  return { state, open, admitted };
}

test("a credential has its requests of a second, however many it tries", async () => {
  const { state, open, admitted } = world();
  const admit = open();
  assert.equal(await admitted(admit, "one", 100), AGENT_REQUESTS_PER_SECOND);
  state.nowMs += 1_001;
  assert.equal(await admitted(admit, "one", 100), AGENT_REQUESTS_PER_SECOND);
});

test("the credentials of a merchant have the share of one, however many they are", async () => {
  const { open, admitted } = world();
  const admit = open();
  let all = 0;
  for (const credentialId of ["one", "two", "three"]) all += await admitted(admit, credentialId, 100, "M1");
  assert.equal(all, AGENT_NODE_REQUESTS_PER_SECOND - AGENT_FIRST_REQUESTS_PER_SECOND + AGENT_FIRST_REQUESTS);
});

test("a merchant that asks now and then is served beside three whose agents ask without pause", async () => {
  const { open, admitted } = world();
  const admit = open();
  let all = 0;
  for (const greedy of ["one", "two", "three"]) all += await admitted(admit, greedy, 100);
  assert.equal(await admitted(admit, "modest", 3), 3);
  assert.ok(all + 3 <= AGENT_NODE_REQUESTS_PER_SECOND, String(all));
});

test("all agents of a node together have its limit", async () => {
  const { open, admitted } = world();
  const admit = open();
  let all = 0;
  for (let index = 0; index < 20; index += 1) all += await admitted(admit, `agent ${index}`, 20);
  assert.equal(all, AGENT_NODE_REQUESTS_PER_SECOND);
});

test("the threads of a node share the limits", async () => {
  const { open, admitted } = world(2);
  const [one, other] = [open(), open()];
  assert.equal((await admitted(one, "one", 6)) + (await admitted(other, "one", 6)), AGENT_REQUESTS_PER_SECOND);
  let all = AGENT_REQUESTS_PER_SECOND;
  for (let index = 0; index < 20; index += 1) all += await admitted(index % 2 === 0 ? one : other, `agent ${index}`, 20);
  assert.equal(all, AGENT_NODE_REQUESTS_PER_SECOND);
});
