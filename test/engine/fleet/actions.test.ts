import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AppVersion } from "../../../engine/apps/app-version.ts";
import { createActOnTerminal } from "../../../engine/fleet/act-on-terminal.ts";
import {
  afterBatch,
  BATCH,
  type FleetAction,
  type FleetOrder,
  type FleetResult,
  newFleetAction,
  nextBatch,
  stopped,
} from "../../../engine/fleet/action.ts";
import { createFleetActionStore } from "../../../engine/fleet/action-store.ts";
import { createFleetActions } from "../../../engine/fleet/actions.ts";
import type { FleetTerminal } from "../../../engine/fleet/fleet.ts";
import { FLEET_ACTION_TERMINALS_MAX, FLEET_ACTIONS_RUNNING_MAX } from "../../../engine/fleet/words.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { createRendezvousHomes } from "../../../engine/routing/rendezvous.ts";
import type { DeviceInfo } from "../../../engine/sessions/presence.ts";
import type { SendUtility } from "../../../engine/terminals/send-payment.ts";
import type { AcceptOutcome, TerminalView } from "../../../engine/terminals/terminals.ts";
import { sha256Hex } from "../../../http/auth/digest.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { settle } from "../world.ts";
import { fleetClock, viewOf } from "./fleet-world.ts";

const LOGS: FleetOrder = { type: "LOGS" };
const RESTART: FleetOrder = { type: "RESTART" };
const INSTALL: FleetOrder = { type: "INSTALL", versionId: 3 };
const SETTINGS: FleetOrder = { type: "SETTINGS", group: "pilot", settings: { idleText: "Welcome" } };
const OFFLINE = { connectionStatus: "OFFLINE" } as const;
const POLLING = { connectionType: "POLLING", sessions: 0 } as const;
const RESTARTS: DeviceInfo = { commands: ["LOGCAT", "RESTART"] };

const SENT: FleetResult = { outcome: "SENT", refusal: null };
const refused = (refusal: FleetResult["refusal"]): FleetResult => ({ outcome: "REFUSED", refusal });

interface Row {
  title: string;
  order: FleetOrder;
  view?: TerminalView;
  denied?: true;
  /** What the relay answers to the command, or fails with. */
  answer?: AcceptOutcome | RelayError;
  recipients?: number;
  version?: Partial<AppVersion> | null;
  expected: FleetResult;
}

const sent: AcceptOutcome = { type: "accepted", state: "sent" };

const ROWS: Row[] = [
  { title: "logs are requested of a connected terminal", order: LOGS, expected: SENT },
  {
    title: "a request that waits is queued",
    order: LOGS,
    answer: { type: "accepted", state: "queued" },
    expected: { outcome: "QUEUED", refusal: null },
  },
  {
    title: "a repeated request counts as the first",
    order: LOGS,
    answer: { type: "duplicate", state: "done", sender: "administrator" },
    expected: SENT,
  },
  { title: "a terminal that is away gets no request", order: LOGS, view: viewOf("T1", {}, OFFLINE), expected: refused("OFFLINE") },
  {
    title: "a terminal whose commands leave out LOGCAT gets none",
    order: LOGS,
    view: viewOf("T1", { commands: ["PRINT"] }),
    expected: refused("NOT_SUPPORTED"),
  },
  { title: "a denied terminal gets none", order: LOGS, denied: true, expected: refused("DENIED") },
  { title: "logs are requested while a payment is under way", order: LOGS, view: viewOf("T1", {}, { sent: 1 }), expected: SENT },
  { title: "a full queue refuses", order: LOGS, answer: queueFull(), expected: refused("QUEUE_FULL") },
  {
    title: "a home that does not answer refuses",
    order: LOGS,
    answer: new RelayError("unavailable", "away"),
    expected: refused("UNAVAILABLE"),
  },
  { title: "a terminal that declares RESTART is restarted", order: RESTART, view: viewOf("T1", RESTARTS), expected: SENT },
  { title: "a terminal that declares nothing is not restarted", order: RESTART, expected: refused("NOT_SUPPORTED") },
  {
    title: "a terminal that declares others is not restarted",
    order: RESTART,
    view: viewOf("T1", { commands: ["LOGCAT"] }),
    expected: refused("NOT_SUPPORTED"),
  },
  {
    title: "a terminal with a payment under way is not restarted",
    order: RESTART,
    view: viewOf("T1", RESTARTS, { sent: 1 }),
    expected: refused("BUSY"),
  },
  {
    title: "a payment that came meanwhile prevents the restart",
    order: RESTART,
    view: viewOf("T1", RESTARTS),
    answer: new RelayError("conflict", "others"),
    expected: refused("BUSY"),
  },
  { title: "the notice of an update is sent", order: INSTALL, expected: SENT },
  { title: "a terminal that polls gets no notice", order: INSTALL, view: viewOf("T1", {}, POLLING), expected: refused("NO_WEBSOCKET") },
  { title: "a session that has just ended gets no notice", order: INSTALL, recipients: 0, expected: refused("NO_WEBSOCKET") },
  { title: "a withdrawn version is not installed", order: INSTALL, version: { active: false }, expected: refused("NOT_OFFERABLE") },
  { title: "an unknown version is not installed", order: INSTALL, version: null, expected: refused("NOT_OFFERABLE") },
  { title: "an update does not disturb a payment", order: INSTALL, view: viewOf("T1", {}, { sent: 1 }), expected: refused("BUSY") },
  {
    title: "settings are stored, also for a terminal that is away",
    order: SETTINGS,
    view: viewOf("T1", {}, OFFLINE),
    expected: { outcome: "APPLIED", refusal: null },
  },
];

