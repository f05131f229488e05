import assert from "node:assert/strict";
import { BrowserPerson, type PersonPlace } from "../browser/browser-person.ts";
import type { Answer, HttpClient } from "../http/http-client.ts";
import { listOf, member, textMember } from "../http/matches.ts";
import type { Relay } from "../node/relay.ts";

export const PORTAL_API = "/api/merchant";

export const PORTAL_PASSWORD = "heron under a violet lamp";

/** A person of the portal with a browser of its own. */
export class PortalPerson extends BrowserPerson {
  readonly email: string;

  constructor(place: PersonPlace, email: string) {
    super(place, { base: PORTAL_API, totpPath: "/me/totp" });
    this.email = email;
  }

  /** Accepts an invitation. The session then lacks its second factor. */
  accept(token: string, password = PORTAL_PASSWORD): Promise<Answer> {
    return this.send("POST", `/invitations/${token}/accept`, { password });
  }

  /** Signs in with password and authenticator app. Returns the answer to the last step. */
  signIn(password = PORTAL_PASSWORD): Promise<Answer> {
    return this.signInWith({ email: this.email, password });
  }
}

/** A mail in the administrators' outbox. */
export interface ReadMail {
  kind: string;
  subject: string;
  text: string;
  /** The token of its link; empty without a link. */
  token: string;
}

/** Returns the mails to an address, the newest first. */
export function mailsTo(
  relay: Pick<Relay, "administrator">,
  email: string,
  administrator: Pick<HttpClient, "get"> = relay.administrator(),
): Promise<ReadMail[]> {
  return mailsRead(administrator, email);
}

/** Returns the mails as this administrator reads them. */
async function mailsRead(administrator: Pick<HttpClient, "get">, email: string): Promise<ReadMail[]> {
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

/** Returns the newest mail to an address. */
export async function lastMailTo(
  relay: Pick<Relay, "administrator">,
  email: string,
  administrator: Pick<HttpClient, "get"> = relay.administrator(),
): Promise<ReadMail> {
  const [last] = await mailsTo(relay, email, administrator);
  assert.ok(last !== undefined, `nobody wrote to ${email}`);
  return last;
}
