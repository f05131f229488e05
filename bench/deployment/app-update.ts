import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { terminalPassword } from "../../http/auth/terminal-password.ts";
import { basicLogin, type HttpCaller, memberOf, type Outcome, retryAfterMs } from "./http-caller.ts";
import type { Measurements } from "./measurements.ts";
import type { Pace } from "./paces.ts";
import { pause, pauseMs } from "./pauses.ts";
import type { RolloutLedger } from "./rollout-ledger.ts";

/** Attempts of a part or a report without anything that comes of them; pauses between them grow to some seconds. */
const ATTEMPTS_MAX = 40;

/** What a terminal is offered, as far as it needs it. */
const Offer = Type.Object({ versionCode: Type.Integer(), apkUrl: Type.String(), md5: Type.String(), fileSize: Type.Integer() });

export interface RolledOut {
  versionCode: number;
  /** What its terminals have installed before. */
  earlierVersionCode: number;
  sha256: string;
  md5: string;
  bytes: number;
}

export interface AppUpdateOptions {
  caller: HttpCaller;
  /** Takes answers as long as a part. */
  downloads: HttpCaller;
  measurements: Measurements;
  ledger: RolloutLedger;
  paces: { checks: Pace; downloads: Pace; reports: Pace };
  terminalSecret: string;
  rolledOut: RolledOut;
  partBytes: number;
  checkIntervalMs: number;
  /** How long a terminal takes to install what it has downloaded. */
  installMs: number;
  /** From here on nobody asks who was not told yet. */
  stopping: AbortSignal;
  /** From here on nothing is waited for. */
  givenUp: AbortSignal;
}

/** A notice that came, or is to come. */
interface Notice {
  readonly came: AbortController;
  apkUrl: string | null;
}

/** How terminals take an over-the-air update of their app (infra/docs/app-updates.md), and how others ask whether there is one. */
export class AppUpdate {
  readonly #options: AppUpdateOptions;
  /** Of terminals that wait to be told. */
  readonly #waiting = new Map<string, Notice>();

  constructor(options: AppUpdateOptions) {
    this.#options = options;
  }

