import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { AnyStateMachine } from "xstate";
import type { WorkflowEntry } from "../../../engine/kernel/activity-log.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { Commit, CommitResult } from "../../../engine/kernel/kv.ts";
import { readChart } from "../../../engine/kernel/statechart.ts";
import { MemoryKv } from "../../engine/kernel/memory-kv.ts";

/** What a subject reports to the activity log and to its metrics. */
export interface Heard {
  readonly workflow: WorkflowEntry[];
  readonly became: string[];
}

/** A subject over one store, as far as a tape drives it. */
export interface TapedShard<E> {
  readonly heard: Heard;
  /**
   * Loads the record, steps it by the event and commits. Reads `event` once per attempt. The answer has a member `type`;
   * what else it has is not on the tape.
   */
  apply(event: () => E, requestId: string | null, checks: Commit["checks"]): Promise<{ readonly type: string } | null>;
}

export interface TapedSubject<R, E extends { readonly type: string; readonly atMs: number }> {
  /** The tape is `<subject>.json` beside this file. */
  readonly subject: string;
  readonly machine: AnyStateMachine;
  /** Records by name, and how the store has them. */
  readonly records: Readonly<Record<string, R>>;
  stored(record: R): { readonly key: string; readonly value: string };
  stateOf(record: R): string;
  /** Every event is applied to every record. */
  readonly events: Readonly<Record<string, E>>;
  open(kv: TapeKv, record: R): TapedShard<E>;
  /** Operations that a single step does not show, such as how a record is created. */
  readonly walks?: Readonly<Record<string, (kv: TapeKv) => Promise<Heard>>>;
  /** Whether a guard's checks can be passed along with a step of this subject. */
  readonly guarded: boolean;
}

interface TapedCommit {
  readonly checks: readonly string[];
  /** Sorted by key; of several operations on one key the store keeps the last. */
  readonly operations: readonly string[];
  readonly result: string;
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
    const tape = (result: string) => this.commitsTaped.push({ checks, operations, result });
    try {
      const result = await super.commit(commit);
      tape(result.type === "conflict" ? `conflict ${result.key}` : result.type);
      return result;
    } catch (error) {
      tape("in doubt");
      throw error;
    }
  }

  /** Stores an entry without recording it. */
  async seed(key: string, value: string): Promise<void> {
    await super.commit({ checks: [], operations: [{ type: "put", key, value }] });
  }
}

/** Holds what a subject commits and reports, for each transition of its machine, to its tape. UPDATE_GOLDEN=1 writes the tape. */
export function holdToTape<R extends object, E extends { readonly type: string; readonly atMs: number }>(subject: TapedSubject<R, E>): void {
  const { machine, records, events } = subject;
  const file = new URL(`${subject.subject}.json`, import.meta.url);

  async function step(record: R, event: E, change: (kv: TapeKv) => void = () => undefined, checks: Commit["checks"] = [], requestId: string | null = "req_1") {
    const kv = new TapeKv();
    const { key, value } = subject.stored(record);
    await kv.seed(key, value);
    const shard = subject.open(kv, record);
    let reads = 0;
    const answer = await shard
      .apply(
        () => {
          reads += 1;
          if (reads === 1) change(kv);
          return event;
        },
        requestId,
        checks,
      )
      .catch((error: unknown) => {
        assert.ok(error instanceof RelayError, String(error));
        return { type: `error ${error.code}` };
      });
    // Subjects that are not on the workflow kit yet call an accepted event taken.
    const type = answer?.type === "taken" ? "accepted" : (answer?.type ?? "absent");
    return { answer: type, commits: kv.commitsTaped, activity: shard.heard.workflow, outcomes: shard.heard.became };
  }

  async function record(): Promise<Record<string, unknown>> {
    const tape: Record<string, unknown> = {};
    const seen = new Set<string>();
    let first: { record: R; event: E } | null = null;
    for (const [recordName, one] of Object.entries(records)) {
      for (const [eventName, event] of Object.entries(events)) {
        const taped = await step(one, event);
        if (taped.commits.length === 0) continue;
        first ??= { record: one, event };
        // A transition that writes and reports the same kinds of things once more adds nothing.
        const kinds = taped.commits.flatMap(({ operations }) => operations.map((operation) => operation.slice(0, operation.indexOf("/"))));
        const sign = JSON.stringify([transitionOf(one, event), kinds, taped.outcomes]);
        if (seen.has(sign)) continue;
        seen.add(sign);
        tape[`${recordName}: ${eventName}`] = taped;
      }
    }
    assert.ok(first !== null);
    const { record: one, event } = first;
    const { key, value } = subject.stored(one);
    tape["not caused by a request"] = await step(one, event, undefined, [], null);
    tape["a conflict"] = await step(one, event, (kv) => void kv.seed(key, value));
    tape["a commit that is in doubt"] = await step(one, event, (kv) => {
      kv.fate = () => "answer lost";
    });
    if (subject.guarded) tape["a guard that does not hold"] = await step(one, event, undefined, [{ key: "guard", version: 1 }]);
    for (const [name, refused] of Object.entries(refusals())) tape[name] = await step(refused.record, refused.event);
    for (const [name, walk] of Object.entries(subject.walks ?? {})) {
      const kv = new TapeKv();
      const heard = await walk(kv);
      tape[name] = { commits: kv.commitsTaped, activity: heard.workflow, outcomes: heard.became };
    }
    return tape;
  }

  /** One event that its state refuses, caused by a request. */
  function refusals(): Record<string, { record: R; event: E }> {
    for (const one of Object.values(records)) {
      for (const event of Object.values(events)) if (transitionOf(one, event) === null) return { "a refused event": { record: one, event } };
    }
    return {};
  }

  /** The transition that an event takes, as its place among all of the machine; null for none. */
  function transitionOf(context: R, event: E): number | null {
    const state = subject.stateOf(context);
    const { guards } = machine.implementations;
    const found = transitions.findIndex(({ from, event: type, guard }) => {
      if (from !== state || type !== event.type) return false;
      if (guard === null) return true;
      const holds: unknown = guards[guard.name];
      if (typeof holds !== "function") throw new Error(`no guard ${guard.name}`);
      const params = typeof guard.params === "function" ? guard.params({ context, event }) : guard.params;
      return holds({ context, event }, params) === true;
    });
    return found === -1 ? null : found;
  }

  const transitions = readChart(machine).states.flatMap(({ name: from, transitions }) => transitions.map((one) => ({ from, ...one })));

  describe(`the tape of ${subject.subject}`, () => {
    it("has every transition of the machine", () => {
      const taken = new Set(Object.values(records).flatMap((one) => Object.values(events).map((event) => transitionOf(one, event))));
      const missing = transitions.filter((_, place) => !taken.has(place));
      assert.deepEqual(
        missing.map(({ from, event, guard, target }) => `${from} on ${event} if ${guard?.name ?? "-"} to ${target ?? from}`),
        [],
      );
    });

    it("is what is committed and reported (UPDATE_GOLDEN=1 writes it again)", async () => {
      const now = `${JSON.stringify(await record(), null, 1)}\n`;
      if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, now);
      assert.ok(existsSync(file), "there is no tape yet");
      assert.deepEqual(JSON.parse(now), JSON.parse(readFileSync(file, "utf8")));
    });
  });
}
