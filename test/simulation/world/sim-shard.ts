import { type Caller, mayActAs } from "../../../engine/access/caller.ts";
import type { Address } from "../../../engine/kernel/bus.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { Ids } from "../../../engine/kernel/ids.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { Timers } from "../../../engine/kernel/timers.ts";
import type { Partners } from "../../../engine/partners/partners.ts";
import { createTables } from "../../../engine/tables/replicated-table.ts";
import { createTableVersions } from "../../../engine/tables/table-versions.ts";
import {
  type CommandLifeOperations,
  createCommandLife,
  createFindTransaction,
  type FindTransaction,
} from "../../../engine/terminals/find-transaction.ts";
import { createRecordResult, type RecordResult } from "../../../engine/terminals/record-result.ts";
import { createSendPayment, createSendUtility, type SendPayment, type SendUtility } from "../../../engine/terminals/send-payment.ts";
import type { Terminals } from "../../../engine/terminals/terminals.ts";
import type { Authenticator } from "../../../http/auth/authenticator.ts";
import { createLoginCounts } from "../../../http/auth/login-counts.ts";
import { createPatternCompiler } from "../../../http/auth/pattern.ts";
import type { WebSocketMount } from "../../../http/server/websocket.ts";
import { createShardLifecycle } from "../../../infra/node/boot/lifecycle.ts";
import { type ClusterBoot, MAIN, STORE_OWNER } from "../../../infra/node/boot/shard-boot.ts";
import { createShardBus } from "../../../infra/node/shard/shard-bus.ts";
import { composeAccess } from "../../../infra/node/wiring/access/access.ts";
import { composeAdministrators } from "../../../infra/node/wiring/administration/administrators.ts";
import { createStompMount } from "../../../infra/node/wiring/terminals/stomp-mount.ts";
import { type ComposedTerminals, composeTerminals } from "../../../infra/node/wiring/terminals/terminals.ts";
import type { BatchPort } from "../../../storage/bus/peer.ts";
import { createRemoteKv, handleKvMessages } from "../../../storage/kv/remote.ts";
import type { Plant } from "../plant.ts";
import { FLEET, TERMINAL_SECRET } from "./credentials.ts";
import type { NodeClock, SimMachine } from "./sim-clock.ts";
import type { SimKv } from "./sim-kv.ts";

export const RETENTION_MS = 400 * 86_400_000;
const LOOK_TIMEOUT_MS = 2_000;

/** Compiled once: every shard of every history has the same few patterns, and nothing of a compiler changes. */
const patterns = createPatternCompiler();

/** Nobody logs in as a partner here: partners come as callers that were let in. */
const NO_PARTNERS: Partners = {
  generation: () => 0,
  byId: () => null,
  everById: () => null,
  byUsername: () => null,
  byKeySha256: () => null,
  byAdapterMerchant: () => null,
  byPartnerApiKeySha256: () => null,
  byPartnerCode: () => null,
  isOriginListed: () => false,
  list: () => [],
  propagate: async () => {},
};

const NOTHING_COUNTED = {
  gauge: () => {},
  gaugeByState: () => {},
  commandFinished: () => {},
  commitConflict: () => {},
  pushed: () => {},
  recorded: () => {},
};

export interface SimShardParts {
  address: Address;
  shards: Address[];
  ports: ReadonlyMap<Address, BatchPort>;
  nodeId: string;
  cluster: ClusterBoot | null;
  machine: SimMachine;
  clock: NodeClock;
  timers: Timers;
  waiting: SharedArrayBuffer;
  ids: Ids;
  writer: string;
  /** The shard's own way to the store; null on one that asks the shard that holds the files. */
  kv: SimKv | null;
  /** Of the store, when the node starts. */
  lostVersion: number;
  write: ((incarnation: string, thread: Address, bytes: Uint8Array) => Promise<void>) | null;
  plant: Plant;
  /** Something failed that no caller waits for. */
  failed(what: string, error: unknown): void;
  event(what: string): void;
}

/** A shard as it is served from: the operations behind the HTTP endpoints, and the WebSocket mount. */
export interface SimShard {
  terminals: Terminals;
  sendPayment: SendPayment;
  sendUtility: SendUtility;
  recordResult: RecordResult;
  commandLife: CommandLifeOperations;
  findTransaction: FindTransaction;
  authenticator: Authenticator;
  managedBy(terminalId: string): ReadonlySet<string> | null;
  /** Throws RelayError `forbidden` as the endpoint does (http/surfaces/relay/take-command.ts). */
  mayPoll(caller: Caller, terminalId: string): void;
  mount: WebSocketMount;
  /** Loads its tables and begins its ticks. */
  start(): Promise<void>;
  /** The node is a member: deadlines are re-armed. */
  joined(): Promise<void>;
  historyLost(): void;
}

const SHOP_CHANGES_EVERY_MS = 700;

function shopAt(atMs: number): string | null {
  const number = Math.floor(atMs / SHOP_CHANGES_EVERY_MS) % 3;
  return number === 0 ? null : `SHOP-${number}`;
}