function queueFull(): AcceptOutcome {
  return { type: "queue_full", bound: "terminal", retryAfterSeconds: 1 };
}

const VERSION: AppVersion = {
  ...{ id: 3, versionCode: 42, versionName: "4.2", mandatory: false, releaseNotes: "", active: true, createdAtMs: 0, deleting: false },
  package: { fileName: "app.apk", md5: "", bytes: 4, storedAtMs: 0 },
};

const action = (order: FleetOrder) => ({ id: "fla_1", order, createdBy: "paola" });

function actorOf({
  view = viewOf("T1"),
  denied = false,
  answer = sent,
  recipients = 1,
  version = {},
}: Partial<Omit<Row, "denied">> & { denied?: boolean } = {}) {
  const bodies: unknown[] = [];
  const options: unknown[] = [];
  const saved: unknown[] = [];
  const sendUtility: SendUtility = async (kind, caller, terminalId, body, more) => {
    assert.deepEqual([kind, caller.type], ["administrative", "administrator"]);
    bodies.push(body);
    options.push(more);
    if (answer instanceof RelayError) throw answer;
    return { command: { uuid: "u", terminalId } as never, outcome: answer };
  };
  const act = createActOnTerminal({
    fleet: {
      terminal: async (terminalId): Promise<FleetTerminal> => ({ view: { ...view, terminalId }, merchantId: null, group: null, denied }),
    },
    sendUtility,
    configureTerminal: {
      save: async (terminalId, change) => {
        saved.push([terminalId, change]);
        return { schema: 1, terminalId, merchantId: null, group: null, family: null, settings: {}, updatedAtMs: 0 };
      },
    },
    catalog: { version: () => (version === null ? null : { ...VERSION, ...version }) },
    pushUpdate: async () => ({ uuid: "u", versionCode: 42, recipients }),
    digest: sha256Hex,
    failed: (what, error) => assert.fail(`${what}: ${String(error)}`),
  });
  return { act, bodies, options, saved };
}

