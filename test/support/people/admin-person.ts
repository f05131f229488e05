import assert from "node:assert/strict";
import type { AdministratorRole } from "../../../engine/access/administrator-role.ts";
import { BrowserPerson, type PersonPlace } from "../browser/browser-person.ts";
import type { Answer } from "../http/http-client.ts";
import type { Relay } from "../node/relay.ts";
import { newAdministrator } from "./new-administrator.ts";

/** An administrator with a browser of its own, at the operators' pages. */
export class AdminPerson extends BrowserPerson {
  readonly username: string;
  readonly password: string;

  constructor(place: PersonPlace, login: { username: string; password: string }) {
    super(place, { base: "/admin", totpPath: "/factors/totp" });
    this.username = login.username;
    this.password = login.password;
  }

  /** The first step alone. */
  begin(password = this.password): Promise<Answer> {
    return this.send("POST", "/session", { username: this.username, password });
  }

  /** Signs in with password and authenticator app; the answer is that of the last step. */
  signIn(password = this.password): Promise<Answer> {
    return this.signInWith({ username: this.username, password });
  }
}

/** An administrator of a test's own, who has enrolled an authenticator app and is signed in. */
export async function newAdminPerson(
  relay: PersonPlace & Pick<Relay, "uuid" | "administrator">,
  role: AdministratorRole,
): Promise<AdminPerson> {
  const person = new AdminPerson(relay, await newAdministrator(relay, role));
  const begun = await person.begin();
  assert.equal(begun.status, 200, begun.text);
  await person.enrol();
  return person;
}
