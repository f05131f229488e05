import { type Static, Type } from "@sinclair/typebox";
import { described } from "../../../endpoint/described.ts";
import { MadeItems } from "../../parts/made-by-key.ts";
import { Environment, KeysReason, ServiceMode, ServiceWord } from "../../parts/schemas.ts";
import { ServiceMembers } from "../../parts/service-configuration.ts";
import { nullable, time } from "../schema-parts.ts";

const REASON =
  "`leaked`: somebody else knows the former keys, so what the secret key made ends with it (agents' credentials, webhook endpoints). `routine`, the default: what it made goes on.";

const OF_ENVIRONMENT = "Whose keys are made. Default: the environment that the merchant is in.";

/** The JSON of payment methods and of a merchant's keys: endpoints declare it, the portal's pages take their types from it. */

/** GET /payment-methods (only what the partner permits), and the answer of every change. */
export const PaymentMethod = Type.Object(
  {
    service: ServiceWord,
    description: Type.String(),
    enabled: Type.Boolean(),
    configured: Type.Boolean(),
    mode: nullable(ServiceMode),
    members: ServiceMembers,
    values: Type.Record(Type.String(), Type.String(), {
      description: "What is stored, by name, without `mode`. Secrets are shown as a mask, long ones with their last four characters.",
    }),
    updatedAt: nullable(time("when it was configured; null until then.")),
  },
  { title: "PaymentMethod" },
);
export const PaymentMethods = Type.Object({ items: Type.Array(PaymentMethod) }, { title: "PaymentMethods" });

/** Keys that the merchant's partner asked for, and that wait for an owner. */
export const PendingKeys = Type.Object(
  {
    publishableKey: Type.String(),
    secretKeyPrefix: Type.String({ description: "The beginning of the secret key." }),
    createdAt: time("when the partner asked for them."),
    appliesAt: time("when they replace the present pair, if no owner confirms or refuses them before."),
  },
  { title: "PortalPendingKeys" },
);

const keysOfEnvironment = {
  publishableKey: nullable(Type.String({ description: "Whole: it is public." })),
  secretKeyPrefix: nullable(Type.String({ description: "The beginning of the secret key, which itself is not stored." })),
  createdAt: nullable(time("when this pair was made.")),
  environment: Environment,
  exists: Type.Boolean({ description: "Whether there is a pair for this environment; POST /keys makes the first one." }),
  pending: Type.Union([PendingKeys, Type.Null()], { description: "Keys that wait for an owner; null for none." }),
};
/** GET /keys. Null for a pair of before the relay kept what it may show of it. */
export const Keys = Type.Object(
  {
    ...keysOfEnvironment,
    other: Type.Object(keysOfEnvironment, {
      title: "PortalOtherKeys",
      description: "Those of the environment that the merchant is not in.",
    }),
  },
  { title: "PortalKeys", description: "The keys of the environment that the merchant is in." },
);
/** POST /keys/pending/confirm: which keys the owner has looked at. */
export const ConfirmKeys = Type.Object(
  { publishableKey: Type.String({ minLength: 1, maxLength: 256, description: "That of the keys that wait." }) },
  { title: "PortalKeysConfirmation" },
);
/** The answer of POST /keys/pending/confirm. */
export const ConfirmedKeys = Type.Object({ ...Keys.properties, made: MadeItems }, { title: "PortalConfirmedKeys" });
/** POST /keys. */
export const ReplaceKeys = Type.Object(
  {
    reason: Type.Optional(described(KeysReason, REASON)),
    environment: Type.Optional(described(Environment, OF_ENVIRONMENT)),
  },
  { title: "PortalKeysRequest" },
);
/** POST /keys: a new pair, shown once; the former one ends at once. */
export const NewKeys = Type.Object(
  {
    publishableKey: Type.String(),
    secretKey: Type.String(),
    environment: Environment,
    createdAt: time("when this pair was made."),
    made: MadeItems,
  },
  { title: "PortalNewKeys" },
);

export type PaymentMethodJson = Static<typeof PaymentMethod>;
export type EnvironmentKeysJson = KeysJson["other"];
export type KeysJson = Static<typeof Keys>;
export type NewKeysJson = Static<typeof NewKeys>;