describe("an action at a terminal", () => {
  for (const { title, order, expected, denied, ...row } of ROWS) {
    it(title, async () => assert.deepEqual(await actorOf({ ...row, denied: denied === true }).act(action(order), "T1"), expected));
  }

  it("has the same uuid each time, and another one at another terminal or in another action", async () => {
    const { act, bodies } = actorOf();
    await act(action(LOGS), "T1");
    await act(action(LOGS), "T1");
    await act(action(LOGS), "T2");
    await act({ ...action(LOGS), id: "fla_2" }, "T1");
    const uuids = bodies.map((body) => (body as { uuid: string }).uuid);
    assert.match(uuids[0] ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(uuids[0], uuids[1]);
    assert.equal(new Set(uuids).size, 3);
  });

  it("restarts only an idle terminal", async () => {
    const { act, options } = actorOf({ view: viewOf("T1", RESTARTS) });
    await act(action(RESTART), "T1");
    await act(action(LOGS), "T1");
    assert.deepEqual(options, [{ onlyIdle: true }, undefined]);
  });

  it("adds settings to the others, and sets the group", async () => {
    const { act, saved } = actorOf();
    await act(action(SETTINGS), "T1");
    assert.deepEqual(saved, [["T1", { group: "pilot", moreSettings: { idleText: "Welcome" } }]]);
  });
});

describe("the record of an action", () => {
  const ids = Array.from({ length: BATCH + 1 }, (_, index) => `T${100 + index}`);
  const fresh = newFleetAction(action(LOGS), ids, 1_000);
  const done = (terminalIds: readonly string[]) => new Map(terminalIds.map((id) => [id, SENT]));

  it("hands out its terminals batch by batch, and ends with the last", () => {
    const first = nextBatch(fresh);
    assert.deepEqual(first, ids.slice(0, BATCH));
    const half = afterBatch(fresh, done(first), 2_000);
    assert.deepEqual([half.state, half.nextAtMs, nextBatch(half)], ["RUNNING", 3_000, ids.slice(BATCH)]);
    const whole = afterBatch(half, done(nextBatch(half)), 4_000);
    assert.deepEqual([whole.state, whole.endedAtMs, whole.nextAtMs, nextBatch(whole)], ["DONE", 4_000, null, []]);
  });

  it("skips the rest when it is stopped, but keeps what a running batch has done", () => {
    const ended = stopped(fresh, 2_000);
    assert.ok(ended !== null);
    assert.deepEqual([ended.state, ended.nextAtMs, nextBatch(ended)], ["STOPPED", null, []]);
    const after = afterBatch(ended, done(ids.slice(0, 2)), 2_500);
    assert.deepEqual([after.state, after.endedAtMs], ["STOPPED", 2_000]);
    assert.deepEqual(
      after.tasks.slice(0, 3).map(({ outcome }) => outcome),
      ["SENT", "SENT", "SKIPPED"],
    );
    assert.equal(stopped(ended, 3_000), null);
  });

  it("does not change an outcome that it has", () => {
    const once = afterBatch(fresh, done(["T100"]), 2_000);
    const twice = afterBatch(once, new Map([["T100", refused("BUSY")]]), 3_000);
    assert.deepEqual(twice.tasks[0], { terminalId: "T100", ...SENT });
  });
});

describe("actions on the fleet", () => {
  function world(count: number) {
    const clock = fleetClock();
    const handled: string[] = [];
    let names = 0;
    const self = "node-0";
    const actions = createFleetActions({
      store: createFleetActionStore(new MemoryKv()),
      fleet: {
        matching: async () => ({
          terminals: Array.from({ length: count }, (_, index) => ({
            ...{ view: viewOf(`T${1_000 + index}`), merchantId: null, group: null, denied: false },
          })),
          isComplete: true,
        }),
      },
      act: async (_, terminalId) => {
        handled.push(terminalId);
        return SENT;
      },
      clock,
      digest: sha256Hex,
      newName: () => {
        names += 1;
        return String(names);
      },
      homes: createRendezvousHomes([self]),
      self,
      failed: (what, error) => assert.fail(`${what}: ${String(error)}`),
    });
    async function pass(ms: number): Promise<void> {
      for (let passed = 0; passed < ms; passed += 100) {
        clock.advance(100);
        actions.runner.tick();
        await settle();
      }
    }
    return { actions, handled, pass };
  }

  const create = ({ actions }: ReturnType<typeof world>): Promise<FleetAction> => actions.create(LOGS, { filter: {} }, "paola");

  it("are carried out a batch a second", async () => {
    const one = world(BATCH * 3);
    const { id } = await create(one);
    await one.pass(1_500);
    assert.ok(one.handled.length >= BATCH && one.handled.length <= BATCH * 2, `${one.handled.length} terminals after one and a half seconds`);
    await one.pass(6_000);
    const { state, tasks } = await one.actions.find(id);
    assert.deepEqual([state, tasks.every(({ outcome }) => outcome === "SENT")], ["DONE", true]);
    assert.equal(new Set(one.handled).size, BATCH * 3);
    assert.equal(one.handled.length, BATCH * 3);
  });

  it("are stopped, and handle no further terminal", async () => {
    const one = world(BATCH * 3);
    const { id } = await create(one);
    await one.pass(1_500);
    assert.equal((await one.actions.stop(id)).state, "STOPPED");
    const { length } = one.handled;
    await one.pass(5_000);
    assert.ok(one.handled.length < BATCH * 3);
    assert.ok(one.handled.length <= length + BATCH);
    await assert.rejects(one.actions.stop(id), { code: "conflict" });
  });

  it("have limits on their size and number", async () => {
    await assert.rejects(create(world(0)), { code: "invalid_request", message: /no terminal matches/ });
    await assert.rejects(create(world(FLEET_ACTION_TERMINALS_MAX + 1)), {
      code: "invalid_request",
      message: /1001 terminals match; .* at most 1000/,
    });
    const one = world(1);
    for (let count = 0; count < FLEET_ACTIONS_RUNNING_MAX; count += 1) await create(one);
    await assert.rejects(create(one), { code: "conflict", message: /actions are running/ });
    await one.pass(3_000);
    assert.equal((await create(one)).state, "RUNNING");
  });

  it("are listed, the newest first, and unknown ones are not found", async () => {
    const one = world(1);
    const first = await create(one);
    await one.pass(1_000);
    const second = await create(one);
    const page = await one.actions.list(1, null);
    assert.deepEqual([page.items.map(({ id }) => id), typeof page.next], [[second.id], "string"]);
    const rest = await one.actions.list(1, page.next);
    assert.deepEqual(
      rest.items.map(({ id }) => id),
      [first.id],
    );
    await assert.rejects(one.actions.find("fla_none"), { code: "not_found" });
  });
});
