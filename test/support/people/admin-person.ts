import assert from "node:assert/strict";
import type { AdministratorRole } from "../../../engine/access/administrator-role.ts";
import { BrowserPerson, type PersonPlace } from "../browser/browser-person.ts";
import type { Answer } from "../http/http-client.ts";
import type { Relay } from "../node/relay.ts";
import { newAdministrator } from "./new-administrator.ts";

/** An administrator with a browser of its own on the operators' pages. */
export class AdminPerson extends BrowserPerson {
  readonly username: string;
  readonly password: string;

  constructor(place: PersonPlace, login: { username: string; password: string }) {
    super(place, { base: "/admin", totpPath: "/factors/totp" });
    this.username = login.username;
    this.password = login.password;
  }

  /** Makes only the first step. */
  begin(password = this.password): Promise<Answer> {
    return this.send("POST", "/session", { username: this.username, password });
  }

  /** Signs in with password and authenticator app. Returns the answer to the last step. */
  signIn(password = this.password): Promise<Answer> {
    return this.signInWith({ username: this.username, password });
  }
}

/** Creates an administrator for one test, who has added an authenticator app and is signed in. */
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
