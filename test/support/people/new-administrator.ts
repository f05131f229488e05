import assert from "node:assert/strict";
import type { AdministratorRole } from "../../../engine/access/administrator-role.ts";
import type { HttpClient } from "../http/http-client.ts";
import { textMember } from "../http/matches.ts";
import { basic } from "../node/node.ts";
import type { Relay } from "../node/relay.ts";

/** An administrator created through the administration, with its login. */
export interface NewAdministrator {
  username: string;
  password: string;
  client: HttpClient;
}

/**
 * Creates an administrator with this role for one test. The password is generated if it is absent.
 */
export async function newAdministrator(
  relay: Pick<Relay, "uuid" | "administrator" | "client">,
  role: AdministratorRole,
  password?: string,
): Promise<NewAdministrator> {
  const username = `${role}-${relay.uuid()}`;
  const answer = await relay.administrator().post("/admin/administrators", { username, role, password });
  assert.equal(answer.status, 201, answer.text);
  const used = password ?? textMember(answer.body, "generatedPassword");
  return { username, password: used, client: relay.client({ authorization: basic(username, used) }) };
}
