import { createHash } from "node:crypto";
import type { MemberRecord } from "../../../engine/accounts/team.ts";
import type { DocumentCheck } from "../../../engine/disputes/check-file.ts";
import { createDisputes } from "../../../engine/disputes/create-disputes.ts";
import type { DisputeCase, DisputeRecord } from "../../../engine/disputes/dispute.ts";
import { createDisputeDeadlines } from "../../../engine/disputes/dispute-deadlines.ts";
import { createDisputeFileStore } from "../../../engine/disputes/dispute-file-store.ts";
import { createDisputeHoldStore, createHoldGuard, type DisputeHoldStore } from "../../../engine/disputes/dispute-hold-store.ts";
import { createDisputeMails, type DisputeNotices, disputeMailOf } from "../../../engine/disputes/dispute-mails.ts";
import type { DisputeNetwork, NetworkResponse, ResponseState } from "../../../engine/disputes/dispute-network.ts";
import type { DisputeFeed, DisputeQuery, Disputes, DisputeUpload } from "../../../engine/disputes/disputes.ts";
import { createDisputeMailTexts } from "../../../engine/disputes/mail-texts.ts";
import { DISPUTE_WORKFLOW, type DisputeWorkflow } from "../../../engine/disputes/workflow.ts";
import type { WorkflowEntry } from "../../../engine/kernel/activity-log.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { DeadlineRunner } from "../../../engine/kernel/deadline-runner.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { MerchantParty, MerchantScope } from "../../../engine/kernel/merchant-scope.ts";
import { createMailStore, mailText } from "../../../engine/mails/mail-store.ts";
import { createRendezvousHomes } from "../../../engine/routing/rendezvous.ts";
import { createWorkflow } from "../../../engine/workflow/run-workflow.ts";
import type { RequestContext } from "../../../engine/workflow/workflow.ts";
import { createWorkflowStore } from "../../../engine/workflow/workflow-store.ts";
import { digest, eventOperations } from "../intents/world.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { member } from "../portal-links/world.ts";
import { ManualClock, settle } from "../world.ts";

export const RETENTION_MS = 400 * 86_400_000;
export const DAY_MS = 86_400_000;
export const OWNER: MerchantScope = { merchantId: "M1", livemode: false };
export const PARTY: MerchantParty = { ...OWNER, partnerId: 1 };
const BOX = { seal: (text: string) => text, open: (text: string) => text };

export const QUERY: DisputeQuery = {
  ...{ limit: 50, cursor: null, order: "newest", fromMs: null, beforeMs: null, dueBeforeMs: null },
  ...{ state: null, stage: null, category: null, terminalId: null, q: null },
};

export function operation(id: string): RequestContext {
  return { id, requestId: `req_${id}` };
}

/** Makes the workflow of disputes on a store. It reports to `heard`. */
export function disputeWorkflowOn(
  kv: Kv,
  clock: Clock,
  notices: DisputeNotices,
  heard: Pick<Heard, "became" | "workflow"> = { became: [], workflow: [] },
): DisputeWorkflow {
  return createWorkflow(DISPUTE_WORKFLOW, {
    store: createWorkflowStore(kv, DISPUTE_WORKFLOW, RETENTION_MS),
    ...{ clock, digest, eventOperations },
    objectOf: ({ id, state }) => ({ id, state }),
    activity: { workflow: (entry) => void heard.workflow.push(entry) },
    count: (outcome) => void heard.became.push(outcome),
    guard: createHoldGuard(kv, (transition) => DISPUTE_WORKFLOW.expiresAtMs(transition, RETENTION_MS)),
    mailOf: disputeMailOf(notices),
  });
}

