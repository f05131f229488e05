import type { Address, Homes } from "../kernel/bus.ts";
import type { Clock } from "../kernel/clock.ts";
import { createDeadlineRunner, type DeadlineRunner } from "../kernel/deadline-runner.ts";
import { RelayError } from "../kernel/errors.ts";
import { cursorOf, placeOfCursor } from "../kernel/merchant-index-store.ts";
import { createPacer } from "../kernel/pacer.ts";
import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { ActOnTerminal } from "./act-on-terminal.ts";
import { afterBatch, type FleetAction, type FleetOrder, type FleetResult, newFleetAction, nextBatch, stopped } from "./action.ts";
import { FLEET_ACTION_ID, type FleetActionStore } from "./action-store.ts";
import type { Fleet, FleetFilter } from "./fleet.ts";
import { FLEET_ACTION_TERMINALS_MAX, FLEET_ACTIONS_RUNNING_MAX } from "./words.ts";

/** Which terminals an action is for: some by name, or all that match. */
export type FleetSelection = { readonly terminalIds: readonly string[] } | { readonly filter: FleetFilter };

/** Actions on many terminals. Rejects with RelayError `not_found`, `conflict`, `invalid_request`, `unavailable`. */
export interface FleetActions {
  create(order: FleetOrder, selection: FleetSelection, createdBy: string): Promise<FleetAction>;
  find(id: string): Promise<FleetAction>;
  list(limit: number, cursor: string | null): Promise<{ items: readonly FleetAction[]; next: string | null }>;
  stop(id: string): Promise<FleetAction>;
}

export interface FleetActionsOptions {
  store: FleetActionStore;
  fleet: Pick<Fleet, "matching">;
  act: ActOnTerminal;
  clock: Clock;
  digest: Digest;
  /** Returns a text that is unique on all nodes. */
  newName(): string;
  homes: Homes;
  self: Address;
  failed(what: string, error: unknown): void;
}

/** Several actions run at once; each does a batch at a time. */
const BOUNDS = { heldMax: 100, atOnceMax: FLEET_ACTIONS_RUNNING_MAX, catchUpMs: 1_000, slackMs: 0 };
const FREE_PER_SECOND = 10;

const ROUNDS_MAX = 16;

/** Actions that are looked at to count those that run. */
const RECENT = 20;

export function createFleetActions(options: FleetActionsOptions): FleetActions & { runner: DeadlineRunner } {
  const { store, fleet, act, clock, digest, newName, homes, self, failed } = options;

  async function selected(selection: FleetSelection): Promise<readonly string[]> {
    if ("terminalIds" in selection) return [...new Set(selection.terminalIds)];
    const { terminals } = await fleet.matching(selection.filter);
    return terminals.map(({ view }) => view.terminalId);
  }

  async function load(id: string) {
    const stored = await store.load(id);
    if (stored === null) throw new RelayError("not_found", "There is no such action");
    return stored;
  }

  /** Handles one batch. If the home changes meanwhile, two shards may handle the same one, which does no harm. */
  async function fire(id: string): Promise<void> {
    const stored = await store.load(id);
    if (stored === null) return;
    const batch = nextBatch(stored.record);
    if (batch.length === 0) return;
    const outcomes = await Promise.all(batch.map(async (terminalId) => [terminalId, await act(stored.record, terminalId)] as const));
    const results: ReadonlyMap<string, FleetResult> = new Map(outcomes);
    await retryOnConflict(ROUNDS_MAX, async () => {
      const now = await store.load(id);
      if (now === null) return true;
      return (await store.commit(afterBatch(now.record, results, clock.nowMs()), now)) ? true : CONFLICT;
    });
  }

  return {
    create: async (order, selection, createdBy) => {
      const terminalIds = await selected(selection);
      if (terminalIds.length === 0) throw new RelayError("invalid_request", "filter: no terminal matches");
      if (terminalIds.length > FLEET_ACTION_TERMINALS_MAX) {
        const count = `${terminalIds.length} terminals match; an action may have at most ${FLEET_ACTION_TERMINALS_MAX}`;
        throw new RelayError("invalid_request", `filter: ${count}`);
      }
      const { items } = await store.page(RECENT, null);
      if (items.filter(({ state }) => state === "RUNNING").length >= FLEET_ACTIONS_RUNNING_MAX) {
        throw new RelayError("conflict", `${FLEET_ACTIONS_RUNNING_MAX} actions are running; wait for one, or stop it`);
      }
      const id = prefixedId("fla_", digest(`fleet action ${newName()}`));
      const action = newFleetAction({ id, order, createdBy }, terminalIds, clock.nowMs());
      if (!(await store.commit(action, null))) throw new Error("the same id was given to two actions");
      return action;
    },
    find: async (id) => (await load(id)).record,
    list: async (limit, cursor) => {
      const page = await store.page(limit, cursor === null ? null : placeOfCursor(cursor, FLEET_ACTION_ID));
      return { items: page.items, next: page.next === null ? null : cursorOf(page.next) };
    },
    stop: (id) =>
      retryOnConflict(ROUNDS_MAX, async () => {
        const stored = await load(id);
        const after = stopped(stored.record, clock.nowMs());
        if (after === null) throw new RelayError("conflict", "This action has already ended");
        return (await store.commit(after, stored)) ? after : CONFLICT;
      }),
    runner: createDeadlineRunner({
      ...{ name: "fleet-action", index: store, homes, self, clock, failed, fire },
      placeOf: (partition) => `fleet-actions/${partition}`,
      bounds: { ...BOUNDS, pacer: createPacer(FREE_PER_SECOND) },
    }),
  };
}
