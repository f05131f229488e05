import { Type } from "@sinclair/typebox";
import { PartnerApiKeysShown } from "../partner-api.ts";
import { admin } from "../surface.ts";
import { ChangedPartner, changeOf, NO_STORE, noStore, ofOne, Partner, shown } from "./partner.ts";

export const changePartner = admin.endpoint({
  ...ofOne,
  role: "owner",
  stepUp: true,
  name: "changePartner",
  refusesUnknown: "access",
  method: "PUT",
  path: "/admin/api/partners/{id}",
  summary: "Update a partner",
  description:
    "Members that are left out keep their values, including secrets. A record may be sent back as it was read: its read-only members are ignored.",
  body: ChangedPartner,
  bodyExample: { gwTml: "GW000002", terminalRule: { ruleType: "LIST", ruleValue: "SIM00001,SIM00002" } },
  audit: { action: "partner.change" },
  responses: {
    200: {
      description: "Every node applies the change. `partnerApiKeys` is present if this was the first grant of access to Partner API v1.",
      body: Type.Object({ status: Type.Literal("ok"), data: Partner, partnerApiKeys: Type.Optional(PartnerApiKeysShown) }),
      headers: noStore,
    },
    ...admin.errors(400, 401, 404, 413, 415, 503),
  },
  handle: async ({ administerPartners, administerPartnerApi }, { params, body }) => {
    const partnerApi = body.partnerApi === undefined ? null : administerPartnerApi.edit(body.partnerApi);
    const partner = await administerPartners.change(params.id, { ...changeOf(body), partnerApi: partnerApi?.edit });
    const partnerApiKeys = partnerApi?.keys() ?? null;
    const more = partnerApiKeys === null ? {} : { partnerApiKeys };
    return { status: 200, body: { status: "ok", data: shown(partner), ...more }, headers: NO_STORE };
  },
});