/** A network in memory, with the responses that it got. */
export class FakeNetwork implements DisputeNetwork {
  /** By the id of the response. */
  readonly got = new Map<string, { response: NetworkResponse; atMs: number }>();
  readonly asked: string[] = [];
  /**
   * `lost`: it arrives, and the answer does not; `away`: it does not arrive, and the outcome is
   * unknown.
   */
  mode: "there" | "away" | "lost" = "there";
  refuses = false;
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  async submit(response: NetworkResponse): Promise<ResponseState> {
    this.asked.push(`submit ${response.submission.id}`);
    if (this.mode === "away") return "unknown";
    this.got.set(response.submission.id, { response, atMs: this.#nowMs() });
    if (this.mode === "lost") return "unknown";
    return this.refuses ? "refused" : "taken";
  }

  async verify({ submission }: NetworkResponse): Promise<ResponseState> {
    this.asked.push(`verify ${submission.id}`);
    if (this.mode !== "there") return "unknown";
    if (!this.got.has(submission.id)) return "absent";
    return this.refuses ? "refused" : "taken";
  }
}

export interface Heard {
  became: string[];
  workflow: WorkflowEntry[];
  postponed: number;
}

export interface Circumstances {
  hasRoom: boolean;
  team: readonly MemberRecord[] | "away";
}

export interface DisputeShard {
  disputes: Disputes;
  feed: DisputeFeed;
  holds: DisputeHoldStore;
  deadlines: DeadlineRunner;
  workflow: DisputeWorkflow;
}

/** Makes the disputes of one node, wired as in the product. */
export function openDisputes({
  kv,
  network,
  clock,
  circumstances,
  heard,
  self = "shard-0",
  addresses = [self],
  failed,
}: {
  kv: Kv;
  network: DisputeNetwork;
  clock: Clock;
  circumstances: Circumstances;
  heard: Heard;
  self?: string;
  addresses?: string[];
  failed(what: string, error: unknown): void;
}): DisputeShard {
  const files = createDisputeFileStore({ kv, keptMs: RETENTION_MS });
  const notices = createDisputeMails({
    ...{ box: BOX, digest, clock },
    store: { room: async (_kind, _share, atMs) => (circumstances.hasRoom ? atMs : null) },
    teams: {
      load: async (merchantId) => {
        if (circumstances.team === "away") throw new Error("the store is away");
        return { record: { schema: 1, merchantId, members: circumstances.team, updatedAtMs: 1 }, version: 1 };
      },
    },
    merchants: { load: async () => null },
    texts: createDisputeMailTexts({ portalUrl: () => "https://portal.example", timeZone: "Europe/Rome" }),
    postponed: () => {
      heard.postponed += 1;
    },
  });
  const workflow = disputeWorkflowOn(kv, clock, notices, heard);
  const isActive: DocumentCheck = async (kind, contents) => kind === "pdf" && Buffer.from(contents).includes("/JavaScript");
  const digestOf = (contents: Uint8Array) => createHash("sha256").update(contents).digest("hex");
  const { disputes, feed } = createDisputes({ workflow, digest, files, clock, digestOf, isActive });
  const homes = createRendezvousHomes(addresses);
  const deadlines = createDisputeDeadlines({ workflow, files, network, clock, homes, self, failed });
  return { disputes, feed, holds: createDisputeHoldStore(kv), deadlines, workflow };
}

export function upload(name: string, contents: Uint8Array | string, pieceBytes = 100_000): DisputeUpload {
  const bytes = typeof contents === "string" ? new Uint8Array(Buffer.from(contents)) : contents;
  return {
    ...{ name, category: "RECEIPT" },
    read: async (take) => {
      // As with a socket, a piece is valid until `take` resolves, and the next one reuses its
      // memory.
      const memory = new Uint8Array(pieceBytes);
      for (let at = 0; at < bytes.length; at += pieceBytes) {
        const piece = bytes.subarray(at, at + pieceBytes);
        memory.set(piece);
        await take(memory.subarray(0, piece.length));
        memory.fill(0);
      }
    },
  };
}

export class DisputeWorld {
  readonly kv: MemoryKv;
  readonly clock: ManualClock;
  readonly network: FakeNetwork;
  readonly circumstances: Circumstances;
  readonly heard: Heard = { became: [], workflow: [], postponed: 0 };
  readonly failures: { what: string; error: unknown }[] = [];
  readonly shards: DisputeShard[];
  #operations = 0;

  constructor(
    shards = 1,
    {
      kv = new MemoryKv(),
      clock = new ManualClock(),
      network = new FakeNetwork(clock.nowMs),
      circumstances = { hasRoom: true, team: [member(1)] },
    }: Partial<Pick<DisputeWorld, "kv" | "clock" | "network" | "circumstances">> = {},
  ) {
    this.kv = kv;
    this.clock = clock;
    this.network = network;
    this.circumstances = circumstances;
    const addresses = Array.from({ length: shards }, (_, index) => `shard-${index}`);
    const failed = (what: string, error: unknown) => this.failures.push({ what, error });
    const { heard } = this;
    this.shards = addresses.map((self) => openDisputes({ kv, network, clock, circumstances, heard, self, addresses, failed }));
  }

  /** The same store and network after a restart. No time has passed. */
  restarted(): DisputeWorld {
    for (const { deadlines } of this.shards) void deadlines.stop();
    return new DisputeWorld(this.shards.length, this);
  }

  get shard(): DisputeShard {
    const [shard] = this.shards;
    if (shard === undefined) throw new Error("no shard");
    return shard;
  }

  get disputes(): Disputes {
    return this.shard.disputes;
  }

  get feed(): DisputeFeed {
    return this.shard.feed;
  }

  next(): RequestContext {
    this.#operations += 1;
    return operation(`o${this.#operations}`);
  }

  case(changes: Partial<DisputeCase> = {}): DisputeCase {
    return {
      ...{ network: "VISA", networkCaseId: "C-1", stage: "CHARGEBACK", uuid: "pl_1.1", terminalId: "TML1" },
      ...{ amountMinor: 1_234, currency: "EUR", reasonCode: "10.4", category: "FRAUD", alertId: null },
      respondByMs: this.clock.nowMs() + 10 * DAY_MS,
      ...changes,
    };
  }

  receive(changes: Partial<DisputeCase> = {}, party = PARTY): Promise<DisputeRecord> {
    return this.feed.received(party, this.case(changes), this.next());
  }

  async dispute(id: string): Promise<DisputeRecord> {
    const found = await this.feed.byId(id);
    if (found === null) throw new Error(`no dispute ${id}`);
    return found;
  }

  async add(id: string, name = "a.pdf", contents = "%PDF-1.7 one"): Promise<string> {
    const added = await this.disputes.addFile(OWNER, id, upload(name, contents), this.next());
    if (added?.type !== "added" || added.fileId === undefined) throw new Error(`${added?.type}`);
    return added.fileId;
  }

  async contents(id: string, fileId: string): Promise<Uint8Array | null> {
    const found = await this.disputes.readFile(OWNER, id, fileId);
    if (found === null) return null;
    const pieces: Uint8Array[] = [];
    for await (const piece of found.pieces()) pieces.push(piece);
    return new Uint8Array(Buffer.concat(pieces));
  }

  challenge(id: string, statement: string | null = "It was delivered", operation = this.next()) {
    return this.disputes.challenge(OWNER, id, { statement, fields: null, fileIds: null }, { type: "key" }, operation);
  }

  isHeld(uuid = "pl_1.1"): Promise<boolean> {
    return this.shard.holds.isUnderDispute({ merchantId: "M1", uuid });
  }

  async told(id: string): Promise<string[]> {
    const entries = await this.kv.scan({ from: `event/${id}/`, to: `event/${id}/~`, limit: 100 });
    return entries.map(({ value }) => JSON.parse(value)).map(({ type, data }) => `${type.replace("dispute.", "")} ${data.object.state}`);
  }

  async mails(): Promise<{ kind: string; to: string; subject: string; text: string }[]> {
    const page = await createMailStore(this.kv).page(null, 100);
    return page
      .map((record) => {
        const text = mailText(BOX, record);
        return { kind: record.kind, to: record.to, subject: text?.subject ?? "", text: text?.text ?? "" };
      })
      .reverse();
  }

  attention(): string[] {
    return this.kv.keys("a/").map((key) => key.replace("a/", ""));
  }

  async pass(ms: number, stepMs = 1_000): Promise<void> {
    for (let left = ms; left > 0; left -= Math.min(left, stepMs)) {
      this.clock.advance(Math.min(left, stepMs));
      for (const { deadlines } of this.shards) deadlines.tick();
      await settle();
    }
  }

  /** Time passes while no node runs. Then a new node starts and catches up. */
  async down(ms: number): Promise<DisputeWorld> {
    const again = this.restarted();
    again.clock.advance(ms);
    await again.pass(10_000);
    return again;
  }
}
