import { createPackage } from "./app-package.ts";
import { AppUpdate, type RolledOut } from "./app-update.ts";
import { LoadRefused } from "./deployment.ts";
import { eachOf } from "./each-of.ts";
import { terminalIdsOf } from "./fleet.ts";
import { HttpCaller } from "./http-caller.ts";
import type { Invariant } from "./ledger.ts";
import type { LoadTerminal } from "./load-terminal.ts";
import type { Measurements } from "./measurements.ts";
import type { LoadOptions } from "./options.ts";
import { Pace } from "./paces.ts";
import { pause } from "./pauses.ts";
import { RolloutAdmin, RolloutRefused } from "./rollout-admin.ts";
import { RolloutLedger } from "./rollout-ledger.ts";
import { OTHERS_MAX, type RolloutLimits, updatedIdsOf } from "./rollout-limits.ts";
import { RolloutVersions } from "./rollout-versions.ts";

/** The package of the earlier version, which nobody downloads. */
const EARLIER_BYTES = 1_024;

/** Deployments and roll-backs that are under way at once. */
const AT_ONCE = 4;

/** A shard serves 256 downloads at once. */
const DOWNLOADS_AT_ONCE = 128;

/** Terminals that ask again after the roll-back. */
const ASKED_AGAIN_MAX = 20;

/** Deployments of one version to one terminal that are rolled back. */
const REPEATED_MAX = 3;

/** After the schedule's end what is not installed yet is waited for so long. */
const SETTLE_MS = 60_000;

/** Other nodes hear of a change within this time. */
const HEARD_ATTEMPTS = 20;
const HEARD_PAUSE_MS = 250;

export interface RolloutParts {
  options: LoadOptions;
  /** Of the run; those with a WebSocket are notified. */
  terminals: readonly Pick<LoadTerminal, "terminalId" | "link">[];
  limits: RolloutLimits;
  caller: HttpCaller;
  measurements: Measurements;
  /** Begins the versions' names. */
  prefix: string;
  /** The run is to end: nothing is deployed any more. */
  stopping: AbortSignal;
  note(text: string): void;
}

export type RolloutResult = RolledOut &
  ReturnType<RolloutLedger["counts"]> & {
    limits: RolloutLimits;
    /** Of all packages, with what was downloaded again. */
    bytesReceived: number;
  };

/**
 * A roll-out of a package beside the payments of a run: two versions of its own, of which its terminals have the earlier one at first. It makes nothing else with
 * the relay, and `takeBack` deletes all of it.
 */
export class Rollout {
  readonly #parts: RolloutParts;
  readonly #admin: RolloutAdmin;
  readonly #ids: readonly string[];
  readonly #ledger: RolloutLedger;
  readonly #downloads: HttpCaller;
  readonly #givenUp = new AbortController();
  readonly #othersEnd = new AbortController();
  readonly #versions: RolloutVersions;
  /** Deployment by terminal. */
  readonly #deployments = new Map<string, number>();
  #update: AppUpdate | null = null;
  #rolledOut: RolledOut | null = null;
  #work: Promise<unknown> = Promise.resolve();
  #others: Promise<unknown> = Promise.resolve();

  private constructor(parts: RolloutParts, { username, password }: { username: string; password: string }) {
    const { caller, measurements, options } = parts;
    this.#parts = parts;
    this.#admin = new RolloutAdmin({ caller, measurements, username, password });
    this.#versions = new RolloutVersions(this.#admin, parts.prefix);
    this.#ids = updatedIdsOf(options);
    this.#ledger = new RolloutLedger(this.#ids);
    this.#downloads = new HttpCaller(options.url, { connections: DOWNLOADS_AT_ONCE, answerBytesMax: options.partBytes });
  }

  /** Makes both versions, and deploys the earlier one. Rejects with `LoadRefused`, and has taken everything back by then. */
  static async prepare(parts: RolloutParts): Promise<Rollout> {
    const { administrator } = parts.options;
    if (administrator === null) throw new Error("a roll-out wants an administrator");
    const rollout = new Rollout(parts, administrator);
    try {
      await rollout.#prepare();
      return rollout;
    } catch (error) {
      await rollout.takeBack();
      throw error instanceof RolloutRefused ? new LoadRefused(error.message) : error;
    }
  }

