import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { AnyStateMachine } from "xstate";
import type { WorkflowEntry } from "../../../engine/kernel/activity-log.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { Commit, CommitResult } from "../../../engine/kernel/kv.ts";
import { readChart } from "../../../engine/kernel/statechart.ts";
import { MemoryKv } from "../../engine/kernel/memory-kv.ts";

/** The reports of a subject to the activity log and to its metrics. */
export interface Heard {
  readonly workflow: WorkflowEntry[];
  readonly became: string[];
}

/** A subject with a store, as far as a tape needs it. */
export interface TapedShard<E> {
  readonly heard: Heard;
  /**
   * Loads the record, applies the event and commits. The tape contains only `type` of the answer.
   */
  apply(event: E, requestId: string | null, checks: Commit["checks"]): Promise<{ readonly type: string } | null>;
}

export interface TapedSubject<R, E extends { readonly type: string; readonly atMs: number }> {
  /** The tape is the file `<subject>.json` beside this file. */
  readonly subject: string;
  readonly machine: AnyStateMachine;
  /** Records by name, and their form in the store. */
  readonly records: Readonly<Record<string, R>>;
  stored(record: R): { readonly key: string; readonly value: string };
  stateOf(record: R): string;
  /** Every event is applied to every record. */
  readonly events: Readonly<Record<string, E>>;
  open(kv: TapeKv, record: R): TapedShard<E>;
  /** Operations beyond a single transition, such as the creation of a record. */
  readonly walks?: Readonly<Record<string, (kv: TapeKv) => Promise<Heard>>>;
  /** Whether a transition of this subject accepts additional checks. */
  readonly guarded: boolean;
}

interface Conditions {
  readonly checks?: Commit["checks"];
  readonly requestId?: string | null;
  prepare?(kv: TapeKv): void;
}

interface TapedCommit {
  readonly checks: readonly string[];
  /** The operations sorted by key. The store keeps the last one for each key. */
  readonly operations: readonly string[];
  readonly result: string;
  /** Number of equal commits in a row; absent for one. */
  times?: number;
}

/** A store in memory that records each commit. */
export class TapeKv extends MemoryKv {
  readonly commitsTaped: TapedCommit[] = [];

  override async commit(commit: Commit): Promise<CommitResult> {
    const byKey = new Map(commit.operations.map((operation) => [operation.key, operation]));
    const operations = [...byKey]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, operation]) =>
        operation.type === "delete" ? `delete ${key}` : `put ${key} until ${operation.expiresAtMs ?? "-"}: ${operation.value}`,
      );
    const checks = commit.checks.map(({ key, version }) => `${key} ${version}`);
    const tape = (result: string) => {
      const last = this.commitsTaped.at(-1);
      const isRepeated = last !== undefined && isDeepStrictEqual({ ...last, times: 1 }, { checks, operations, result, times: 1 });
      if (isRepeated) last.times = (last.times ?? 1) + 1;
      else this.commitsTaped.push({ checks, operations, result });
    };
    try {
      const result = await super.commit(commit);
      tape(result.type === "conflict" ? `conflict ${result.key}` : result.type);
      return result;
    } catch (error) {
      tape("in doubt");
      throw error;
    }
  }

  /** Stores an entry without recording it, whatever the fate of commits. */
  async seed(key: string, value: string): Promise<void> {
    const { fate } = this;
    this.fate = () => "done";
    const seeded = super.commit({ checks: [], operations: [{ type: "put", key, value }] });
    this.fate = fate;
    await seeded;
  }

  /**
   * Before each of the next commits, another writer stores the entry, after the committer has read
   * it.
   */
  seedBeforeCommit(key: string, value: string, times = 1): void {
    let left = times;
    this.fate = () => {
      if (left > 0) void this.seed(key, value);
      left -= 1;
      return "done";
    };
  }
}

/**
 * Compares the commits and reports of a subject, for each record and event, with its tape. The tape
 * contains a transition as text if it stores a new kind of entry or reports a new outcome, and
 * otherwise as a digest. UPDATE_GOLDEN=1 writes the tape. UPDATE_GOLDEN=texts writes every
 * transition as text, so that two versions of the code can be compared.
 */
