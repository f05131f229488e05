import { type Static, Type } from "@sinclair/typebox";
import type { GatewayCheck } from "../../../engine/gateway/check-gateway.ts";
import type { GatewayCredentials } from "../../../engine/gateway/gateway.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";

/** The three members of an account at the card gateway, in requests. */
export const GwTml = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: "^[A-Za-z0-9._-]+$",
  description: "The partner's terminal id at the gateway.",
});
export const GwApiKey = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: "^[\\x21\\x23-\\x7e]+$",
  description: "Merchant id in the gateway's protocol, and the `keyId` of its signatures.",
});
export const GwSecretKey = Type.String({
  minLength: 1,
  maxLength: 512,
  description: "Key that signs requests to the gateway. It is stored encrypted and never returned.",
});

/** Gateway credentials. An omitted member keeps its value, or is taken from the stored account. */
export const GatewayCredentialsRequest = Type.Object(
  { gwTml: Type.Optional(GwTml), gwApiKey: Type.Optional(GwApiKey), gwSecretKey: Type.Optional(GwSecretKey) },
  { title: "GatewayCredentialsRequest" },
);

/** Returns the changes of a request. Throws RelayError `invalid_request` if it changes nothing. */
export function changedCredentials({ gwTml, gwApiKey, gwSecretKey }: Static<typeof GatewayCredentialsRequest>): {
  terminalId: string | undefined;
  merchantId: string | undefined;
  secret: string | undefined;
} {
  if (gwTml === undefined && gwApiKey === undefined && gwSecretKey === undefined) {
    throw new RelayError("invalid_request", "body: must have at least one of gwTml, gwApiKey and gwSecretKey");
  }
  return { terminalId: gwTml, merchantId: gwApiKey, secret: gwSecretKey };
}

export const SHOWN_CREDENTIALS_EXAMPLE = {
  status: "ok",
  data: { configured: true, gwTml: "GW000001", gwApiKey: "ACME*****", gwSecretKey: "********" },
};

/** Gateway credentials as responses show them. */
export const ShownGatewayCredentials = Type.Object(
  {
    configured: Type.Boolean(),
    gwTml: Type.Union([Type.String(), Type.Null()]),
    gwApiKey: Type.Union([Type.String(), Type.Null()], { description: "Masked." }),
    gwSecretKey: Type.Union([Type.Literal("********"), Type.Null()], { description: "Never shown." }),
  },
  { title: "GatewayCredentials" },
);

export function shownCredentials(account: { terminalId: string; merchantId: string } | null): Static<typeof ShownGatewayCredentials> {
  if (account === null) return { configured: false, gwTml: null, gwApiKey: null, gwSecretKey: null };
  return { configured: true, gwTml: account.terminalId, gwApiKey: masked(account.merchantId), gwSecretKey: "********" };
}

/** Shows the first four characters if more than four remain hidden. */
function masked(text: string): string {
  const shown = text.length > 8 ? 4 : 0;
  return text.slice(0, shown) + "*".repeat(text.length - shown);
}

/**
 * Returns the credentials to check: those of the request, completed with the stored ones. Throws
 * RelayError `invalid_request` if some are missing.
 */
export function credentialsToCheck(
  request: Static<typeof GatewayCredentialsRequest> | undefined,
  stored: GatewayCredentials | null,
): GatewayCredentials {
  const terminalId = request?.gwTml ?? stored?.terminalId;
  const merchantId = request?.gwApiKey ?? stored?.merchantId;
  const secret = request?.gwSecretKey ?? stored?.secret;
  const missing = Object.entries({ gwTml: terminalId, gwApiKey: merchantId, gwSecretKey: secret }).find(([, value]) => value === undefined);
  if (terminalId === undefined || merchantId === undefined || secret === undefined) {
    throw new RelayError("invalid_request", `${missing?.[0]}: is required, because no value is stored`);
  }
  return { terminalId, merchantId, secret };
}

export const GatewayCheckResult = Type.Object(
  {
    accepted: Type.Boolean(),
    message: Type.String({ description: "`Credentials accepted`, or the reason why the gateway rejected them." }),
    resultCode: Type.Optional(Type.String({ description: "The gateway's own code, if it rejected the credentials." })),
  },
  { title: "GatewayCheckResult" },
);

export function checkResult(check: GatewayCheck): Static<typeof GatewayCheckResult> {
  switch (check.type) {
    case "accepted":
      return { accepted: true, message: "Credentials accepted" };
    case "refused":
      return { accepted: false, message: `The gateway rejected the credentials: ${check.description}`, resultCode: check.resultCode };
    case "unavailable":
      return { accepted: false, message: `Not confirmed: ${check.reason}` };
  }
}
