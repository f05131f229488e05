import assert from "node:assert/strict";
import type { Answer, HttpClient, HttpRequest } from "../http/http-client.ts";
import { member, textMember } from "../http/matches.ts";
import type { Relay } from "../node/relay.ts";

/** A partner of Partner API v1, created through the administration. */
export interface NewPartnerApi {
  id: number;
  apiKey: string;
  secret: string;
  /** Calls the API as this partner. Each call has its own connection. */
  call(method: NonNullable<HttpRequest["method"]>, path: string, body?: unknown, headers?: { [name: string]: string }): Promise<Answer>;
  /** Calls the API from a separate address, so that the limit of an address does not matter. */
  callApart: NewPartnerApi["call"];
}

/** The relay's operations to create a partner and its callers. */
export type PartnerPlace = Pick<Relay, "uuid" | "administrator" | "client">;

export const PARTNER_API = "/partner/api/v1";

/**
 * Creates a partner for one test, by default with every service and room for 100 merchants. The
 * gateway knows the partner if `gwSecretKey` is the gateway's.
 */
export async function newPartnerApi(
  relay: PartnerPlace,
  settings: { [member: string]: unknown } = {},
  gwSecretKey: string | null = null,
): Promise<NewPartnerApi> {
  const username = `partner-${relay.uuid()}`;
  const gateway = { gwTml: "GWT1", gwApiKey: "GWMERCHANT1", gwSecretKey: gwSecretKey ?? `gateway secret of ${username}` };
  const partnerApi = { partnerCode: username, maxMerchants: 100, allowedServices: ALL_SERVICES, ...settings };
  const answer = await relay.administrator().post("/admin/api/partners", { username, ...gateway, partnerApi });
  assert.equal(answer.status, 201, answer.text);
  const apiKey = textMember(answer.body, "partnerApiKeys", "apiKey");
  const secret = textMember(answer.body, "partnerApiKeys", "secret");
  const own = bearer(relay, apiKey);
  return {
    id: Number(member(answer.body, "data", "id")),
    apiKey,
    secret,
    call: callBy(own),
    callApart: (method, path, body, headers) => callBy(bearer(relay, apiKey))(method, path, body, headers),
  };
}

export const ALL_SERVICES = ["IGFS", "SHIFT4", "PAYPAL", "AMAZON_PAY", "BANCOMAT_PAY", "BIZUM", "SKRILL", "ZONDA", "SATISPAY", "ASSIOPAY"];

/** Returns a caller with this bearer key. */
export function bearer(relay: Pick<Relay, "client">, apiKey: string): HttpClient {
  return relay.client({ authorization: `Bearer ${apiKey}` });
}

export function callBy(client: HttpClient): NewPartnerApi["call"] {
  return (method, path, body, headers = {}) =>
    client.send(PARTNER_API + path, { method, headers, ...(body === undefined ? {} : { body }) });
}
