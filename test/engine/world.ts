import assert from "node:assert/strict";
import type { Address, Bus } from "../../engine/kernel/bus.ts";
import type { Clock } from "../../engine/kernel/clock.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import { COMMAND_LIFETIME_MS } from "../../engine/kernel/limits.ts";
import type { Command } from "../../engine/payments/command.ts";
import { lifeRowOf, type TerminalRow } from "../../engine/payments/feed-row.ts";
import { type ReadResult, readResult } from "../../engine/payments/result.ts";
import { createRendezvousHomes, type RendezvousHomes } from "../../engine/routing/rendezvous.ts";
import { createShardTerminals, type ShardTerminals } from "../../engine/routing/shard-terminals.ts";
import type { TerminalProtocol } from "../../engine/routing/terminal-protocol.ts";
import { createPresenceStore } from "../../engine/sessions/presence-store.ts";
import { createPresenceTable, type PresenceTable } from "../../engine/sessions/presence-table.ts";
import type { OpenSession, SessionSocket } from "../../engine/sessions/terminal-sessions.ts";
import type { TerminalHomeOptions } from "../../engine/terminals/terminal-home.ts";
import { createTerminalStore } from "../../engine/terminals/terminal-store.ts";
import { createWaitingCounters, type WaitingCounters, waitingCountersBuffer } from "../../engine/terminals/waiting-counters.ts";
import { outboxRows } from "../support/outbox.ts";
import { MemoryKv } from "./kernel/memory-kv.ts";

/** Both clocks stand until they are moved; the wall clock can also be set alone. */
export class ManualClock implements Clock {
  wallMs = 1_700_000_000_000;
  runningMs = 5_000_000;
  readonly nowMs = (): number => this.wallMs;
  readonly monotonicMs = (): number => this.runningMs;

  advance(ms: number): void {
    this.wallMs += ms;
    this.runningMs += ms;
  }
}

/** Lets everything that is ready run: promises, and what the buses pass on. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A bus between shards of one test: messages are delivered in order, each in a later turn of the microtask queue. */
export class FakeBus implements Bus<TerminalProtocol> {
  readonly self: Address;
  readonly shards: readonly Address[];
  readonly #all: Map<Address, FakeBus>;
  readonly #handlers = new Map<string, (request: never, from: Address, gone?: AbortSignal) => unknown>();
  /** Kinds that are not carried: requests are rejected, what is sent is lost. */
  readonly cut = new Set<string>();
  /** Kinds whose asks stay without an answer, and what ends them as unavailable. */
  readonly hanging = new Map<string, () => void>();

  private constructor(self: Address, shards: readonly Address[], all: Map<Address, FakeBus>) {
    this.self = self;
    this.shards = shards;
    this.#all = all;
    all.set(self, this);
  }

  static pair(shards: readonly Address[]): FakeBus[] {
    const all = new Map<Address, FakeBus>();
    return shards.map((self) => new FakeBus(self, shards, all));
  }

  async request<Kind extends keyof TerminalProtocol & string>(
    to: Address,
    kind: Kind,
    request: TerminalProtocol[Kind]["request"],
    _timeoutMs?: number,
    gone?: AbortSignal,
  ): Promise<TerminalProtocol[Kind]["response"]> {
    await null;
    if (this.cut.has(kind)) throw new Error(`${kind} is cut`);
    if (this.hanging.has(kind)) {
      await new Promise<void>((resolve) => this.hanging.set(kind, resolve));
      throw new RelayError("unavailable", `${to} has left`);
    }
    const receiver = this.#all.get(to);
    if (receiver === undefined) throw new Error(`there is no ${to}`);
    return receiver.receive(kind, request, this.self, gone);
  }

