import { createHash, timingSafeEqual } from "node:crypto";
import type { MerchantGrant } from "../../../engine/access/merchant-grant.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { DEFAULT_API_VERSION, WIRE_NAMES } from "../../compat/wire-names.ts";
import type { Input, KeyedEndpoint, ResponseHeaders } from "../../endpoint/endpoint.ts";
import { type FormObject, formOf } from "../../endpoint/form-body.ts";
import type { CompatOperations } from "./operations.ts";
import { forbidden, noSuch, unrecognizedUrl } from "./platform-error.ts";
import { requestedVersion, versionHeaders } from "./versions.ts";

/** The service that merchants need for card payments by this API. */
const SERVICE = "IGFS";

/** The platform's search of a list, which is not here. */
const SEARCH = "search";

/** Endpoints that a page may call with a publishable key and the client secret of its payment. */
export const OF_PAGES: ReadonlySet<string> = new Set(["compatRetrievePaymentIntent", "compatConfirmPaymentIntent"]);

/** The headers that every endpoint reads, by their names in lower case. */
export const READ_HEADERS = {
  version: WIRE_NAMES.version.toLowerCase(),
  ownVersion: "platform-version",
  account: WIRE_NAMES.account.toLowerCase(),
  context: WIRE_NAMES.context.toLowerCase(),
} as const;

/**
 * Decides whether a request may be executed, before its idempotency key is looked up: whose it is, that it is for no other account, that its merchant may take
 * card payments, and that it is within its limit. Throws PlatformError or RelayError. Of a request that names no version it answers with the one that it gets; what the
 * request names the server has answered already. Neither is stored for an idempotency key: both are of the request that is answered.
 */
export async function admit(
  operations: CompatOperations,
  input: Input,
  { name, method, path }: KeyedEndpoint,
): Promise<ResponseHeaders | undefined> {
  // It stands where an id does, and no id is a word of the platform's own.
  if (path.endsWith("/{id}") && pathId(input) === SEARCH) throw unrecognizedUrl(method, path.replace("{id}", SEARCH));
  const header = headerReader(input.headers);
  if (header(READ_HEADERS.account) !== undefined || header(READ_HEADERS.context) !== undefined) {
    // Ignored, the money would go to the wrong merchant.
    throw forbidden(`${WIRE_NAMES.account} and ${WIRE_NAMES.context} are not supported: use the merchant's own key.`, "account_invalid");
  }
  const version = requestedVersion([header(READ_HEADERS.version), header(READ_HEADERS.ownVersion)]);
  const merchant = await merchantOf(operations, input);
  if (merchant.kind === "publishable") await admitPage(operations, input, name, merchant);
  else await operations.merchantCalls.admitMerchant(merchant);
  if (!merchant.services.includes(SERVICE)) throw forbidden(`The service ${SERVICE} is not enabled for this merchant.`, "account_invalid");
  return version === null ? versionHeaders(await versionOf(operations, merchant)) : undefined;
}

/** The version of a request that names none. */
export async function versionOf({ apiVersions }: Pick<CompatOperations, "apiVersions">, { merchantId }: MerchantGrant): Promise<string> {
  return (await apiVersions.versionOf(merchantId)) ?? DEFAULT_API_VERSION;
}

async function admitPage(operations: CompatOperations, input: Input, name: string, merchant: MerchantGrant): Promise<void> {
  const clientSecret = textMember(input, "client_secret");
  if (!OF_PAGES.has(name) || clientSecret === "") {
    throw forbidden(
      "This call needs your secret key. A publishable key may only retrieve and confirm a payment intent, with its client_secret.",
      "secret_key_required",
    );
  }
  const { pageOrigin, ipAddress } = input.request;
  if (pageOrigin !== "" && !operations.mayPageCall(merchant.partnerId, pageOrigin)) {
    throw forbidden("Pages of this origin may not use the merchant's publishable key.", "origin_not_allowed");
  }
  // Before anything is counted or kept for it: everybody can read the key, and ids and idempotency keys could be made up without end.
  const id = pathId(input);
  const { merchantId, partnerId, livemode } = merchant;
  const intent = await operations.intents.find({ merchantId, partnerId, livemode }, id);
  if (intent === null || !isSameSecret(clientSecret, intent.clientSecret)) throw noSuch("payment_intent", id, "intent");
  await operations.merchantCalls.admitPage(ipAddress, id);
}

/**
 * The merchant that calls: by the key in `Authorization`, or of a page by the member `key`, which may only be a publishable one: what stands in an address or in a
 * page's form is no secret. Throws RelayError `unauthorized`.
 */
export async function merchantOf({ merchantsByKey }: Pick<CompatOperations, "merchantsByKey">, input: Input): Promise<MerchantGrant> {
  const { caller } = input;
  if (caller.type === "merchantKey") return caller.merchant;
  const key = textMember(input, "key");
  if (key === "") {
    throw new RelayError(
      "unauthorized",
      "You did not provide an API key: send the merchant's key as `Authorization: Bearer sk_merchant_...`.",
    );
  }
  const found = await merchantsByKey.merchantByKey(key, input.request.ipAddress);
  if (found === "replaced") throw new RelayError("unauthorized", "Expired API key provided.", { detail: "api_key_expired" });
  if (found === null || found === "pending" || found.kind !== "publishable")
    throw new RelayError("unauthorized", "Invalid API key provided.");
  return found;
}

/** Compares without telling by the time taken how much of it was right. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other));
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** The members of a request: of its body, or without one of its query. */
export function membersOf({ body, query }: Pick<Input, "body" | "query">): FormObject {
  return formOf(body ?? query);
}

function textMember(input: Input, name: string): string {
  const value = membersOf(input)[name];
  return typeof value === "string" ? value : "";
}

/** The reader of declared headers; undefined for one that is absent. */
export function headerReader(headers: unknown): (name: string) => string | undefined {
  const entries =
    typeof headers === "object" && headers !== null ? new Map<string, unknown>(Object.entries(headers)) : new Map<string, unknown>();
  return (name) => {
    const value = entries.get(name);
    return typeof value === "string" ? value : undefined;
  };
}

/** The id in the path; empty where the path has none. */
export function pathId({ params }: Pick<Input, "params">): string {
  return typeof params === "object" && params !== null && "id" in params && typeof params.id === "string" ? params.id : "";
}
