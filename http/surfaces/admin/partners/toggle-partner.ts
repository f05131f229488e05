import { Type } from "@sinclair/typebox";
import type { AdministerPartners } from "../../../../engine/partners/administer-partners.ts";
import type { PartnerRecord } from "../../../../engine/partners/partner.ts";
import { okBody } from "../../parts/relay-envelope.ts";
import { admin } from "../surface.ts";
import { ofOne, Partner, shown } from "./partner.ts";

export const togglePartner = admin.endpoint({
  ...ofOne,
  role: "operator",
  machine: "never",
  name: "togglePartner",
  refusesUnknown: "access",
  method: "PATCH",
  path: "/admin/api/partners/{id}/toggle",
  summary: "Enable or disable a partner",
  description:
    "With `enabled` it becomes that, and 409 says that it is so already: two administrators who do the same at the same time do not undo each other.",
  body: Type.Optional(Type.Object({ enabled: Type.Optional(Type.Boolean({ description: "What it is to become." })) })),
  bodyExample: { enabled: false },
  audit: { action: "partner.toggle" },
  responses: {
    200: { description: "The change is in force on every node.", body: okBody(Partner) },
    ...admin.errors(400, 401, 404, 409, 503),
  },
  handle: async ({ administerPartners }, { params, body }) => {
    const partner = await changed(administerPartners, params.id, body?.enabled);
    return { status: 200, body: { status: "ok", data: shown(partner) } };
  },
});

function changed({ enable, disable, toggle }: AdministerPartners, id: number, enabled: boolean | undefined): Promise<PartnerRecord> {
  if (enabled === undefined) return toggle(id);
  return enabled ? enable(id) : disable(id);
}