  send<Kind extends keyof TerminalProtocol & string>(to: Address, kind: Kind, request: TerminalProtocol[Kind]["request"]): void {
    if (this.cut.has(kind)) return;
    queueMicrotask(() => void this.#all.get(to)?.receive(kind, request, this.self));
  }

  handle<Kind extends keyof TerminalProtocol & string>(
    kind: Kind,
    handler: (
      request: TerminalProtocol[Kind]["request"],
      from: Address,
      gone?: AbortSignal,
    ) => TerminalProtocol[Kind]["response"] | Promise<TerminalProtocol[Kind]["response"]>,
  ): void {
    this.#handlers.set(kind, handler);
  }

  async receive<Kind extends keyof TerminalProtocol & string>(
    kind: Kind,
    request: TerminalProtocol[Kind]["request"],
    from: Address,
    gone?: AbortSignal,
  ): Promise<TerminalProtocol[Kind]["response"]> {
    // `handle` has put under each kind a handler of that kind; a map cannot tell the compiler.
    const handler = this.#handlers.get(kind) as
      | ((request: TerminalProtocol[Kind]["request"], from: Address, gone?: AbortSignal) => TerminalProtocol[Kind]["response"])
      | undefined;
    if (handler === undefined) throw new Error(`${this.self} does not handle ${kind}`);
    return handler(structuredClone(request), from, gone);
  }
}

export interface TestShard extends ShardTerminals {
  table: PresenceTable;
  waiting: WaitingCounters;
  bus: FakeBus;
  homes: RendezvousHomes;
  failures: { what: string; error: unknown }[];
  finished: { state: string; kind: string }[];
}

export interface World {
  kv: MemoryKv;
  clock: ManualClock;
  shards: TestShard[];
  /** The first shard; the home of every terminal where there is one shard only. */
  shard: TestShard;
  /** Moves both clocks in steps, and lets what fires come to its end. */
  pass(ms: number): Promise<void>;
  /** New shards over the same store: what a restart is. */
  restart(): Promise<World>;
  /** Those of the outbox. */
  rows(): Promise<TerminalRow[]>;
}

/** What every shard has in memory of terminals' configurations. */
export type AdministeredMerchants = Pick<TerminalHomeOptions, "merchantOf" | "shopOf" | "currencyOf">;

/** What the store has lost: entries up to this version may be old ones. */
export interface Lost {
  version: number;
}

/** Shards over one store in memory, started. */
export async function openWorld(
  options: {
    shards?: number;
    kv?: MemoryKv;
    clock?: ManualClock;
    lost?: Lost;
    isStoreShared?: boolean;
    lookAtMembers?(): Promise<unknown>;
    administered?: AdministeredMerchants;
  } = {},
): Promise<World> {
  const { kv = new MemoryKv(), clock = new ManualClock(), lost = { version: 0 } } = options;
  kv.nowMs = clock.nowMs;
  const addresses = Array.from({ length: options.shards ?? 1 }, (_, index) => `shard-${index}`);
  const buffer = waitingCountersBuffer();
  const shards = FakeBus.pair(addresses).map((bus) => openShard(bus, kv, clock, buffer, lost, options));
  for (const { start } of shards) await start();
  const [shard] = shards;
  assert.ok(shard !== undefined);
  return {
    kv,
    clock,
    shards,
    shard,
    pass: async (ms) => {
      for (let left = ms; left > 0; left -= Math.min(left, 60_000)) {
        clock.advance(Math.min(left, 60_000));
        for (const { tick } of shards) tick();
        await settle();
      }
    },
    restart: () => openWorld({ administered: options.administered ?? {}, shards: addresses.length, kv, clock, lost }),
    rows: () => rowsIn(kv),
  };
}

let writers = 0;

function openShard(
  bus: FakeBus,
  kv: Kv,
  clock: ManualClock,
  buffer: SharedArrayBuffer,
  lost: Lost,
  {
    isStoreShared = false,
    lookAtMembers,
    administered = {},
  }: { isStoreShared?: boolean; lookAtMembers?(): Promise<unknown>; administered?: AdministeredMerchants },
): TestShard {
  const failures: TestShard["failures"] = [];
  const finished: TestShard["finished"] = [];
  const table = createPresenceTable(clock);
  const waiting = createWaitingCounters(buffer);
  writers += 1;
  const homes = createRendezvousHomes(bus.shards);
  const shard = createShardTerminals({
    bus,
    homes,
    nodeId: "node-1",
    store: createTerminalStore({
      kv,
      nowMs: clock.nowMs,
      retentionMs: 400 * 86_400_000,
      lostVersion: () => lost.version,
      writer: `w${writers}`,
    }),
    presences: createPresenceStore(kv),
    table,
    waiting,
    clock,
    isStoreShared,
    ...(lookAtMembers === undefined ? {} : { lookAtMembers }),
    ...administered,
    failed: (what, error) => failures.push({ what, error }),
    finished: (state, kind) => finished.push({ state, kind }),
  });
  return { ...shard, table, waiting, bus, homes, failures, finished };
}

/** Rows as the tables of ClickHouse get them: how a command ended stands in its result's row, and is one of its own there. */
export function tableRows(rows: readonly TerminalRow[]): TerminalRow[] {
  return rows.flatMap((row) => {
    const life = lifeRowOf(row);
    if (row.type !== "transaction" || life === null) return [row];
    const { life: _, ...own } = row;
    return [own, life];
  });
}

async function rowsIn(kv: Kv): Promise<TerminalRow[]> {
  const rows: TerminalRow[] = [];
  for await (const { row } of outboxRows(kv)) {
    assert.ok(row !== null && row.type !== "object");
    rows.push(row);
  }
  return rows;
}

export function command(world: { clock: Clock }, uuid: string, changes: Partial<Command> = {}): Command {
  const acceptedAtMs = world.clock.nowMs();
  return {
    uuid,
    terminalId: "T1",
    kind: "payment",
    service: "PAYCC",
    amountCents: 1_050,
    method: "CARD",
    sender: "partner:1",
    acceptedAtMs,
    expiresAtMs: acceptedAtMs + COMMAND_LIFETIME_MS,
    payload: JSON.stringify({ uuid, service: "PAYCC", amount: 1_050, terminalId: changes.terminalId ?? "T1" }),
    ...changes,
  };
}

/** What a terminal posts, read as the surface does. */
export function result(uuid: string, members: Record<string, unknown> = {}): ReadResult {
  const read = readResult({ uuid, result: "OK", amount: 1_050, ...members });
  assert.ok(read.type === "read", JSON.stringify(read));
  return read.result;
}

export function posting(uuid: string, members: Record<string, unknown> = {}, terminalId = "T1") {
  return { terminalId, postedBy: terminalId, result: result(uuid, members) };
}

/** A socket that a test looks into. */
export class Socket implements SessionSocket {
  readonly texts: string[] = [];
  /** False: certainly not written. */
  writable = true;

  deliver(_uuid: string | null, text: string): boolean {
    if (this.writable) this.texts.push(text);
    return this.writable;
  }

  /** The uuids that it got, in order. */
  get uuids(): string[] {
    return this.texts.map((text) => String(JSON.parse(text).uuid));
  }
}

export function session(sessionId: string, changes: Partial<OpenSession> = {}): OpenSession {
  return { terminalId: "T1", sessionId, own: true, acknowledges: false, redeliver: false, device: {}, ...changes };
}

export function openSocket(shard: TestShard, sessionId: string, changes: Partial<OpenSession> = {}): Socket {
  const socket = new Socket();
  shard.sessions.open(session(sessionId, changes), socket);
  return socket;
}

/** Polls, wherever the answer comes from; the uuid that it got, or null. */
export async function pollUuid(shard: ShardTerminals, terminalId = "T1"): Promise<string | null> {
  const taken = await shard.terminals.poll(terminalId, {});
  if (taken === null) return null;
  assert.equal(taken.uuid, JSON.parse(taken.text).uuid);
  return taken.uuid;
}

export async function stateOf(shard: ShardTerminals, uuid: string): Promise<string | null> {
  return (await shard.terminals.command(uuid, 0))?.state ?? null;
}
