import assert from "node:assert/strict";
import type { PortalEventType } from "../../../engine/webhooks/portal-events.ts";
import { createWorkflow, type WorkflowOptions } from "../../../engine/workflow/run-workflow.ts";
import * as kit from "../../../engine/workflow/workflow.ts";
import { createWorkflowStore } from "../../../engine/workflow/workflow-store.ts";
import { operation, RETENTION_MS } from "../disputes/world.ts";
import { digest, eventOperations } from "../intents/world.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { ManualClock } from "../world.ts";

export interface Parcel extends kit.WorkflowRecord {
  readonly schema: 1;
  readonly state: string;
  readonly nextAtMs: number | null;
  readonly note: string;
  readonly slot: string | null;
  /** The recipient of a mail that found no room. */
  readonly owed?: string;
}
type Effect = { type: "tell"; news: PortalEventType } | { type: "flag" | "settle" | "ask" } | { type: "write" | "writeOnce"; to: string };
/** The event carries the result of the step; null where the machine does not accept it. */
interface Moved extends kit.TimedEvent {
  readonly changes: Partial<Parcel> | null;
  readonly effects: readonly Effect[];
}

export const MAIL_AGAIN_MS = 600_000;
export const PARCELS: kit.WorkflowDefinition<Parcel, Moved, Effect, string> = {
  ...{ kind: "alert", label: "a parcel", objectType: "alert", idPattern: /^pa_\d{4}$/, keyPrefix: "parcel/" },
  step: (record, { changes, effects }) => ({ record: { ...record, ...changes }, effects, accepted: changes !== null }),
  overdue: ({ nextAtMs }, atMs) => ((nextAtMs ?? atMs + 1) <= atMs ? move({ state: "LATE", nextAtMs: null })(null, atMs) : null),
  touch: "increasing",
  expiresAtMs: ({ atMs }, retentionMs) => atMs + retentionMs,
  indexes: [
    { prefix: "parcel-of/", path: () => "M1/", atMs: ({ createdAtMs }) => createdAtMs, value: ({ note }) => note },
    { prefix: "parcel-state/", path: ({ state }) => `${state}/` },
    { prefix: "parcel-slot/", exact: true, path: ({ slot }) => slot },
  ],
  ownEntries: ({ record }, untilMs) => [{ type: "put", key: `parcel-own/${record.id}`, value: `${untilMs}` }],
  deadlines: { name: "parcel", freePerSecond: 50, bounds: { heldMax: 100, atOnceMax: 8, catchUpMs: 5_000, slackMs: 1_000 } },
  terminalOf: () => "T1",
  effects: {
    tell: kit.webhook(({ news }) => news),
    flag: kit.attention("late", ({ id }) => `The parcel ${id} is late`),
    settle: kit.resolveAttention("late", ({ state }) => state === "LATE"),
    write: kit.mail((_, { to }, atMs) => ({ owed: to, nextAtMs: atMs + MAIL_AGAIN_MS })),
    writeOnce: kit.mail(),
    ask: kit.forCaller(),
  },
  reportRows: () => [],
  outcomesOf: ({ before, record }, effects) => [`${before?.state} to ${record.state} with ${effects.length}`],
};

export const ID = "pa_0001";
export const REQUEST = operation("o1");
export const NEW_MS = 1_700_000_000_000;
export const NEW: Parcel = {
  ...{ schema: 1, id: ID, merchantId: "M1", partnerId: 1, livemode: false, state: "NEW", note: "", slot: null },
  ...{ createdAtMs: NEW_MS, updatedAtMs: NEW_MS, nextAtMs: null, events: 0 },
};

export function move(changes: Partial<Parcel> | null, ...effects: Effect[]): (record: Parcel | null, atMs: number) => Moved {
  return (_, atMs) => ({ type: "parcel.moved", atMs, changes, effects });
}

export type Changes = Partial<
  typeof PARCELS & { guard: Partial<kit.CommitGuard<Parcel>>; mailOf: WorkflowOptions<Parcel, Effect, string>["mailOf"] }
>;

export function open({ guard, mailOf, ...changes }: Changes = {}) {
  const kv = new MemoryKv();
  const clock = new ManualClock();
  const heard: string[] = [];
  const definition = { ...PARCELS, ...changes };
  const read: kit.CommitGuard<Parcel>["read"] = async () => {
    heard.push("guard read");
    const entry = await kv.get("guard");
    if (entry?.value === "no") return { refused: "no" };
    const [checks, put] = [[{ key: "guard", version: entry?.version ?? 0 }], { type: "put", key: "guarded", value: "1" } as const];
    return { checks, operations: [put], committed: () => void heard.push("guard committed") };
  };
  const inTurn: kit.CommitGuard<Parcel>["inTurn"] = async (_, commit) => {
    heard.push("turn begins");
    return commit().finally(() => heard.push("turn ends"));
  };
  const workflow = createWorkflow(definition, {
    store: createWorkflowStore(kv, definition, RETENTION_MS),
    ...{ clock, digest, eventOperations, objectOf: ({ note }) => ({ note }) },
    activity: { workflow: ({ outcome, from, to, requestId }) => void heard.push(`${outcome} ${from} to ${to} for ${requestId}`) },
    count: (outcome) => void heard.push(`count ${outcome}`),
    stored: ({ state }) => void heard.push(`stored ${state}`),
    ...(guard === undefined ? {} : { guard: { applies: () => true, read, inTurn, ...guard } }),
    ...(mailOf === undefined ? {} : { mailOf }),
  });
  const put = (key: string, value: string) => kv.commit({ checks: [], operations: [{ type: "put", key, value }] });
  const create = (changed: Partial<Parcel> = {}, ...effects: Effect[]) =>
    workflow.create({ record: { ...NEW, ...changed }, effects }, { type: "parcel.sent", atMs: NEW_MS }, REQUEST);
  /** Stores a parcel and clears the reports about it. */
  const created = async (changed: Partial<Parcel> = {}) => {
    assert.equal((await create(changed)).type, "accepted");
    heard.splice(0);
  };
  const apply = (changed: Partial<Parcel> | null, ...effects: Effect[]) => workflow.apply(ID, move(changed, ...effects), REQUEST);
  /** Another caller stores the entry before each of the next commits. */
  const interfere = (key: string, value: string, times = 1) => {
    let left = times;
    kv.fate = () => {
      left -= 1;
      const { fate } = kv;
      kv.fate = () => "done";
      if (left >= 0) void put(key, value);
      kv.fate = fate;
      return "done";
    };
  };
  const load = async () => (await workflow.store.load(ID))?.record;
  return { kv, clock, heard, workflow, put, create, created, apply, interfere, load };
}
