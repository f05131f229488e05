import { ALERT_STATES } from "../../../engine/alerts/words.ts";
import { alertMachine } from "../../../engine/alerts/machine.ts";
import { retryOnConflict } from "../../../engine/kernel/retry-on-conflict.ts";
import { recordText } from "../../../engine/kernel/schemas.ts";
import { alert, EVENTS, RESPOND_BY_MS, refund } from "../../engine/alerts/machine-world.ts";
import { AlertWorld, alertWorkflowOn } from "../../engine/alerts/world.ts";
import { ManualClock } from "../../engine/world.ts";
import { type Heard, holdToTape, type TapeKv } from "./tape.ts";

const MOVED = refund({ state: "done", moved: true, nextAtMs: null, endedAtMs: 1 });

const records = {
  new: alert("PENDING", { events: 0 }),
  ...Object.fromEntries(ALERT_STATES.map((state) => [state, alert(state)])),
  ...Object.fromEntries(ALERT_STATES.map((state) => [`${state} while refunding`, alert(state, { refund: refund() })])),
  ...Object.fromEntries(ALERT_STATES.map((state) => [`${state}, checked three times`, alert(state, { refund: refund({ checks: 3 }) })])),
  ...Object.fromEntries(ALERT_STATES.map((state) => [`${state}, checked four times`, alert(state, { refund: refund({ checks: 4 }) })])),
  ...Object.fromEntries(ALERT_STATES.map((state) => [`${state} after a refund`, alert(state, { refund: MOVED })])),
  "without a payment": alert("PENDING", { uuid: null, terminalId: null }),
};

async function received(kv: TapeKv, prepare: (world: AlertWorld) => Promise<unknown>): Promise<Heard> {
  const world = new AlertWorld(1, { kv });
  await prepare(world);
  await world.receive();
  return world.heard;
}

holdToTape({
  subject: "alerts",
  machine: alertMachine,
  records,
  stored: (record) => ({ key: `alert/${record.id}`, value: recordText("alert", record) }),
  stateOf: ({ state }) => state,
  events: {
    ...EVENTS,
    "refund.done before": { ...EVENTS["refund.done"], moved: false },
  },
  guarded: true,
  open: (kv, { id }) => {
    const heard: Heard = { workflow: [], became: [] };
    const clock = new ManualClock();
    clock.wallMs = RESPOND_BY_MS;
    const workflow = alertWorkflowOn(kv, clock, heard);
    return {
      heard,
      apply: async (event, requestId, checks) => {
        const request = requestId === null ? null : { id: "o1", requestId };
        if (checks.length === 0) return workflow.apply(id, () => event, request);
        return retryOnConflict(2, async () => {
          const stored = await workflow.store.load(id);
          return stored === null ? null : workflow.step(stored, event, request, { checks, operations: [] });
        });
      },
    };
  },
  walks: {
    received: (kv) => received(kv, async () => undefined),
    "received and refunded by a rule": (kv) => received(kv, (world) => world.ruled()),
    "received, and the rule's daily amount is used up": (kv) => received(kv, (world) => world.ruled({ dailyAmountMaxMinor: 1_000 })),
  },
});
