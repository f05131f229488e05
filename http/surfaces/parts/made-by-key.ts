import { type Static, Type } from "@sinclair/typebox";
import type { MadeByKey, MadeByKeyType } from "../../../engine/access/made-by-key.ts";
import { described } from "../../endpoint/described.ts";
import { isoOrNull } from "../../endpoint/time.ts";
import { words } from "./schemas.ts";

/**
 * The response of a key rotation lists these kinds of objects that the replaced secret key created.
 */

const TYPES = ["agent_credential", "webhook_endpoint"] as const satisfies readonly MadeByKeyType[];

export const MadeByKeyItem = Type.Object(
  {
    type: words(TYPES),
    id: Type.String(),
    mark: Type.String({ description: "The last four characters of the agent's token, or the host name of the endpoint." }),
    certain: Type.Boolean({
      description:
        "False if it was created before the relay recorded which key or user creates an object: somebody else may have created it.",
    }),
    ended: Type.Boolean({
      description:
        "Whether the rotation ended it: a credential is revoked, an endpoint disabled. Deliveries that a disabled endpoint did not receive can be sent again after it is enabled.",
    }),
    expiresAt: Type.Union([Type.String(), Type.Null()], {
      description: "ISO 8601 UTC; when it ends automatically, at most 90 days after the key. Null if it never ends automatically.",
    }),
    end: Type.Union([Type.String(), Type.Null()], {
      description:
        "The call that ends it, made with the new secret key of the same environment or by a user of the portal. Null if it has already ended.",
    }),
  },
  { title: "MadeByKey" },
);

export const MadeItems = described(
  Type.Array(MadeByKeyItem),
  "Objects that the replaced secret key created or changed, and that work without this key.",
);

const PATHS: Readonly<Record<MadeByKeyType, string>> = {
  agent_credential: "/api/merchant/agent-credentials",
  webhook_endpoint: "/api/merchant/webhooks",
};

export function madeItems(made: readonly MadeByKey[]): Static<typeof MadeByKeyItem>[] {
  return made.map(({ type, id, mark, isCertain, ended, expiresAtMs }) => ({
    ...{ type, id, mark, certain: isCertain, ended },
    expiresAt: isoOrNull(expiresAtMs),
    end: ended ? null : `DELETE ${PATHS[type]}/${id}`,
  }));
}

export const MADE_EXAMPLE = madeItems([
  {
    ...({ type: "webhook_endpoint", id: "we_1a2b3c4d5e6f7g8h9i0j1k2l", mark: "shop.example" } as const),
    ...{ isCertain: true, ended: false, expiresAtMs: null },
  },
]);
