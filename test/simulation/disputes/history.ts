import type { AlertRecord, AlertState } from "../../../engine/alerts/alert.ts";
import type { DisputeRecord, DisputeState } from "../../../engine/disputes/dispute.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { Commit, CommitResult } from "../../../engine/kernel/kv.ts";
import { type AlertShard, openAlerts, RULES } from "../../engine/alerts/world.ts";
import { type DisputeShard, OWNER, openDisputes, operation, PARTY, upload } from "../../engine/disputes/world.ts";
import { MemoryKv } from "../../engine/kernel/memory-kv.ts";
import { fedFaults } from "../../engine/payments/fed-objects.ts";
import { member } from "../../engine/portal-links/world.ts";
import { ManualClock, settle } from "../../engine/world.ts";
import { turns } from "../intents/sim-gateway.ts";
import { ProcessKv } from "../process-kv.ts";
import { Random } from "../random.ts";
import { type Asking, SimNetwork, SimRefunds } from "./sim-ports.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const SHARDS = 2;
const STEPS = 90;
const PAYMENTS = 3;
const CASES = 3;
const ALERTS = 5;
const DAILY_MAX = 1;

/** How far the clocks of two nodes are apart at most. */
const SKEW_MS = 2_000;
/** How far a clock is set back at most. */
const BACK_MS = 20_000;

interface Process {
  kv: ProcessKv;
  disputes: DisputeShard;
  alerts: AlertShard;
}

export interface DisputeHistory {
  trace: string[];
  /** What is broken, in a sentence each. */
  broken: string[];
  /** What came about at all, so that a run can say that it has seen everything. */
  seen: Set<string>;
}

interface Told {
  objectId: string;
  sequence: number;
  data: { object: { state: string } };
}

/** Which state may follow which, as what is told says; `null` is the beginning. From the tables that people agreed on, not from the machines. */
const DISPUTE_WAYS: Readonly<Record<DisputeState, readonly (DisputeState | null)[]>> = {
  OPEN: [null],
  EVIDENCE_REQUIRED: ["OPEN", "UNDER_REVIEW", "WON", "LOST"],
  UNDER_REVIEW: ["OPEN", "EVIDENCE_REQUIRED"],
  WON: ["OPEN", "EVIDENCE_REQUIRED", "UNDER_REVIEW", "EXPIRED"],
  LOST: ["OPEN", "EVIDENCE_REQUIRED", "UNDER_REVIEW", "EXPIRED"],
  EXPIRED: ["OPEN", "EVIDENCE_REQUIRED", "UNDER_REVIEW"],
};
const ALERT_WAYS: Readonly<Record<AlertState, readonly (AlertState | null)[]>> = {
  PENDING: [null],
  AUTO_REFUND: [null],
  REFUNDED: ["PENDING", "AUTO_REFUND"],
  // A refund that a rule had decided may have been refused in between, which is not told.
  DECLINED: ["PENDING", "AUTO_REFUND"],
  PREVENTED: ["PENDING", "AUTO_REFUND", "REFUNDED", "DECLINED"],
};

/** A store that looks at each commit as it happens: no refund is stored of a payment that is held then. */
class WatchedKv extends MemoryKv {
  readonly broken: string[] = [];

  override async commit(commit: Commit): Promise<CommitResult> {
    const held = new Set(this.keys("dispute-hold/"));
    const before = new Map(await this.#alerts(commit));
    const result = await super.commit(commit);
    if (result.type !== "committed") return result;
    for (const { key, value } of putsOf(commit)) {
      if (!key.startsWith("alert/")) continue;
      const record: AlertRecord = JSON.parse(value);
      const isNew = record.refund !== null && record.refund.attempt > (before.get(key)?.refund?.attempt ?? 0);
      if (isNew && held.has(`dispute-hold/M1/${record.uuid}`)) this.broken.push(`a refund of ${record.uuid} is stored while it is held`);
    }
    return result;
  }

  async #alerts(commit: Commit): Promise<[string, AlertRecord | null][]> {
    const keys = putsOf(commit).flatMap(({ key }) => (key.startsWith("alert/") ? [key] : []));
    if (keys.length === 0) return [];
    const entries = await this.getMany(keys);
    return entries.map((entry, index) => [keys[index] ?? "", entry === null ? null : JSON.parse(entry.value)]);
  }
}