export function holdToTape<R extends object, E extends { readonly type: string; readonly atMs: number }>(
  subject: TapedSubject<R, E>,
): void {
  const { machine, records, events } = subject;
  const file = new URL(`${subject.subject}.json`, import.meta.url);
  const update = process.env["UPDATE_GOLDEN"];

  async function step(record: R, event: E, { checks = [], requestId = "req_1", prepare }: Conditions = {}) {
    const kv = new TapeKv();
    const { key, value } = subject.stored(record);
    await kv.seed(key, value);
    const shard = subject.open(kv, record);
    prepare?.(kv);
    const answer = await shard.apply(event, requestId, checks).catch((error: unknown) => {
      assert.ok(error instanceof RelayError, String(error));
      return { type: `error ${error.code}` };
    });
    // Older tapes use the word "taken" for an accepted event.
    const type = answer?.type === "accepted" ? "taken" : (answer?.type ?? "absent");
    return { answer: type, ...tapedBy(kv, shard.heard) };
  }

  async function record() {
    const tape: Record<string, unknown> = {};
    const taken = new Set<unknown>();
    const seen = new Set<string>();
    const firsts = new Map<string, { record: R; event: E }>();
    for (const [recordName, one] of Object.entries(records)) {
      for (const [eventName, event] of Object.entries(events)) {
        const taped = await step(one, event);
        const transition = transitionOf(one, event);
        if (taped.commits.length === 0) {
          // The tape contains a rejected event once for each type of event and answer.
          const name = `not stored, ${taped.activity.length === 0 ? "" : "reported, "}answered "${taped.answer}": ${event.type}`;
          if (transition === null) tape[name] ??= { ...taped, "not caused by a request": await step(one, event, { requestId: null }) };
          continue;
        }
        taken.add(transition);
        if (!firsts.has(event.type)) firsts.set(event.type, { record: one, event });
        const stored = taped.commits.flatMap(({ operations }) => operations.map((operation) => operation.slice(0, operation.indexOf("/"))));
        const shown = [...stored, `${taped.outcomes}`];
        const isNew = shown.some((what) => !seen.has(what));
        for (const what of shown) seen.add(what);
        tape[`${recordName}: ${eventName}`] = isNew || update === "texts" ? taped : digestOf(taped);
      }
    }
    // Each type of event may have its own code, so each has its own conflicts.
    for (const [type, { record: one, event }] of firsts) {
      for (const [name, taped] of Object.entries(await conditions(one, event))) {
        const isText = !seen.has(name) || update === "texts" || !("commits" in taped);
        seen.add(name);
        tape[`${name}: ${type}`] = isText ? taped : digestOf(taped);
      }
    }
    for (const [name, walk] of Object.entries(subject.walks ?? {})) {
      const kv = new TapeKv();
      tape[name] = tapedBy(kv, await walk(kv));
    }
    return { tape, taken };
  }

  async function conditions(one: R, event: E): Promise<Record<string, object>> {
    const { key, value } = subject.stored(one);
    const { answer, commits } = await step(one, event, { prepare: (kv) => kv.seedBeforeCommit(key, value, Number.POSITIVE_INFINITY) });
    return {
      "not caused by a request": await step(one, event, { requestId: null }),
      "a conflict": await step(one, event, { prepare: (kv) => kv.seedBeforeCommit(key, value) }),
      "a conflict at each attempt": { answer, attempts: commits.length },
      "a commit that is in doubt": await step(one, event, {
        prepare: (kv) => {
          kv.fate = () => "answer lost";
        },
      }),
      ...(subject.guarded ? { "a guard that does not hold": await step(one, event, { checks: [{ key: "guard", version: 1 }] }) } : {}),
    };
  }

  /** Returns the transition of the machine for an event, or null if there is none. */
  function transitionOf(context: R, event: E) {
    const state = subject.stateOf(context);
    const { guards } = machine.implementations;
    const found = transitions.find(({ from, event: type, guard }) => {
      if (from !== state || type !== event.type) return false;
      if (guard === null) return true;
      const holds: unknown = guards[guard.name];
      if (typeof holds !== "function") throw new Error(`no guard ${guard.name}`);
      const params = typeof guard.params === "function" ? guard.params({ context, event }) : guard.params;
      return holds({ context, event }, params) === true;
    });
    return found ?? null;
  }

  const transitions = readChart(machine).states.flatMap(({ name: from, transitions }) => transitions.map((one) => ({ from, ...one })));

  describe(`the tape of ${subject.subject}`, () => {
    const recorded = record();

    it("has every transition of the machine", async () => {
      const { taken } = await recorded;
      const missing = transitions.filter((transition) => !taken.has(transition));
      assert.deepEqual(
        missing.map(({ from, event, guard, target }) => `${from} on ${event} if ${guard?.name ?? "-"} to ${target ?? from}`),
        [],
      );
    });

    it("is what is committed and reported (UPDATE_GOLDEN=1 writes it again)", async () => {
      const now = `${JSON.stringify((await recorded).tape, null, 1)}\n`;
      if (update !== undefined) writeFileSync(file, now);
      assert.ok(existsSync(file), "there is no tape yet");
      assert.deepEqual(JSON.parse(now), JSON.parse(readFileSync(file, "utf8")));
    });
  });
}

function tapedBy({ commitsTaped: commits }: TapeKv, { workflow, became: outcomes }: Heard) {
  const activity = workflow.map((entry) => Object.fromEntries(Object.entries(entry).sort(([one], [other]) => (one < other ? -1 : 1))));
  return { commits, activity, outcomes };
}

function digestOf(taped: object): string {
  return createHash("sha256").update(JSON.stringify(taped)).digest("hex").slice(0, 16);
}
