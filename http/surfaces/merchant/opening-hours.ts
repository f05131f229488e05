import { RelayError } from "../../../engine/kernel/errors.ts";
import type { KnownHours, OpeningHours } from "../../../engine/settings/opening-hours.ts";
import type { Endpoint } from "../../endpoint/endpoint.ts";
import { ok, okOf } from "./envelope.ts";
import { type OpeningHoursJson, SaveHours, ShownHours } from "./opening-hours-schemas.ts";
import { MERCHANT_BASE, type MerchantOperations, merchantOf, merchantSurface, PORTAL_RATE } from "./surface.ts";

/** The collaborators of the endpoints of a merchant's opening hours. */
export interface OpeningHoursOperations {
  openingHours: Pick<OpeningHours, "of" | "save">;
}

const hoursSurface = merchantSurface<OpeningHoursOperations>({ refusesUnknown: "limits" });

const PATH = `${MERCHANT_BASE}/opening-hours`;

const EXAMPLE: OpeningHoursJson = {
  source: "set",
  hours: [
    { weekday: 1, from: "08:30", to: "13:00" },
    { weekday: 1, from: "15:30", to: "19:30" },
  ],
};
const answered = { description: "The opening hours that apply.", body: okOf(ShownHours), example: { status: "ok", data: EXAMPLE } };

export const showOpeningHours = hoursSurface.endpoint({
  name: "merchantOpeningHours",
  method: "GET",
  path: PATH,
  summary: "Get the opening hours",
  description: "A terminal that went offline while the shop was open is a task of the overview while the shop is open.",
  auth: "merchantUserOrKey",
  may: "look",
  rateLimit: PORTAL_RATE,
  responses: { 200: answered, ...hoursSurface.errors(401, 403, 429, 503) },
  handle: async ({ openingHours }, { caller }) => ({ status: 200, body: ok(jsonOf(await openingHours.of(merchantOf(caller)))) }),
});

export const saveOpeningHours = hoursSurface.endpoint({
  name: "merchantSaveOpeningHours",
  method: "PUT",
  path: PATH,
  summary: "Set the opening hours",
  description: "Replaces all intervals. They may not overlap.",
  auth: "merchantUserOrKey",
  may: "configure",
  noStepUp: "They only decide which terminals are reported as tasks.",
  rateLimit: PORTAL_RATE,
  body: SaveHours,
  bodyExample: { hours: EXAMPLE.hours },
  audit: { action: "opening-hours.replace", subject: ({ body }) => (body.hours === null ? "payments" : "set") },
  responses: {
    200: answered,
    ...hoursSurface.errors(400, 401, 403, 413, 415, 429, 503),
    409: { description: "The merchant is deactivated (conflict).", body: hoursSurface.envelope.schema },
  },
  handle: async ({ openingHours }, { caller, body }) => {
    const merchantId = merchantOf(caller);
    if (!(await openingHours.save(merchantId, body.hours))) throw new RelayError("conflict", "The merchant is deactivated");
    return { status: 200, body: ok(jsonOf(await openingHours.of(merchantId))) };
  },
});

/** The endpoints of a merchant's opening hours. */
export const openingHoursEndpoints: Endpoint<OpeningHoursOperations & MerchantOperations>[] = [showOpeningHours, saveOpeningHours];

function jsonOf({ source, hours }: KnownHours): OpeningHoursJson {
  return { source, hours: hours === null ? null : [...hours] };
}
