import { RelayError } from "../../../../engine/kernel/errors.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOf, PORTAL_RATE } from "../surface.ts";
import { CompatSettings, type CompatSettingsJson, DefaultVersion, ReturnSchemes } from "./schemas.ts";
import { type CompatSettingsOperations, compatSettings } from "./surface.ts";

const PATH = `${MERCHANT_BASE}/compatible-api`;
const EXAMPLE: CompatSettingsJson = { defaultVersion: null, effectiveVersion: "2026-10-28.endive", returnSchemes: ["myapp"] };

const answered = {
  description: "The settings as they are after the call.",
  body: okOf(CompatSettings),
  example: { status: "ok", data: EXAMPLE },
};

export const showCompatSettings = compatSettings.endpoint({
  name: "merchantCompatSettings",
  method: "GET",
  path: PATH,
  summary: "Get the settings of the compatible API",
  auth: "merchantUserOrKey",
  may: "look",
  rateLimit: PORTAL_RATE,
  responses: { 200: answered, ...compatSettings.errors(401, 403, 429, 503) },
  handle: async (operations, { caller }) => ({ status: 200, body: ok(await settingsOf(operations, merchantOf(caller))) }),
});

export const saveDefaultVersion = compatSettings.endpoint({
  name: "merchantSaveDefaultVersion",
  method: "PUT",
  path: `${PATH}/default-version`,
  summary: "Set the default version of the compatible API",
  description:
    "The version applies to requests that name none, and to webhook endpoints that are registered without one from now on. No request to the compatible API changes it.",
  auth: "merchantUserOrKey",
  may: "integrate",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  body: DefaultVersion,
  bodyExample: { version: "2026-03-25.dahlia" },
  audit: { action: "compatible-api.version" },
  responses: { 200: answered, ...compatSettings.errors(400, 401, 403, 413, 415, 429, 503) },
  handle: async (operations, { caller, body }) => {
    const merchantId = merchantOf(caller);
    await operations.apiVersions.choose(merchantId, body.version);
    return { status: 200, body: ok(await settingsOf(operations, merchantId)) };
  },
});

export const saveReturnSchemes = compatSettings.endpoint({
  name: "merchantSaveReturnSchemes",
  method: "PUT",
  path: `${PATH}/return-schemes`,
  summary: "Set the schemes of apps that buyers return to",
  description:
    "Replaces all schemes: the `return_url` of a payment intent may then begin with one of them, such as `myapp://back`. The relay rejects schemes of browsers, systems and protocols, such as `javascript`, `data`, `file`, `blob`, `intent`, `about` and `http`. A person must make this call: the secret key may not.",
  auth: "merchantUser",
  may: "administer keys",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  body: ReturnSchemes,
  bodyExample: { schemes: ["myapp"] },
  audit: { action: "compatible-api.return-schemes" },
  responses: {
    200: answered,
    ...compatSettings.errors(400, 401, 403, 413, 415, 429, 503),
    409: { description: "The merchant is deactivated (conflict).", body: compatSettings.envelope.schema },
  },
  handle: async (operations, { caller, body }) => {
    const merchantId = merchantOf(caller);
    const saved = await operations.ownMerchant.saveReturnSchemes(merchantId, body.schemes);
    if (saved === null) throw new RelayError("conflict", "The merchant is deactivated");
    return { status: 200, body: ok(await settingsOf(operations, merchantId)) };
  },
});

async function settingsOf(operations: CompatSettingsOperations, merchantId: string): Promise<CompatSettingsJson> {
  const { ownMerchant, apiVersions, effectiveApiVersion } = operations;
  const [{ returnSchemes = [] }, defaultVersion, effectiveVersion] = await Promise.all([
    ownMerchant.find(merchantId),
    apiVersions.versionOf(merchantId),
    effectiveApiVersion(merchantId),
  ]);
  return { defaultVersion, effectiveVersion, returnSchemes: [...returnSchemes] };
}