/** Composes a shard as infra/node/shard/shard.ts, running-shard.ts and infra/node/wiring/compose-shard.ts do, less what no payment passes through. */
export function composeSimShard(parts: SimShardParts): SimShard {
  const { address, cluster, machine, clock, timers, plant, failed, event } = parts;
  const life = createShardLifecycle(timers);
  let composed: ComposedTerminals | null = null;
  const { bus, homes } = createShardBus({
    boot: { address, shards: parts.shards, ports: parts.ports, cluster },
    clock,
    machineClock: machine.clock,
    timers,
    write: parts.write,
    log: { busFailed: (error, { kind }) => failed(kind, error) },
    left: (shards) => composed?.left(shards),
    membershipExpired: async () => membershipExpired(),
  });
  const kv = storeOf();
  // As infra/node/shard/shard-store.ts asks the thread that holds the store.
  const lostAtStart = parts.lostVersion;
  const liveShards = async () => (cluster === null ? bus.shards : bus.request(MAIN, "cluster.look", undefined, LOOK_TIMEOUT_MS));
  const tables = createTables({
    bus,
    tableVersions: createTableVersions(kv),
    clock: machine.clock,
    liveShards,
    failed,
  });
  life.add({ load: tables.load, tick: tables.tick });
  const served = life.add(
    composeTerminals({
      boot: { config: { nodeId: parts.nodeId }, waiting: parts.waiting, cluster },
      store: { kv, lostVersion: () => plant.lostVersion(parts.kv?.lostVersion() ?? lostAtStart) },
      bus,
      homes,
      liveShards,
      clock,
      machineClock: machine.clock,
      writer: parts.writer,
      retentionMs: RETENTION_MS,
      metrics: NOTHING_COUNTED,
      dayCounts: NOTHING_COUNTED,
      onOutboxWrite: () => {},
      merchantOf: () => null,
      // What is administered changes all the time, and each node's clock is another.
      shopOf: () => shopAt(clock.nowMs()),
      currencyOf: () => null,
      failed,
    }),
  );
  composed = served;
  const config = { administrator: { username: "admin", password: null, email: null }, fleet: FLEET, terminalSecret: TERMINAL_SECRET };
  const access = composeAccess({
    config,
    kv,
    tables,
    patterns,
    clock,
    administration: composeAdministrators({ config, kv, tables, clock }),
    machineClock: machine.clock,
    partners: NO_PARTNERS,
    partnerApiCredentials: { byKeySha256: () => null, called: () => {} },
    findMerchant: async () => null,
    administratorPasswordSha256: "",
    isPasswordEnough: async () => false,
    loginCounts: createLoginCounts(clock.monotonicMs),
    lease: cluster?.lease ?? null,
  });
  const { directory, terminalGroups } = access.operations;
  const terminals = plant.terminals(served.terminals);
  const { ids } = parts;
  const recordResult = createRecordResult({ terminals });
  const { mount, stomp } = createStompMount({
    anonymousAllowed: false,
    serverName: "terminal-relay",
    sessions: plant.sessions(served.sessions),
    directory: plant.directory(directory),
    greeting: () => null,
    authenticator: access.authenticator,
    recordResult,
    clock,
    ids,
    onEvent: ({ type, ...what }) => {
      if (type === "refused") event(`session refused: ${"code" in what ? what.code : ""}`);
      if ("cause" in what && what.cause !== undefined) failed("stomp", what.cause);
    },
  });
  life.add({ tick: stomp.tick });
  access.watch(stomp);

  function storeOf(): Kv {
    if (parts.kv === null) return createRemoteKv(bus, STORE_OWNER);
    const own = plant.kv(parts.kv);
    if (cluster === null) handleKvMessages(own, bus);
    return own;
  }

  async function membershipExpired(): Promise<void> {
    event("its membership had expired");
    if (plant.ignoresExpiry) return;
    stomp.endAll("the node was away");
    await tables.load();
    await served.membershipExpired();
  }

  return {
    terminals,
    sendPayment: createSendPayment({ terminals, clock, ids }),
    sendUtility: createSendUtility({ terminals, clock, ids }),
    recordResult,
    commandLife: createCommandLife({ terminals, ids }),
    findTransaction: createFindTransaction({
      terminals: { ...terminals, ...served.lookups },
      list: { page: async () => [] },
      waits: { take: () => true, giveBack: () => {} },
    }),
    authenticator: access.authenticator,
    managedBy: terminalGroups.managedBy,
    mayPoll: (caller, terminalId) => {
      if (!mayActAs(caller, terminalId)) throw new RelayError("forbidden", "Not permitted for this terminal");
    },
    mount,
    start: async () => {
      await life.load();
      life.begin();
    },
    joined: async () => {
      await tables.load();
      await served.start();
    },
    historyLost: () => {
      event("the store has lost some of its history");
      served.historyLost().catch((error: unknown) => failed("history", error));
    },
  };
}
