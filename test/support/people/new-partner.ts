import assert from "node:assert/strict";
import type { HttpClient } from "../http/http-client.ts";
import { member, textMember } from "../http/matches.ts";
import { basic } from "../node/node.ts";
import type { Relay } from "../node/relay.ts";

/** A partner created through the administration, with its two logins. */
export interface NewPartner {
  id: number;
  username: string;
  apiKey: string;
  password: string;
  byKey: HttpClient;
  byPassword: HttpClient;
}

/** Creates a partner for one test; `members` are added to the request. */
export async function newPartner(relay: Relay, members: { [member: string]: unknown } = {}): Promise<NewPartner> {
  const username = `partner-${relay.uuid()}`;
  const gateway = { gwTml: "GWT1", gwApiKey: "GWMERCHANT1", gwSecretKey: `gateway secret of ${username}` };
  const answer = await relay.administrator().post("/admin/api/partners", { username, ...gateway, ...members });
  assert.equal(answer.status, 201, answer.text);
  const apiKey = textMember(answer.body, "data", "apiKey");
  const password = textMember(answer.body, "generatedPassword");
  return {
    id: Number(member(answer.body, "data", "id")),
    username,
    apiKey,
    password,
    byKey: relay.client({ "api-key": apiKey }),
    byPassword: relay.client({ authorization: basic(username, password) }),
  };
}