  async #prepare(): Promise<void> {
    const { options, prefix, note, limits, caller, measurements, stopping } = this.#parts;
    const file = createPackage(options.packageBytes);
    const earlier = await this.#versions.create("earlier");
    const version = await this.#versions.create("app");
    note(`app versions of this run: ${earlier.id} and ${version.id}, named ${prefix}earlier and ${prefix}app. They are deleted at its end`);
    await this.#admin.upload(earlier.id, createPackage(EARLIER_BYTES).bytes, `${prefix}earlier.apk`);
    await this.#admin.upload(version.id, file.bytes, `${prefix}app.apk`);
    await eachOf(this.#ids, { atOnce: AT_ONCE, signal: stopping }, async (terminalId) => {
      await this.#admin.deploy(earlier.id, terminalId, stopping);
    });
    const { md5, sha256, bytes } = file;
    this.#rolledOut = { versionCode: version.versionCode, earlierVersionCode: earlier.versionCode, md5, sha256, bytes: bytes.byteLength };
    this.#update = new AppUpdate({
      caller,
      downloads: this.#downloads,
      measurements,
      ledger: this.#ledger,
      paces: {
        checks: new Pace(limits.checksPerSecond),
        downloads: new Pace(limits.downloadsPerSecond),
        reports: new Pace(limits.reportsPerSecond),
      },
      terminalSecret: options.terminalSecret,
      rolledOut: this.#rolledOut,
      partBytes: options.partBytes,
      checkIntervalMs: options.checkIntervalMs,
      installMs: options.installMs,
      stopping,
      givenUp: this.#givenUp.signal,
    });
  }

  /** Terminals begin to ask; after so long the version is deployed to one after the other. */
  begin(afterMs: number): void {
    const update = this.#update;
    if (update === null) throw new Error("the roll-out is not prepared");
    const phase = (index: number, of: number) => index / of;
    const taking = this.#ids.map((terminalId, index) => update.take(terminalId, phase(index, this.#ids.length)));
    this.#work = Promise.all([this.#deployAll(afterMs), ...taking]);
    const { signal } = this.#othersEnd;
    const others = this.#otherIds();
    this.#others = Promise.all(
      others.map(({ terminalId, who }, index) => update.askAsOther(terminalId, { phase: phase(index, others.length), who, signal })),
    );
  }

  /** A terminal of the run has lost its connection. */
  offline(terminalId: string): void {
    this.#ledger.offline(terminalId);
  }

  /** A terminal of the run got a notice of an app version. */
  noticed(terminalId: string, notice: unknown): void {
    this.#update?.noticed(terminalId, notice);
  }

  /** Waits until all are through, or have had their time; where the run was stopped, for those alone that were told. */
  async settle(): Promise<void> {
    const over = new AbortController();
    const late = pause(SETTLE_MS, over.signal).then(() => this.#givenUp.abort());
    await this.#work;
    over.abort();
    await late;
    this.#othersEnd.abort();
    await this.#others;
    const { stopping, measurements } = this.#parts;
    if (stopping.aborted) return;
    for (const terminalId of this.#ids) {
      if (this.#ledger.isTold(terminalId)) continue;
      measurements.failed("check: not told in time");
      this.#ledger.failed(terminalId);
    }
  }

  /** What came of it; afterwards there is nothing left of it with the relay. */
  async end(): Promise<{ result: RolloutResult; invariants: readonly Invariant[] }> {
    const { limits, measurements } = this.#parts;
    if (this.#rolledOut === null) throw new Error("the roll-out is not prepared");
    for (const { terminalId, who } of this.#otherIds()) await this.#update?.askOnceAsOther(terminalId, who);
    const takenBack = this.#deployments.size + this.#versions.made.length;
    const miscounted = await this.#miscounted();
    const left = [...(await this.#rollBack()), ...(await this.takeBack())];
    return {
      invariants: this.#ledger.invariants({ miscounted, takenBack, left }),
      result: {
        ...this.#rolledOut,
        ...this.#ledger.counts(),
        limits,
        bytesReceived: measurements.receivedInAll,
      },
    };
  }

  /** Deletes all that it has made. Answers with what is left of it, in words. It may be called again. */
  async takeBack(): Promise<string[]> {
    this.#givenUp.abort();
    this.#othersEnd.abort();
    await Promise.allSettled([this.#work, this.#others]);
    await this.#downloads.close();
    const left = await this.#versions.takeBack();
    for (const text of left) this.#parts.note(text);
    return left;
  }

  async #deployAll(afterMs: number): Promise<void> {
    const { stopping, measurements, terminals } = this.#parts;
    const ending = AbortSignal.any([stopping, this.#givenUp.signal]);
    await pause(afterMs, ending);
    const [, version] = this.#versions.made;
    if (version === undefined) throw new Error("the roll-out is not prepared");
    const connected = new Set(terminals.flatMap(({ terminalId, link }) => (link === "websocket" ? [terminalId] : [])));
    await eachOf(this.#ids, { atOnce: AT_ONCE, signal: ending }, async (terminalId) => {
      const isDeployed = await this.#orFailed("deploy", async () => {
        const sentAtMs = performance.now();
        this.#ledger.deploying(terminalId, sentAtMs);
        this.#deployments.set(terminalId, await this.#admin.deploy(version.id, terminalId, stopping));
        measurements.took("deploy", performance.now() - sentAtMs);
      });
      if (!isDeployed || !connected.has(terminalId)) return;
      await this.#orFailed("notify", async () => {
        if ((await this.#admin.notify(version.id, terminalId, stopping)) > 0) this.#ledger.notified(terminalId);
      });
    });
  }

  /** Resolves with whether the relay did it; what it refuses is an error of the run. */
  async #orFailed(kind: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (!(error instanceof RolloutRefused)) throw error;
      const { stopping, measurements, note } = this.#parts;
      // It was being tried again when the run was stopped.
      if (stopping.aborted) return false;
      measurements.failed(kind);
      note(error.message);
      return false;
    }
  }

  /** Of the run's terminals some that the version is not deployed to, and an id that no terminal has. */
  #otherIds(): { terminalId: string; who: "terminal" | "stranger" }[] {
    const { options } = this.#parts;
    const inside = new Set(this.#ids);
    const outside = terminalIdsOf(options).filter((terminalId) => !inside.has(terminalId));
    return [
      { terminalId: `${options.terminalPrefix}00000`, who: "stranger" as const },
      ...outside.slice(0, OTHERS_MAX).map((terminalId) => ({ terminalId, who: "terminal" as const })),
    ];
  }

  /** Terminals whose install the relay has not counted, or of which it has counted something else; and deployments that are not of the run. */
  async #miscounted(): Promise<string[]> {
    const ids = new Set(this.#ids);
    const installed = new Set<string>();
    const wrong: string[] = [];
    try {
      for (const { id, terminalId = "all or a merchant", counts } of await this.#admin.deployments(
        this.#versions.made.slice(1).map(({ id }) => id),
      )) {
        if (!ids.has(terminalId)) wrong.push(`deployment ${id} to ${terminalId}`);
        if (counts.installed === 1 && counts.failed === 0) installed.add(terminalId);
      }
      wrong.push(...this.#ledger.installedIds().filter((terminalId) => !installed.has(terminalId)));
    } catch (error) {
      if (!(error instanceof RolloutRefused)) throw error;
      wrong.push(error.message);
    }
    return wrong;
  }

  /** Answers with what is not as it was before, in words. */
  async #rollBack(): Promise<string[]> {
    const [earlier, version] = this.#versions.made;
    const wrong: string[] = [];
    try {
      await eachOf([...this.#deployments], { atOnce: AT_ONCE }, async ([terminalId, deploymentId]) => {
        let { id, versionId } = await this.#admin.rollBack(deploymentId);
        // A deployment whose answer was lost was sent again, and stands behind the other one.
        for (let more = 0; more < REPEATED_MAX && versionId === version?.id; more += 1)
          ({ id, versionId } = await this.#admin.rollBack(id));
        if (versionId !== earlier?.id) wrong.push(`${terminalId} is offered version ${versionId} after the roll-back`);
      });
    } catch (error) {
      if (!(error instanceof RolloutRefused)) throw error;
      return [...wrong, error.message];
    }
    for (const terminalId of [...this.#deployments.keys()].slice(0, ASKED_AGAIN_MAX)) {
      if (!(await this.#isEarlierOffered(terminalId)))
        return [...wrong, `${terminalId} is not offered the earlier version after the roll-back`];
    }
    return wrong;
  }

  async #isEarlierOffered(terminalId: string): Promise<boolean> {
    const earlierCode = this.#rolledOut?.earlierVersionCode ?? 0;
    for (let attempt = 0; attempt < HEARD_ATTEMPTS; attempt += 1) {
      const offer = (await this.#update?.check(terminalId, earlierCode - 1, "terminal")) ?? null;
      if (offer !== null && offer !== "nothing" && offer.versionCode === earlierCode) return true;
      await pause(HEARD_PAUSE_MS);
    }
    return false;
  }
}