function putsOf({ operations }: Commit): { key: string; value: string }[] {
  return operations.flatMap((one) => (one.type === "put" ? [{ key: one.key, value: one.value }] : []));
}

/** Networks, sources, people of a merchant, two processes whose clocks differ, and the time, as a seed draws them. The same seed gives the same trace. */
export async function playDisputes(seed: number): Promise<DisputeHistory> {
  const random = new Random(seed);
  const memory = new WatchedKv();
  const clock = new ManualClock();
  const refunds = new SimRefunds(random.fork());
  const network = new SimNetwork(random.fork());
  refunds.isHeld = (uuid) => memory.keys(`dispute-hold/M1/${uuid}`).length > 0;
  const trace: string[] = [];
  const broken: string[] = [];
  const seen = new Set<string>();
  const note = (what: string) => trace.push(`${((clock.nowMs() - 1_700_000_000_000) / 1_000).toFixed(3)} ${what}`);
  const addresses = Array.from({ length: SHARDS }, (_, index) => `shard-${index}`);
  const skews = addresses.map(() => random.between(0, SKEW_MS));
  const circumstances = { hasRoom: true, team: [member(1)] };
  const underWay = new Set<Promise<void>>();
  let operations = 0;

  function start(self: string, index: number): Process {
    const kv = new ProcessKv(memory, random.fork());
    const own: Clock = { nowMs: () => clock.nowMs() + (skews[index] ?? 0), monotonicMs: clock.monotonicMs };
    const asking: Asking = { isDead: () => kv.isDead, nowMs: own.nowMs };
    const failed = (what: string, error: unknown) => {
      if (!(error instanceof RelayError)) broken.push(`${what} failed with ${error instanceof Error ? error.stack : error}`);
    };
    const common = { kv, clock: own, self, addresses, failed };
    return {
      kv,
      disputes: openDisputes({
        ...common,
        circumstances,
        network: network.portOf(asking),
        heard: { became: [], workflow: [], postponed: 0 },
      }),
      alerts: openAlerts({ ...common, refunds: refunds.portOf(asking), heard: { became: [], workflow: [] } }),
    };
  }
  const processes = addresses.map(start);

  /** A request, on any process; a client repeats it under its key while its answer does not stand. */
  function asks(what: string, work: (process: Process, operationId: string) => Promise<{ type: string } | null>): void {
    operations += 1;
    const id = `o${operations}`;
    const attempt = async () => {
      for (let tries = 0; tries < random.between(1, 4); tries += 1) {
        try {
          const outcome = await work(random.pick(processes), id);
          note(`${what}: ${outcome?.type}`);
          seen.add(`${what.split(" ")[0]}: ${outcome?.type}`);
          return;
        } catch (error) {
          if (!(error instanceof RelayError)) broken.push(`${what} failed with ${error instanceof Error ? error.stack : error}`);
          else if (error.code !== "unavailable") return;
        }
        await turns(random.between(0, 40));
      }
    };
    const asked = attempt().finally(() => underWay.delete(asked));
    underWay.add(asked);
  }

  async function recordsUnder<R>(prefix: string): Promise<R[]> {
    return (await memory.getMany(memory.keys(prefix))).flatMap((entry) => (entry === null ? [] : [JSON.parse(entry.value)]));
  }

  /** All records as they are at one moment: read in one turn, for others commit in the next. */
  async function moment(): Promise<{
    disputes: DisputeRecord[];
    alerts: AlertRecord[];
    told: Map<string, Told[]>;
    holds: Map<string, string[]>;
  }> {
    const keys = ["dispute/", "alert/", "event/", "dispute-hold/"].flatMap((prefix) => memory.keys(prefix));
    const entries = (await memory.getMany(keys)).flatMap((entry) => (entry === null ? [] : [entry]));
    const under = (prefix: string) => entries.filter(({ key }) => key.startsWith(prefix));
    const told = new Map<string, Told[]>();
    for (const { value } of under("event/")) {
      const event: Told = JSON.parse(value);
      told.set(event.objectId, [...(told.get(event.objectId) ?? []), event]);
    }
    return {
      disputes: under("dispute/").map(({ value }) => JSON.parse(value)),
      alerts: under("alert/").map(({ value }) => JSON.parse(value)),
      told,
      holds: new Map(under("dispute-hold/").map(({ key, value }) => [key, JSON.parse(value).disputes])),
    };
  }

  /** The states that are told of one, in order. */
  function toldOf(id: string, all: Map<string, Told[]>): string[] {
    const told = all.get(id) ?? [];
    for (const [index, { sequence }] of told.entries()) if (sequence !== index + 1) broken.push(`${id}: an event is missing`);
    return told.map(({ data }) => data.object.state);
  }

  /** What has to hold at every moment. */
  async function look(): Promise<void> {
    const { disputes, alerts, told: all, holds } = await moment();
    for (const record of disputes) {
      const told = toldOf(record.id, all);
      const breaks = (what: string) => broken.push(`${record.id} (${record.state}) at ${clock.nowMs()}: ${what}`);
      if (told.at(-1) !== record.state) breaks(`the last thing told is ${told.at(-1)}`);
      for (const [index, state] of told.entries()) {
        const ways: readonly (string | null)[] = DISPUTE_WAYS[state as DisputeState];
        if (!ways.includes(told[index - 1] ?? null)) breaks(`it is told as ${told.join()}`);
      }
      for (const { id } of record.submissions)
        if (network.done(record.id).filter((one) => one === id).length > 1) breaks(`${id} arrived twice`);
      if ((record.state === "WON" || record.state === "LOST") !== (record.outcome !== null)) breaks("its outcome is another one");
    }
    for (let n = 0; n < PAYMENTS; n += 1) {
      const hold = holds.get(`dispute-hold/M1/pay-${n}`) ?? [];
      const holding = disputes.filter(({ uuid, state }) => uuid === `pay-${n}` && state !== "WON").map(({ id }) => id);
      if ([...hold].sort().join() !== holding.sort().join())
        broken.push(`pay-${n} is held by ${hold.join()} in place of ${holding.join()}`);
    }
    for (const record of alerts) {
      const told = toldOf(record.id, all);
      const breaks = (what: string) => broken.push(`${record.id} (${record.state}) at ${clock.nowMs()}: ${what}`);
      // That an automatic refund was refused is not told by itself.
      const isBack = record.state === "PENDING" && record.rule !== null && told.at(-1) === "AUTO_REFUND";
      if (told.at(-1) !== record.state && !isBack) breaks(`the last thing told is ${told.at(-1)}`);
      for (const [index, state] of told.entries()) {
        const ways: readonly (string | null)[] = ALERT_WAYS[state as AlertState];
        if (!ways.includes(told[index - 1] ?? null)) breaks(`it is told as ${told.join()}`);
      }
      const calls = refunds.calls.filter(({ order }) => order.id === `alert-${record.id}`);
      if (record.refund === null && calls.length > 0) breaks("it was refunded without that being stored");
      if (record.source === "RDR" && calls.length > 0) breaks("the network moves its money, and the gateway was asked");
      for (const { order, atMs } of calls) if (atMs >= order.notAfterMs || atMs >= record.respondByMs) breaks("its refund begins too late");
      if (record.refund?.state === "done" && record.refund.moved && !refunds.done(record.uuid ?? "").includes(`alert-${record.id}`))
        breaks("it is refunded, and nothing was moved");
    }
    for (const { response, atMs } of network.calls) {
      if (atMs >= response.submission.respondByMs) broken.push(`${response.submission.id} is given to the network after its deadline`);
    }
  }

  async function pass(ms: number, stepMs: number): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      clock.advance(Math.min(left, stepMs));
      for (const { disputes, alerts } of processes) {
        disputes.deadlines.tick();
        alerts.deadlines.tick();
      }
      await settle();
      await look();
    }
  }

  async function anyId(prefix: string): Promise<string | null> {
    const keys = memory.keys(prefix);
    return keys.length === 0 ? null : random.pick(keys).slice(prefix.length);
  }

  const by = { type: "key" } as const;

  async function disputeStep(): Promise<void> {
    const n = random.between(0, CASES - 1);
    const networkCaseId = `C-${n}`;
    const feed = ["VISA", networkCaseId] as const;
    const id = await anyId("dispute/");
    const does = random.weighted({ receive: 4, evidence: 3, refused: 2, verdict: 2, draft: 2, add: 4, drop: 1, challenge: 8, accept: 1 });
    switch (does) {
      case "receive":
        asks("receive a case", async ({ disputes }, operationId) => {
          const given = { network: "VISA", networkCaseId, stage: "CHARGEBACK", uuid: `pay-${n % PAYMENTS}`, terminalId: null } as const;
          const rest = { amountMinor: 100, currency: "EUR", reasonCode: "1", category: "FRAUD", alertId: null } as const;
          const respondByMs = clock.nowMs() + random.between(1, 200) * HOUR_MS + SKEW_MS + 1;
          const { state } = await disputes.feed.received(PARTY, { ...given, ...rest, respondByMs }, operation(operationId));
          return { type: state };
        });
        return;
      case "evidence": {
        const respondByMs = clock.nowMs() + random.between(1, 100) * HOUR_MS + SKEW_MS + 1;
        asks("evidence is requested", ({ disputes }, one) =>
          disputes.feed.evidenceRequested(...feed, { respondByMs, stage: null }, operation(one)),
        );
        return;
      }
      case "refused":
        asks("refused by the network", ({ disputes }, one) => disputes.feed.refused(...feed, operation(one)));
        return;
      case "verdict": {
        const result = random.pick(["WON", "LOST"] as const);
        asks("verdict", ({ disputes }, one) => disputes.feed.verdict(...feed, result, operation(one)));
        return;
      }
    }
    if (id === null) return;
    switch (does) {
      case "draft":
        asks("draft", ({ disputes }, one) =>
          disputes.disputes.saveDraft(OWNER, id, { statement: "so it was", fields: {} }, operation(one)),
        );
        return;
      case "add":
        asks("add a file", ({ disputes }, one) => disputes.disputes.addFile(OWNER, id, upload("a.pdf", `%PDF-1.7 ${one}`), operation(one)));
        return;
      case "drop": {
        const [record] = await recordsUnder<DisputeRecord>(`dispute/${id}`);
        const fileId = record?.files[0]?.id;
        if (fileId !== undefined)
          asks("remove a file", ({ disputes }, one) => disputes.disputes.removeFile(OWNER, id, fileId, operation(one)));
        return;
      }
      case "challenge": {
        const response = { statement: random.chance(0.8) ? "it was delivered" : null, fields: null, fileIds: null };
        asks("challenge", ({ disputes }, one) => disputes.disputes.challenge(OWNER, id, response, by, operation(one)));
        return;
      }
      case "accept":
        asks("accept", ({ disputes }, one) => disputes.disputes.accept(OWNER, id, by, operation(one)));
        return;
    }
  }

  async function alertStep(): Promise<void> {
    const n = random.between(0, ALERTS - 1);
    const source = n === 0 ? "RDR" : "ETHOCA";
    const networkRef = `R-${n}`;
    const id = await anyId("alert/");
    switch (random.weighted({ receive: 6, resolved: 1, invalid: 1, refund: 6, decline: 1, rules: 2, otherwise: 1 })) {
      case "receive":
        asks("receive an alert", async ({ alerts }, one) => {
          const respondByMs = random.chance(0.5) ? null : clock.nowMs() + random.between(1, 600) * MINUTE_MS + SKEW_MS;
          const payment = { uuid: `pay-${n % PAYMENTS}`, terminalId: null, method: null, category: "FRAUD" } as const;
          const notice = { source, networkRef, ...payment, amountMinor: 100, currency: "EUR", respondByMs } as const;
          const { state, ruleHeld } = await alerts.feed.received(PARTY, notice, operation(one));
          if (ruleHeld !== null) seen.add(`a rule is held: ${ruleHeld}`);
          return { type: state };
        });
        return;
      case "resolved":
        asks("resolved by the network", ({ alerts }, one) => alerts.feed.resolved(source, networkRef, operation(one)));
        return;
      case "invalid":
        asks("invalid", ({ alerts }, one) => alerts.feed.invalid(source, networkRef, operation(one)));
        return;
      case "refund":
        if (id !== null) asks("refund", ({ alerts }, one) => alerts.alerts.refund(OWNER, id, by, operation(one)));
        return;
      case "decline":
        if (id !== null) asks("decline", ({ alerts }, one) => alerts.alerts.decline(OWNER, id, null, by, operation(one)));
        return;
      case "rules": {
        const enabled = random.chance(0.7);
        asks("rules", async ({ alerts }) => {
          const { version } = await alerts.alerts.rules(OWNER);
          return alerts.alerts.saveRules(OWNER, { ...RULES, enabled, dailyCountMax: DAILY_MAX }, version, by);
        });
        return;
      }
      case "otherwise": {
        const uuid = `pay-${random.between(0, PAYMENTS - 1)}`;
        if (
          refunds.done(uuid).length === 0 &&
          ![...refunds.executions.values()].some((one) => one.key === uuid && one.state === "on its way")
        ) {
          refunds.otherwise.add(uuid);
          note(`somebody gives ${uuid} back otherwise`);
        }
        return;
      }
    }
  }

  function well(): void {
    refunds.trouble = 0;
    network.trouble = 0;
    refunds.refusals = 0;
    network.refusals = 0;
    for (const { kv } of processes) kv.trouble = 0;
  }

  for (let step = 0; step < STEPS; step += 1) {
    switch (
      random.weighted({
        ...{ dispute: 16, alert: 16, soon: 8, later: 5, hours: 3, jump: 1, back: 1, down: 1 },
        ...{ kill: 3, trouble: 2, well: 2, arrive: 3, settle: 4 },
      })
    ) {
      case "dispute":
        await disputeStep();
        break;
      case "alert":
        await alertStep();
        break;
      case "soon":
        await pass(random.between(1, 40) * 1_000, 1_000);
        break;
      case "later":
        await pass(random.between(1, 20) * MINUTE_MS, 20_000);
        break;
      case "hours":
        await pass(random.between(1, 30) * HOUR_MS, 30 * MINUTE_MS);
        break;
      case "jump":
        clock.wallMs += random.between(1, 48) * HOUR_MS;
        note("the clock jumps ahead");
        break;
      case "back":
        clock.wallMs -= random.between(1, BACK_MS);
        note("the clock is set back");
        break;
      case "down":
        for (const [index, process] of processes.entries()) kill(process, index);
        clock.advance(random.between(1, 72) * HOUR_MS);
        note("no node has run for long");
        break;
      case "kill": {
        const index = random.between(0, SHARDS - 1);
        const process = processes[index];
        if (process !== undefined) kill(process, index);
        break;
      }
      case "trouble":
        refunds.trouble = random.next();
        network.trouble = random.next();
        refunds.refusals = random.chance(0.5) ? random.next() : 0;
        network.refusals = random.chance(0.5) ? random.next() : 0;
        for (const { kv } of processes) kv.trouble = random.chance(0.5) ? random.next() / 4 : 0;
        break;
      case "well":
        well();
        break;
      case "arrive":
        refunds.arrive();
        network.arrive();
        break;
      case "settle":
        await settle();
        break;
    }
    await look();
    // Half of them begin together with the next one.
    await turns(random.chance(0.5) ? 0 : random.between(0, 80));
  }

  function kill(process: Process, index: number): void {
    note(`${addresses[index]} is killed`);
    process.kv.isDead = true;
    void process.disputes.deadlines.stop();
    void process.alerts.deadlines.stop();
    processes[index] = start(addresses[index] ?? "", index);
  }

  well();
  await Promise.race([Promise.all(underWay), turns(20_000)]);
  refunds.arrive();
  network.arrive();
  // Longer than any deadline, and than the longest pause between two looks at what is not known.
  await pass(12 * DAY_MS, HOUR_MS);
  await pass(MINUTE_MS, 1_000);

  for (const record of await recordsUnder<AlertRecord>("alert/")) {
    const { id, state, refund, source, rule, uuid } = record;
    const breaks = (what: string) => broken.push(`${id} (${state}) at the end: ${what}`);
    seen.add(`an alert ends ${state}`);
    if (refund !== null) seen.add(`a refund ends ${refund.state}${refund.moved ? " moved" : ""}`);
    if (refund !== null && rule !== null) seen.add(`a rule's refund ends ${refund.state}`);
    const executed = refunds.done(uuid ?? "").filter((one) => one === `alert-${id}`);
    if (executed.length > 1) breaks("it was refunded twice");
    if (refund?.state === "requested") breaks("nobody knows what became of its refund");
    if ((executed.length === 1) !== (refund?.state === "done" && refund.moved)) breaks("its refund is not what the gateway did");
    if (state === "PENDING" || state === "AUTO_REFUND" || record.nextAtMs !== null) breaks("it has not ended");
    if (state === "REFUNDED" && refund?.state !== "done") breaks("it is refunded, and is not");
    const isUnwanted = executed.length === 1 && state !== "REFUNDED";
    const isFlagged = memory.keys("a/alert_refunded_twice/").some((key) => key.endsWith(id));
    if (isUnwanted) seen.add("refunded though it ended otherwise");
    if (isUnwanted !== isFlagged) breaks("operators are not told of money that moved twice, or of none");
    if (memory.keys("a/alert_refund_unknown/").some((key) => key.endsWith(id)))
      breaks("operators are told that it is not known, and it is");
    if (source === "RDR" && refund !== null) breaks("the network moves its money");
  }
  const byDay = new Map<string, number>();
  for (const { createdAtMs, rule } of await recordsUnder<AlertRecord>("alert/")) {
    const day = new Date(createdAtMs).toISOString().slice(0, 10);
    if (rule !== null) byDay.set(day, (byDay.get(day) ?? 0) + 1);
  }
  for (const [day, count] of byDay) if (count > DAILY_MAX) broken.push(`rules have decided ${count} on ${day}`);

  for (const record of await recordsUnder<DisputeRecord>("dispute/")) {
    const { id, state, submissions, files } = record;
    const breaks = (what: string) => broken.push(`${id} (${state}) at the end: ${what}`);
    seen.add(`a dispute ends ${state}`);
    for (const submission of submissions) {
      seen.add(`a response ends ${submission.state}`);
      const execution = network.executions.get(submission.id);
      // An operator may have said that the network refuses it, while nobody knew whether it had arrived.
      const expected =
        execution === undefined ? ["undelivered", "refused"] : execution.state === "done" ? ["taken", "refused"] : ["refused"];
      if (!expected.includes(submission.state)) breaks(`${submission.id} is ${submission.state}, and at the network ${execution?.state}`);
    }
    if (state === "OPEN" || state === "EVIDENCE_REQUIRED" || record.nextAtMs !== null) breaks("it has not ended");
    for (const file of files) {
      if (file.state !== "kept") breaks(`a file is ${file.state}`);
      else if (memory.keys(`dispute-file/${id}/${file.id}/`).length !== 1) breaks("a file has lost its contents");
      else seen.add("a file is kept");
    }
  }
  broken.push(...memory.broken);
  broken.push(...(await fedFaults(memory)));
  return { trace, broken, seen };
}
