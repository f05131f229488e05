import assert from "node:assert/strict";
import { type AgentCredentialRecord, type AgentCredentialState } from "../../../engine/agents/agent-credential.ts";
import { AGENT_STATES } from "../../../engine/agents/words.ts";
import { createCredentialsOfKey } from "../../../engine/agents/credentials-of-key.ts";
import type { AgentCredentialEvent } from "../../../engine/agents/events.ts";
import { agentCredentialMachine } from "../../../engine/agents/machine.ts";
import type { WorkflowEntry } from "../../../engine/kernel/activity-log.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { recordText } from "../../../engine/kernel/schemas.ts";
import { credential, DAY, EXPIRES_MS, idOf, NOW_MS } from "../../engine/agents/machine-world.ts";
import { credentialsOn, LIMITS, openAgentShard } from "../../engine/agents/world.ts";
import { FakeGateway } from "../../engine/links/world.ts";
import { attempt, portalLink, tokenOf } from "../../engine/portal-links/machine-world.ts";
import { HOUR_MS, OWNER, operation } from "../../engine/portal-links/world.ts";
import { ManualClock } from "../../engine/world.ts";
import { fireDeadline } from "./fired.ts";
import { commitBeside, linkOfPortalAttempt } from "./linked.ts";
import { type Heard, holdToTape, type TapeKv } from "./tape.ts";

const used = (state: AgentCredentialState, totalMinor: number): AgentCredentialRecord =>
  credential({ state, reserved: { totalMinor, day: DAY, dayMinor: 500, links: 1 }, nextAtMs: isOver(state) ? null : EXPIRES_MS });
const isOver = (state: AgentCredentialState) => state === "EXPIRED" || state === "REVOKED";

const records = {
  new: credential(),
  ...Object.fromEntries(AGENT_STATES.map((state) => [state, used(state, state === "EXHAUSTED" ? 5_000 : 1_000)])),
  "ACTIVE with room for one link": used("ACTIVE", 4_500),
  "EXHAUSTED by more than its total": used("EXHAUSTED", 5_700),
};

const events = {
  "revoke.requested": { type: "revoke.requested", atMs: NOW_MS, by: { type: "user", userId: "usr_1" } },
  "deadline.passed": { type: "deadline.passed", atMs: EXPIRES_MS },
  "link.made": { type: "link.made", atMs: NOW_MS, amountMinor: 500, day: DAY },
  "link.unpaid": { type: "link.unpaid", atMs: NOW_MS, amountMinor: 500 },
  "link.paid_late": { type: "link.paid_late", atMs: NOW_MS, amountMinor: 500 },
} satisfies Record<string, AgentCredentialEvent>;

/** Returns a portal link that the credential has created. */
function linkOf({ id }: AgentCredentialRecord, amountMinor: number, state: "PENDING" | "CANCELLED") {
  const { order, nextAtMs } = portalLink();
  return portalLink([attempt(1, "open")], {
    ...{ state, createdBy: { type: "agent", agentId: id }, order: { ...order, amountMinor, customerEmail: null, reference: null } },
    nextAtMs: state === "PENDING" ? nextAtMs : null,
  });
}

function shardOn(kv: TapeKv) {
  const heard = { workflow: [] as WorkflowEntry[], became: [] as string[], refused: [] as string[] };
  const clock = new ManualClock();
  const gateway = new FakeGateway(clock.nowMs);
  const failures: unknown[] = [];
  let tokens = 0;
  const newToken = () => {
    tokens += 1;
    return tokenOf(tokens);
  };
  const shard = openAgentShard({ kv, gateway, clock, heard, newToken, failed: (_, error) => void failures.push(error) });
  return { kv, heard, clock, gateway, failures, shard, tick: shard.tick };
}

const grantOf = ({ id: credentialId, merchantId, partnerId, livemode, name, scopes }: AgentCredentialRecord) => ({
  ...{ credentialId, merchantId, partnerId, livemode, name, scopes },
});
const linkOrder = (amountMinor: number, clock: ManualClock) => ({
  ...{ amountMinor, currency: "EUR", description: "Two nights", reference: null, customerEmail: null },
  expiresAtMs: clock.nowMs() + 2 * HOUR_MS,
});

