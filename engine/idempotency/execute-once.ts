import type { Clock } from "../kernel/clock.ts";
import type { Ids } from "../kernel/ids.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import type { Stored } from "../kernel/stored.ts";
import { IDEMPOTENCY_LIFETIME_MS, type IdempotencyClaim, type IdempotencyStore } from "./idempotency-store.ts";

/** A claim is held this long by who executes it: longer than any request may take, short enough after a crash. */
export const CLAIM_LEASE_MS = 30_000;

/** Rounds of losing against another writer of the same claim before the caller is told that it is being executed. */
const ROUNDS_MAX = 4;

export interface OnceRequest {
  /** Digest of who asks, for what, with which key. */
  scope: string;
  /** Digest of what is asked. */
  fingerprint: string;
  /** How long the key is remembered after the first request; IDEMPOTENCY_LIFETIME_MS when absent. */
  lifetimeMs?: number;
  /** Whether what `run` threw means that nothing was done, and the key may be used for another request; never when absent. */
  frees?(error: unknown): boolean;
  /** True: the stored answer may hold secrets and is kept encrypted. */
  sealed: boolean;
}

/** An answer that stands (`final`) is kept and given again; one that does not leaves the key open for another attempt. */
export interface OnceAnswer {
  text: string;
  final: boolean;
}

export type OnceOutcome =
  | { type: "answered"; text: string; replayed: boolean }
  /** The key was used for another request. */
  | { type: "differs" }
  /** The first request with this key is being executed. */
  | { type: "running" };

/**
 * Executes a request once for its idempotency key (header `Idempotency-Key`). The claim is stored before anything is done, with
 * the id under which the operation runs. Whoever finds a claim whose holder died executes again under the same id, so `run` has to be
 * idempotent by it: a crash costs the lease, never a second execution. What `run` throws is passed on and leaves the key open.
 */
export type ExecuteOnce = (request: OnceRequest, run: (operationId: string) => Promise<OnceAnswer>) => Promise<OnceOutcome>;

export interface ExecuteOnceOptions {
  store: IdempotencyStore;
  clock: Clock;
  ids: Ids;
  /** Null where nothing is sealed. */
  secretBox: SecretBox | null;
  /** An answer could not be stored; the caller got it all the same. */
  failed(what: string, error: unknown): void;
}

export function createExecuteOnce({ store, clock, ids, secretBox, failed }: ExecuteOnceOptions): ExecuteOnce {
  function textOf(scope: string, { text, sealed }: Extract<IdempotencyClaim["state"], { type: "answered" }>): string {
    return sealed ? boxOf().open(text, contextOf(scope)) : text;
  }

  function boxOf(): SecretBox {
    if (secretBox === null) throw new Error("there is no key that encrypts stored responses");
    return secretBox;
  }

  /** The claim as this caller holds it now, or the outcome that needs no execution. */
  async function claim({ scope, fingerprint, lifetimeMs }: OnceRequest): Promise<Held | OnceOutcome> {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const stored = await store.load(scope);
      const nowMs = clock.nowMs();
      const isSame = stored?.record.fingerprint === fingerprint;
      const isFree = stored?.record.state.type === "open" && stored.record.state.free === true;
      if (stored !== null) {
        const { record } = stored;
        if (!isSame && !isFree) return { type: "differs" };
        if (record.state.type === "answered") return { type: "answered", text: textOf(scope, record.state), replayed: true };
        if (record.state.type === "running" && record.state.untilMs > nowMs) return { type: "running" };
      }
      const held: IdempotencyClaim = {
        ...(isSame && stored !== null
          ? stored.record
          : ({ schema: 1, fingerprint, operationId: ids.uuid(), createdAtMs: nowMs, ...own(lifetimeMs) } as const)),
        state: { type: "running", untilMs: nowMs + CLAIM_LEASE_MS },
      };
      const version = await store.save(scope, held, stored?.version ?? 0);
      if (version !== null) return { record: held, version, untried: stored === null || isFree };
    }
    return { type: "running" };
  }

  /** Stores the answer unless somebody who took the claim over was first: then theirs is everybody's answer. */
  async function keep({ scope, sealed }: OnceRequest, held: Stored<IdempotencyClaim>, text: string): Promise<string> {
    const state = { type: "answered" as const, text: sealed ? boxOf().seal(text, contextOf(scope)) : text, sealed };
    let current: Stored<IdempotencyClaim> | null = held;
    for (let round = 0; round < ROUNDS_MAX && current !== null; round += 1) {
      if ((await store.save(scope, { ...held.record, state }, current.version)) !== null) return text;
      current = await store.load(scope);
      if (current?.record.operationId !== held.record.operationId) return text;
      if (current.record.state.type === "answered") return textOf(scope, current.record.state);
    }
    return text;
  }

  async function reopen({ scope }: OnceRequest, held: Held, free = false): Promise<void> {
    try {
      await store.save(scope, { ...held.record, state: free ? { type: "open", free } : { type: "open" } }, held.version);
    } catch (error) {
      // The lease ends by itself.
      failed("idempotency.open", error);
    }
  }

  return async (request, run) => {
    const held = await claim(request);
    if ("type" in held) return held;
    let answer: OnceAnswer;
    try {
      answer = await run(held.record.operationId);
    } catch (error) {
      // After an attempt whose end nobody knows, the key stays with its request.
      await reopen(request, held, held.untried && request.frees?.(error));
      throw error;
    }
    if (!answer.final) {
      await reopen(request, held);
      return { type: "answered", text: answer.text, replayed: false };
    }
    try {
      return { type: "answered", text: await keep(request, held, answer.text), replayed: false };
    } catch (error) {
      // It was done: the caller has to hear so. A repetition executes under the same id and finds it done.
      failed("idempotency.answer", error);
      return { type: "answered", text: answer.text, replayed: false };
    }
  };
}

/** A claim in the hands of one caller. `untried`: no attempt before this one can have done anything. */
type Held = Stored<IdempotencyClaim> & { untried: boolean };

/** Only a lifetime that is not the usual one is written down. */
function own(lifetimeMs: number | undefined): { lifetimeMs?: number } {
  return lifetimeMs === undefined || lifetimeMs === IDEMPOTENCY_LIFETIME_MS ? {} : { lifetimeMs };
}

function contextOf(scope: string): string {
  return `idempotency/${scope}`;
}
