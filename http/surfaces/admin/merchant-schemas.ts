import { type Static, Type } from "@sinclair/typebox";
import { Environment } from "../parts/schemas.ts";

const time = Type.String({ description: "ISO 8601 UTC." });

/** A merchant as administrators see it: without keys, and without what its services are set to. */
export const AdminMerchant = Type.Object(
  {
    merchantId: Type.String(),
    merchantName: Type.String(),
    partnerId: Type.Integer(),
    partnerName: Type.Union([Type.String(), Type.Null()], { description: "The username of its partner; null where that is deleted." }),
    environment: Environment,
    active: Type.Boolean({ description: "False once it is deactivated: its keys and sessions open nothing." }),
    services: Type.Array(Type.String(), { description: "The codes of the services that are enabled." }),
    createdAt: time,
    updatedAt: time,
  },
  { title: "AdminMerchant" },
);

export type MerchantJson = Static<typeof AdminMerchant>;
