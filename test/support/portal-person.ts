import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import type { Answer, HttpClient, HttpRequest } from "./http-client.ts";
import { listOf, member, textMember } from "./matches.ts";
import type { Relay } from "./relay.ts";

export const PORTAL_API = "/api/merchant";

export const PORTAL_PASSWORD = "heron under a violet lamp";

const STEP_MS = 30_000;

/** Of a relay: callers, and its time. */
export type PortalPlace = Pick<Relay, "client" | "nowMs" | "advance">;

/** What the portal's own page says of its requests. */
const OWN_PAGE = { "sec-fetch-site": "same-origin", "x-relay-portal": "1" } as const;

/** A person with a browser of its own: it keeps the cookie, and says of each request that it is from the portal's own page. */
export class PortalPerson {
  readonly #relay: PortalPlace;
  readonly #client: HttpClient;
  #cookie: string | null = null;
  #totp: TOTP | null = null;
  /** Of the last code: each step counts once. */
  #usedStep = 0;
  readonly email: string;
  recoveryCodes: string[] = [];

  constructor(relay: PortalPlace, email: string) {
    this.#relay = relay;
    this.#client = relay.client({});
    this.email = email;
  }

  async send(method: NonNullable<HttpRequest["method"]>, path: string, body?: unknown): Promise<Answer> {
    const headers = {
      ...OWN_PAGE,
      "user-agent": "a browser",
      ...(this.#cookie === null ? {} : { cookie: this.#cookie }),
    };
    const answer = await this.#client.send(PORTAL_API + path, { method, headers, ...(body === undefined ? {} : { body }) });
    for (const line of answer.headers["set-cookie"] ?? []) this.#cookie = line.includes("Max-Age=0") ? null : (line.split(";")[0] ?? null);
    return answer;
  }

  /** Of the session; empty for none. */
  get token(): string {
    return this.#cookie?.slice(this.#cookie.indexOf("=") + 1) ?? "";
  }

  /** A code that was not used yet; time is moved where all that count now were. */
  code(): string {
    assert.ok(this.#totp !== null, "the person has no authenticator app");
    const step = Math.max(Math.floor(this.#relay.nowMs() / STEP_MS), this.#usedStep + 1);
    const aheadMs = step * STEP_MS - (this.#relay.nowMs() + STEP_MS);
    if (aheadMs > 0) this.#relay.advance(aheadMs + 1);
    this.#usedStep = step;
    return this.#totp.generate({ timestamp: step * STEP_MS });
  }

  /** Puts a key (base32) into the authenticator app. */
  scan(secret: string): void {
    this.#totp = new TOTP({ algorithm: "SHA1", digits: 6, period: 30, secret: Secret.fromBase32(secret) });
  }

  /** Accepts an invitation; the session then lacks its second factor. */
  accept(token: string, password = PORTAL_PASSWORD): Promise<Answer> {
    return this.send("POST", `/invitations/${token}/accept`, { password });
  }

  /** Adds an authenticator app, which signs the person in. */
  async enrol(): Promise<void> {
    const begun = await this.send("POST", "/me/totp");
    assert.equal(begun.status, 200, begun.text);
    this.scan(textMember(begun.body, "data", "secret"));
    const confirmed = await this.send("POST", "/me/totp/confirm", { code: this.code() });
    assert.equal(confirmed.status, 200, confirmed.text);
    this.recoveryCodes = listOf(member(confirmed.body, "data", "recoveryCodes")).map(String);
  }

  /** Signs in with password and authenticator app; the answer is that of the last step. */
  async signIn(password = PORTAL_PASSWORD): Promise<Answer> {
    const begun = await this.send("POST", "/session", { email: this.email, password });
    return begun.status === 200 ? this.send("POST", "/session/second-factor", { code: this.code() }) : begun;
  }
}

/** A mail in the administrators' outbox. */
export interface ReadMail {
  kind: string;
  subject: string;
  text: string;
  /** Of the link in it; empty without one. */
  token: string;
}

/** The mails to an address, the newest first. */
export function mailsTo(relay: Pick<Relay, "administrator">, email: string, administrator = relay.administrator()): Promise<ReadMail[]> {
  return mailsRead(administrator, email);
}

/** The same, as this administrator reads them. */
async function mailsRead(administrator: HttpClient, email: string): Promise<ReadMail[]> {
  const listed = await administrator.get("/admin/mails?limit=500");
  assert.equal(listed.status, 200, listed.text);
  const own = listOf(member(listed.body, "data")).filter((mail) => member(mail, "to") === email);
  return Promise.all(
    own.map(async (mail) => {
      const { body } = await administrator.get(`/admin/mails/${textMember(mail, "id")}`);
      const text = textMember(body, "data", "text");
      const token = /\/portal\/(?:invitation|reset)\/(\S+)/.exec(text)?.[1] ?? "";
      return { kind: textMember(mail, "kind"), subject: textMember(body, "data", "subject"), text, token };
    }),
  );
}

/** The newest of them. */
export async function lastMailTo(
  relay: Pick<Relay, "administrator">,
  email: string,
  administrator = relay.administrator(),
): Promise<ReadMail> {
  const [last] = await mailsTo(relay, email, administrator);
  assert.ok(last !== undefined, `nobody wrote to ${email}`);
  return last;
}