function open(kv: TapeKv, record: AgentCredentialRecord) {
  const world = shardOn(kv);
  const { heard, clock, shard } = world;
  const seedLink = async (amountMinor: number, state: "PENDING" | "CANCELLED") => {
    const link = linkOf(record, amountMinor, state);
    await kv.seed(`portal-link/${link.id}`, recordText("portalLink", link));
    return link;
  };
  return {
    heard,
    apply: async (event: AgentCredentialEvent, requestId: string | null): Promise<{ type: string } | null> => {
      const request = { id: "o1", requestId };
      clock.wallMs = event.atMs;
      switch (event.type) {
        case "link.made":
          return shard.agents.createLink(grantOf(record), linkOrder(event.amountMinor, clock), request);
        case "link.unpaid": {
          const { id } = await seedLink(event.amountMinor, "PENDING");
          return shard.portalLinks.cancel(OWNER, id, request);
        }
        case "link.paid_late": {
          const link = await seedLink(event.amountMinor, "CANCELLED");
          const [before, after] = [attempt(1, "open"), attempt(1, "paid")].map((one) => linkOfPortalAttempt(link, one));
          assert.ok(before !== undefined && after !== undefined);
          return commitBeside(kv, shard.companion, { record: after, before, atMs: event.atMs });
        }
        case "revoke.requested":
          assert.ok(event.by.type !== "rotation");
          return (await shard.agents.revoke(OWNER, record.id, event.by, request)) === null ? null : { type: "seen" };
        case "deadline.passed":
          return fireDeadline(world, "due/agent-credential/", record.id, event.atMs);
      }
    },
  };
}

const order = {
  ...{ name: "Booking assistant", scopes: ["links:create", "links:read", "links:cancel"] as const, limits: LIMITS, ipAllow: [] },
  expiresAtMs: EXPIRES_MS,
};
const BY_KEY = { type: "key", keyId: "k1" } as const;
const USABLE = "agent-credential-usable/M1/test/";

async function walked(kv: TapeKv, walk: (world: ReturnType<typeof shardOn>) => Promise<unknown>): Promise<Heard> {
  const world = shardOn(kv);
  await walk(world);
  return world.heard;
}

async function created({ shard }: ReturnType<typeof shardOn>, id: string): Promise<AgentCredentialRecord> {
  const made = await shard.agents.create(OWNER, order, BY_KEY, operation(id));
  assert.ok(made.type === "created");
  return made.credential;
}

holdToTape<AgentCredentialRecord, AgentCredentialEvent>({
  subject: "agents",
  machine: agentCredentialMachine,
  records,
  stored: (record) => ({ key: `agent-credential/${record.id}`, value: recordText("agentCredential", record) }),
  stateOf: ({ state }) => state,
  events,
  guarded: false,
  open,
  walks: {
    "created, and once more by the same operation": (kv) =>
      walked(kv, async (world) => {
        await created(world, "o1");
        await created(world, "o1");
      }),
    "created while another one is": (kv) =>
      walked(kv, (world) => {
        kv.seedBeforeCommit(USABLE, recordText("agentCredential", { ids: [idOf(7)] }));
        return created(world, "o1");
      }),
    "created by a key that was replaced meanwhile": (kv) =>
      walked(kv, async ({ shard }) => {
        const making = shard.agents.create(OWNER, order, BY_KEY, operation("o1"), { key: "merchant-key/k1", version: 1 });
        await assert.rejects(making, (error) => error instanceof RelayError && error.code === "unauthorized");
      }),
    "two, of which one is revoked": (kv) =>
      walked(kv, async (world) => {
        const { id } = await created(world, "o1");
        await created(world, "o2");
        await world.shard.agents.revoke(OWNER, id, BY_KEY, operation("o3"));
      }),
    "two, which are revoked at once": (kv) =>
      walked(kv, async (world) => {
        await created(world, "o1");
        await created(world, "o2");
        await world.shard.agents.revokeAll(OWNER, BY_KEY, operation("o3"));
      }),
    "ended with the key that made it": (kv) =>
      walked(kv, async (world) => {
        await created(world, "o1");
        const { unguarded, usable } = credentialsOn(kv, undefined, world.heard);
        const thingsOf = createCredentialsOfKey({ workflow: unguarded, usable });
        const { checks, operations, committed } = await thingsOf({ ...OWNER, keyId: "k1", leaked: true, atMs: NOW_MS });
        await kv.commit({ checks, operations });
        committed();
      }),
    "a link that a limit refuses": (kv) =>
      walked(kv, async (world) => {
        const grant = grantOf(await created(world, "o1"));
        await world.shard.agents.createLink(grant, linkOrder(1_001, world.clock), operation("o2"));
        await world.shard.uses.flush();
      }),
    "a link that is made, cancelled while the gateway is away, and paid": (kv) =>
      walked(kv, async (world) => {
        const grant = grantOf(await created(world, "o1"));
        const { shard, clock, gateway } = world;
        const made = await shard.agents.createLink(grant, linkOrder(1_000, clock), operation("o2"));
        assert.ok(made.type === "created");
        await shard.portalLinks.pay(made.link.token);
        gateway.mode = "away";
        await shard.agents.cancelLink(grant, made.link.id, operation("o3"));
        gateway.mode = "there";
        gateway.pay(`${made.link.id}.1`);
        await shard.links.verifyNow(`${made.link.id}.1`);
      }),
  },
});