  /** Asks every so often until it is told, downloads, installs, and tells so. Never rejects: what goes wrong is counted. `phase`: from 0 to 1, of the interval. */
  async take(terminalId: string, phase: number): Promise<void> {
    const { ledger, measurements, rolledOut, installMs, givenUp } = this.#options;
    const apkUrl = await this.#untilTold(terminalId, phase);
    if (apkUrl === null) return;
    const isRight = await this.#download(terminalId, apkUrl);
    if (isRight === null) return this.#fail(terminalId);
    ledger.downloaded(terminalId, isRight);
    if (!isRight) {
      measurements.failed("download: other bytes");
      await this.#report(terminalId, "failed");
      return this.#fail(terminalId);
    }
    await pause(installMs, givenUp);
    if (!(await this.#report(terminalId, "completed"))) return this.#fail(terminalId);
    measurements.took("installed", ledger.installed(terminalId, performance.now()));
    // Told of it again, it would install it again and again.
    await this.#asks(terminalId, rolledOut.versionCode);
  }

  /** A notice came over a WebSocket of a terminal: it downloads at once, where it still waits to be told. Those of other versions are nobody's here. */
  noticed(terminalId: string, notice: unknown): void {
    const { ledger, measurements, rolledOut } = this.#options;
    if (!Value.Check(Offer, notice)) {
      measurements.failed("notice: unreadable");
      return;
    }
    if (notice.versionCode !== rolledOut.versionCode) return;
    const apkUrl = this.#pathIfRight(notice);
    const afterMs = ledger.noticed(terminalId, apkUrl === null ? "other" : "right", performance.now());
    if (afterMs !== null) measurements.took("notice", afterMs);
    const waiting = this.#waiting.get(terminalId);
    if (apkUrl === null || waiting === undefined) return;
    waiting.apkUrl = apkUrl;
    waiting.came.abort();
  }

  /** What a terminal is offered that has this version; null where the relay does not say. With the terminal's login, unless it is a stranger. */
  async check(
    terminalId: string,
    currentVersionCode: number,
    who: "terminal" | "stranger",
  ): Promise<"nothing" | typeof Offer.static | null> {
    const { caller, measurements, paces } = this.#options;
    await paces.checks.turn();
    const path = `/api/v1/app/version?terminalId=${encodeURIComponent(terminalId)}&currentVersionCode=${currentVersionCode}`;
    const sentAtMs = performance.now();
    const outcome = await caller.send({ method: "GET", path, headers: who === "terminal" ? this.#login(terminalId) : {} });
    if (outcome.type === "answered" && (outcome.status === 200 || outcome.status === 204)) {
      measurements.took("check", performance.now() - sentAtMs);
      if (outcome.status === 204) return "nothing";
      const offer = memberOf(outcome.text, "data");
      if (Value.Check(Offer, offer)) return offer;
    }
    await this.#tryAgain("check", outcome, 0);
    return null;
  }

  /** Whoever the version is not deployed to asks every so often whether it is offered, until `signal` aborts. */
  async askAsOther(
    terminalId: string,
    { phase, who, signal }: { phase: number; who: "terminal" | "stranger"; signal: AbortSignal },
  ): Promise<void> {
    const { checkIntervalMs } = this.#options;
    await pause(phase * checkIntervalMs, signal);
    do {
      await this.askOnceAsOther(terminalId, who);
      await pause(checkIntervalMs, signal);
    } while (!signal.aborted);
  }

  async askOnceAsOther(terminalId: string, who: "terminal" | "stranger"): Promise<void> {
    const { ledger, rolledOut } = this.#options;
    const { versionCode, earlierVersionCode } = rolledOut;
    // Its version is below those of the run, and not below any other.
    const offer = await this.check(terminalId, earlierVersionCode - 1, who);
    if (offer === null) return;
    ledger.askedByOther(terminalId, offer !== "nothing" && [versionCode, earlierVersionCode].includes(offer.versionCode));
  }

  /** By an answer to its question or by a notice, whichever is first. Resolves with the package's path; null where it was not told until the end. */
  async #untilTold(terminalId: string, phase: number): Promise<string | null> {
    const { checkIntervalMs, stopping, givenUp, rolledOut, ledger } = this.#options;
    const notice: Notice = { came: new AbortController(), apkUrl: null };
    this.#waiting.set(terminalId, notice);
    const ending = AbortSignal.any([stopping, givenUp, notice.came.signal]);
    try {
      await pause(phase * checkIntervalMs, ending);
      while (!ending.aborted) {
        const offer = await this.#asks(terminalId, rolledOut.earlierVersionCode);
        if (offer !== null) return offer;
        await pause(checkIntervalMs, ending);
      }
      if (notice.apkUrl !== null) ledger.told(terminalId, "right");
      return notice.apkUrl;
    } finally {
      // A later notice changes nothing.
      this.#waiting.delete(terminalId);
    }
  }

  /** The path of a package of the version that is rolled out; null where what is offered is another one. */
  #pathIfRight({ versionCode, apkUrl, md5, fileSize }: typeof Offer.static): string | null {
    const { rolledOut } = this.#options;
    return versionCode === rolledOut.versionCode && md5 === rolledOut.md5 && fileSize === rolledOut.bytes ? pathOf(apkUrl) : null;
  }

  /** Resolves with the path of the package of the version that is rolled out; null where it is not offered. */
  async #asks(terminalId: string, currentVersionCode: number): Promise<string | null> {
    const { ledger, measurements } = this.#options;
    const offer = await this.check(terminalId, currentVersionCode, "terminal");
    if (offer === null) return null;
    if (offer === "nothing") {
      ledger.told(terminalId, "nothing");
      return null;
    }
    const path = this.#pathIfRight(offer);
    ledger.told(terminalId, path === null ? "other" : "right");
    if (path !== null) return path;
    measurements.failed("check: another version");
    return null;
  }

  /** In parts, each of which goes on where the last one ended, also where its connection was lost. Resolves with whether the bytes are right; null where it was given up. */
  async #download(terminalId: string, path: string): Promise<boolean | null> {
    const { downloads, measurements, paces, partBytes, rolledOut, givenUp } = this.#options;
    const hash = createHash("sha256");
    const startedMs = performance.now();
    let got = 0;
    let etag: string | undefined;
    const take = (piece: Uint8Array) => {
      got += piece.byteLength;
      hash.update(piece);
      measurements.received(piece.byteLength);
    };
    for (let attempt = 0; got < rolledOut.bytes; ) {
      await paces.downloads.turn(givenUp);
      if (givenUp.aborted) return this.#given("download: not in time");
      const from = got;
      const to = Math.min(from + partBytes, rolledOut.bytes) - 1;
      const headers = { ...this.#login(terminalId), range: `bytes=${from}-${to}`, ...(etag === undefined ? {} : { "if-range": etag }) };
      const outcome = await downloads.receive({ path, headers }, take);
      if (outcome.type === "answered" && outcome.status === 206) {
        if (outcome.headers["content-range"] !== `bytes ${from}-${to}/${rolledOut.bytes}` || got !== to + 1)
          return this.#given("download: another part");
        etag ??= textOf(outcome.headers.etag);
        attempt = 0;
        continue;
      }
      attempt = got > from ? 0 : attempt + 1;
      if (attempt >= ATTEMPTS_MAX) return this.#given("download: given up");
      if (!(await this.#tryAgain("download", outcome, attempt))) return null;
    }
    measurements.took("download", performance.now() - startedMs);
    return got === rolledOut.bytes && hash.digest("hex") === rolledOut.sha256;
  }

  /** Resolves with whether the relay has the report. */
  async #report(terminalId: string, status: "completed" | "failed"): Promise<boolean> {
    const { caller, paces, rolledOut, givenUp } = this.#options;
    const body = JSON.stringify({ terminalId, versionCode: rolledOut.versionCode, status, message: "load test" });
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      await paces.reports.turn(givenUp);
      if (givenUp.aborted) break;
      const outcome = await caller.send({ method: "POST", path: "/api/v1/app/install-log", headers: this.#login(terminalId), body });
      if (outcome.type === "answered" && outcome.status === 200) return true;
      if (!(await this.#tryAgain("install report", outcome, attempt))) return false;
    }
    this.#options.measurements.failed("install report: not in time");
    return false;
  }

  /** Waits before a request is repeated, and resolves with true; with false, and an error, where it is of no use. */
  async #tryAgain(what: string, outcome: Outcome, attempt: number): Promise<boolean> {
    const { measurements, givenUp } = this.#options;
    if (outcome.type === "answered" && outcome.status !== 429 && outcome.status !== 503) {
      measurements.failed(`${what} ${outcome.status}`);
      return false;
    }
    measurements.retried(`${what} ${outcome.type === "failed" ? outcome.reason : outcome.status}`);
    await pause(pauseMs(attempt, outcome.type === "answered" ? retryAfterMs(outcome.headers) : null), givenUp);
    return true;
  }

  #given(kind: string): null {
    this.#options.measurements.failed(kind);
    return null;
  }

  #fail(terminalId: string): void {
    this.#options.ledger.failed(terminalId);
  }

  #login(terminalId: string): { authorization: string } {
    return basicLogin(terminalId, terminalPassword(this.#options.terminalSecret, terminalId));
  }
}

/** The path of an address, for the relay under test: its origin may be another one, to which no login is sent from here. */
function pathOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

function textOf(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" ? header : undefined;
}
