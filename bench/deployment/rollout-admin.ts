import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { FormData } from "undici";
import { basicLogin, type HttpCaller, memberOf, type Outcome, type Request, retryAfterMs } from "./http-caller.ts";
import type { Measurements } from "./measurements.ts";
import { pause, pauseMs } from "./pauses.ts";

/** Repetitions of a request that is answered with what passes by itself: some minutes in all, as long as a node may take to restart. */
const ATTEMPTS_MAX = 40;

/** A refusal's text is shown so long. */
const TOLD_LENGTH_MAX = 200;

/** An upload may take so long beyond other requests. */
const UPLOAD_WITHIN_MS = 300_000;

const PAGE = 500;
const PAGES_MAX = 100;

/** The relay does not do what the roll-out needs; the message says what, and what it answered. */
export class RolloutRefused extends Error {}

const Version = Type.Object({ id: Type.Integer(), versionCode: Type.Integer(), versionName: Type.String() });
export type ListedVersion = Static<typeof Version>;

const Deployment = Type.Object({
  id: Type.Integer(),
  versionId: Type.Integer(),
  terminalId: Type.Optional(Type.String()),
  counts: Type.Object({ offered: Type.Integer(), downloaded: Type.Integer(), installed: Type.Integer(), failed: Type.Integer() }),
});
export type ListedDeployment = Static<typeof Deployment>;

const Pushed = Type.Object({ recipients: Type.Integer() });

export interface RolloutAdminOptions {
  caller: HttpCaller;
  username: string;
  password: string;
  measurements: Measurements;
}

/** What an administrator does for a roll-out, over the relay's own API. Everything rejects with `RolloutRefused`. */
export class RolloutAdmin {
  readonly #options: RolloutAdminOptions;
  readonly #headers: { [name: string]: string };

  constructor(options: RolloutAdminOptions) {
    this.#options = options;
    this.#headers = basicLogin(options.username, options.password);
  }

  async versions(): Promise<ListedVersion[]> {
    return dataOf(Type.Array(Version), await this.#ask("list app versions", { method: "GET", path: "/admin/app-versions" }, [200]));
  }

  /** All deployments of these versions. */
  async deployments(versionIds: readonly number[]): Promise<ListedDeployment[]> {
    const found: ListedDeployment[] = [];
    let after: number | undefined;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const path = `/admin/app-deployments?limit=${PAGE}${after === undefined ? "" : `&after=${after}`}`;
      const listed = dataOf(Type.Array(Deployment), await this.#ask("list app deployments", { method: "GET", path }, [200]));
      found.push(...listed.filter(({ versionId }) => versionIds.includes(versionId)));
      after = listed.at(-1)?.id;
      if (listed.length < PAGE) return found;
    }
    throw new RolloutRefused(`there are more than ${PAGE * PAGES_MAX} app deployments`);
  }

  /** A version of this name, with the lowest code that is above all others, and at least `codeFrom`. */
  async create(versionName: string, codeFrom: number, releaseNotes: string): Promise<ListedVersion> {
    for (let attempt = 0; ; attempt += 1) {
      const known = await this.versions();
      // Made by an attempt whose answer was lost.
      const made = known.find((version) => version.versionName === versionName);
      if (made !== undefined) return made;
      const versionCode = known.reduce((most, version) => Math.max(most, version.versionCode + 1), codeFrom);
      const body = JSON.stringify({ versionCode, versionName, releaseNotes });
      const answer = await this.#ask("create an app version", { method: "POST", path: "/admin/app-versions", body }, [200, 400]);
      if (answer.status === 200) return dataOf(Version, answer);
      // 400: somebody else has taken the code, or a lost attempt of this one has.
      if (attempt === 2) throw refusal("create an app version", answer);
    }
  }

  async upload(versionId: number, bytes: Buffer, fileName: string): Promise<void> {
    const body = new FormData();
    body.set("file", new Blob([new Uint8Array(bytes)], { type: "application/vnd.android.package-archive" }), fileName);
    const path = `/admin/app-versions/${versionId}/upload-apk`;
    await this.#ask("upload a package", { method: "POST", path, body, waitMs: UPLOAD_WITHIN_MS }, [200]);
  }

  /** Resolves with the deployment's id. */
  async deploy(versionId: number, terminalId: string, signal?: AbortSignal): Promise<number> {
    const path = `/admin/app-versions/${versionId}/deploy-terminal`;
    const answer = await this.#ask(
      `deploy to ${terminalId}`,
      { method: "POST", path, body: JSON.stringify({ terminalId }) },
      [200],
      signal,
    );
    return dataOf(Deployment, answer).id;
  }

  /** Notifies a terminal's WebSocket sessions; resolves with how many there are. */
  async notify(versionId: number, terminalId: string, signal?: AbortSignal): Promise<number> {
    const path = `/admin/app-versions/${versionId}/push-update`;
    const request = { method: "POST", path, body: JSON.stringify({ terminalId }) } as const;
    return dataOf(Pushed, await this.#ask(`notify ${terminalId} of the version`, request, [200], signal)).recipients;
  }

  /** Resolves with the deployment that is active instead. */
  async rollBack(deploymentId: number): Promise<ListedDeployment> {
    const path = `/admin/app-deployments/${deploymentId}/roll-back`;
    return dataOf(Deployment, await this.#ask("roll a deployment back", { method: "POST", path, body: "{}" }, [200]));
  }

  /** With its deployments and its package. With many of them it takes longer than the relay lets a request take, and is finished by the next one. */
  async remove(versionId: number): Promise<void> {
    await this.#ask("delete an app version", { method: "DELETE", path: `/admin/app-versions/${versionId}` }, [200, 404], undefined, [409]);
  }

  /** Repeats what is answered with 429, 503 or one of `passing`, or not at all. */
  async #ask(
    what: string,
    request: Omit<Request, "headers">,
    statuses: readonly number[],
    signal?: AbortSignal,
    passing: readonly number[] = [],
  ): Promise<Outcome & { type: "answered" }> {
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#options.caller.send({ ...request, headers: this.#headers });
      if (outcome.type === "answered" && statuses.includes(outcome.status)) return outcome;
      const passes = outcome.type === "failed" || outcome.status === 429 || outcome.status === 503 || passing.includes(outcome.status);
      if (!passes || attempt + 1 >= ATTEMPTS_MAX || signal?.aborted === true) throw refusal(what, outcome);
      this.#options.measurements.retried(`administrator ${outcome.type === "failed" ? outcome.reason : outcome.status}`);
      await pause(pauseMs(attempt, outcome.type === "answered" ? retryAfterMs(outcome.headers) : null), signal);
    }
  }
}

function refusal(what: string, outcome: Outcome): RolloutRefused {
  if (outcome.type === "failed") return new RolloutRefused(`the relay does not ${what}: ${outcome.reason}`);
  const told = memberOf(outcome.text, "error");
  return new RolloutRefused(
    `the relay does not ${what}: ${outcome.status}${typeof told === "string" ? `, ${told.slice(0, TOLD_LENGTH_MAX)}` : ""}`,
  );
}

/** The member `data` of an answer. */
function dataOf<T extends TSchema>(schema: T, { text }: { text: string }): Static<T> {
  const data = memberOf(text, "data");
  if (!Value.Check(schema, data)) throw new RolloutRefused("the relay answers an administrator with something else than its document says");
  return data;
}
