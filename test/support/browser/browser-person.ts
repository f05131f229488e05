import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import type { Answer, HttpClient, HttpRequest } from "../http/http-client.ts";
import { listOf, member, textMember } from "../http/matches.ts";
import type { Relay } from "../node/relay.ts";

const STEP_MS = 30_000;

/** The parts of a relay that a person uses: its callers and its time. */
export type PersonPlace = Pick<Relay, "client" | "nowMs" | "advance">;

/** The headers of requests from the relay's own pages. */
const OWN_PAGE = { "sec-fetch-site": "same-origin", "x-relay-portal": "1" } as const;

/**
 * A person with a browser of its own for the paths below `base`. It keeps the cookie, sends
 * requests like the relay's own page, and has an authenticator app, which it adds at `totpPath`.
 */
export class BrowserPerson {
  readonly #place: PersonPlace;
  readonly #client: HttpClient;
  readonly #base: string;
  readonly #totpPath: string;
  #cookie: string | null = null;
  #totp: TOTP | null = null;
  /** The step of the last code, since each step is valid only once. */
  #usedStep = 0;
  recoveryCodes: string[] = [];

  constructor(place: PersonPlace, { base, totpPath }: { base: string; totpPath: string }) {
    this.#place = place;
    this.#client = place.client({});
    this.#base = base;
    this.#totpPath = totpPath;
  }

  /** Sends a request. The headers in `more` are added or replace the usual ones. */
  async send(
    method: NonNullable<HttpRequest["method"]>,
    path: string,
    body?: unknown,
    more: { [name: string]: string } = {},
  ): Promise<Answer> {
    const headers = {
      ...OWN_PAGE,
      "user-agent": "a browser",
      ...(this.#cookie === null ? {} : { cookie: this.#cookie }),
      ...more,
    };
    const answer = await this.#client.send(this.#base + path, { method, headers, ...(body === undefined ? {} : { body }) });
    for (const line of answer.headers["set-cookie"] ?? []) this.#cookie = line.includes("Max-Age=0") ? null : (line.split(";")[0] ?? null);
    return answer;
  }

  /** The token of the session; empty if there is none. */
  get token(): string {
    return this.#cookie?.slice(this.#cookie.indexOf("=") + 1) ?? "";
  }

  /** The whole cookie; empty if there is none. */
  get cookie(): string {
    return this.#cookie ?? "";
  }

  /** Returns an unused code, and moves the time if all valid ones were used. */
  code(): string {
    assert.ok(this.#totp !== null, "the person has no authenticator app");
    const step = Math.max(Math.floor(this.#place.nowMs() / STEP_MS), this.#usedStep + 1);
    const aheadMs = step * STEP_MS - (this.#place.nowMs() + STEP_MS);
    if (aheadMs > 0) this.#place.advance(aheadMs + 1);
    this.#usedStep = step;
    return this.#totp.generate({ timestamp: step * STEP_MS });
  }

  /** Puts a key (base32) into the authenticator app. */
  scan(secret: string): void {
    this.#totp = new TOTP({ algorithm: "SHA1", digits: 6, period: 30, secret: Secret.fromBase32(secret) });
  }

  /** Adds an authenticator app. If it is the first factor, this signs in. */
  async enrol(): Promise<void> {
    const begun = await this.send("POST", this.#totpPath);
    assert.equal(begun.status, 200, begun.text);
    this.scan(textMember(begun.body, "data", "secret"));
    const confirmed = await this.send("POST", `${this.#totpPath}/confirm`, { code: this.code() });
    assert.equal(confirmed.status, 200, confirmed.text);
    const codes = member(confirmed.body, "data", "recoveryCodes");
    if (codes !== null) this.recoveryCodes = listOf(codes).map(String);
  }

  /**
   * Signs in with the first step's login and the authenticator app. Returns the answer to the last
   * step.
   */
  protected async signInWith(login: object): Promise<Answer> {
    const begun = await this.send("POST", "/session", login);
    return begun.status === 200 ? this.send("POST", "/session/second-factor", { code: this.code() }) : begun;
  }
}
