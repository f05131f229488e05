import { type Static, Type } from "@sinclair/typebox";
import { described } from "../../../endpoint/described.ts";
import { MadeItems } from "../../parts/made-by-key.ts";
import { Environment, KeysReason, ServiceMode, ServiceWord } from "../../parts/schemas.ts";
import { ServiceMembers } from "../../parts/service-configuration.ts";
import { nullable, time } from "../schema-parts.ts";

const REASON =
  "`leaked`: somebody else knows the previous keys, so the relay also ends what the secret key created (agents' credentials, webhook endpoints). `routine`, the default: what it created stays.";

const OF_ENVIRONMENT = "The environment of the new keys. Default: the merchant's current environment.";

/**
 * The JSON of payment methods and of a merchant's keys. Endpoints declare it, and the portal's
 * pages take their types from it.
 */

/**
 * GET /payment-methods, which lists only what the partner permits, and the response of every
 * change.
 */
export const PaymentMethod = Type.Object(
  {
    service: ServiceWord,
    description: Type.String(),
    enabled: Type.Boolean(),
    configured: Type.Boolean(),
    mode: nullable(ServiceMode),
    members: ServiceMembers,
    values: Type.Record(Type.String(), Type.String(), {
      description:
        "The stored configuration by member name, without `mode`. Secrets are shown as a mask, long ones with their last four characters.",
    }),
    updatedAt: nullable(time("when the method was configured; null until then.")),
  },
  { title: "PaymentMethod" },
);
export const PaymentMethods = Type.Object({ items: Type.Array(PaymentMethod) }, { title: "PaymentMethods" });

/** Keys that the merchant's partner requested and that wait for an owner's confirmation. */
export const PendingKeys = Type.Object(
  {
    publishableKey: Type.String(),
    secretKeyPrefix: Type.String({ description: "The beginning of the pending secret key." }),
    createdAt: time("when the partner requested the keys."),
    appliesAt: time("when the pending keys replace the current pair, if no owner confirms or rejects them before."),
  },
  { title: "PortalPendingKeys" },
);

const keysOfEnvironment = {
  publishableKey: nullable(Type.String({ description: "The complete publishable key: it is public." })),
  secretKeyPrefix: nullable(Type.String({ description: "The beginning of the secret key; the relay does not store the key itself." })),
  createdAt: nullable(time("when this pair was created.")),
  environment: Environment,
  exists: Type.Boolean({ description: "Whether there is a pair for this environment; POST /keys creates the first one." }),
  pending: Type.Union([PendingKeys, Type.Null()], { description: "Keys that wait for an owner's confirmation; null if there are none." }),
};
/**
 * GET /keys. Members are null for an older pair, of which the relay stored no part that it may
 * show.
 */
export const Keys = Type.Object(
  {
    ...keysOfEnvironment,
    other: Type.Object(keysOfEnvironment, {
      title: "PortalOtherKeys",
      description: "The keys of the merchant's other environment.",
    }),
  },
  { title: "PortalKeys", description: "The keys of the merchant's current environment." },
);
/** POST /keys/pending/confirm. The body names the keys that the owner has reviewed. */
export const ConfirmKeys = Type.Object(
  { publishableKey: Type.String({ minLength: 1, maxLength: 256, description: "Id of the pending keys." }) },
  { title: "PortalKeysConfirmation" },
);
/** The response of POST /keys/pending/confirm. */
export const ConfirmedKeys = Type.Object({ ...Keys.properties, made: MadeItems }, { title: "PortalConfirmedKeys" });
/** POST /keys. */
export const ReplaceKeys = Type.Object(
  {
    reason: Type.Optional(described(KeysReason, REASON)),
    environment: Type.Optional(described(Environment, OF_ENVIRONMENT)),
  },
  { title: "PortalKeysRequest" },
);
/** The response of POST /keys: a new pair, shown once. The previous pair ends at once. */
export const NewKeys = Type.Object(
  {
    publishableKey: Type.String(),
    secretKey: Type.String(),
    environment: Environment,
    createdAt: time("when this pair was created."),
    made: MadeItems,
  },
  { title: "PortalNewKeys" },
);

export type PaymentMethodJson = Static<typeof PaymentMethod>;
export type EnvironmentKeysJson = KeysJson["other"];
export type KeysJson = Static<typeof Keys>;
export type NewKeysJson = Static<typeof NewKeys>;
