import { type Static, Type } from "@sinclair/typebox";
import type { MadeByKey, MadeByKeyType } from "../../../engine/access/made-by-key.ts";
import { described } from "../../endpoint/described.ts";
import { isoOrNull } from "../../endpoint/time.ts";
import { words } from "./schemas.ts";

/** What a rotation of keys answers of the things that the replaced secret key made. */

const TYPES = ["agent_credential", "webhook_endpoint"] as const satisfies readonly MadeByKeyType[];

export const MadeByKeyItem = Type.Object(
  {
    type: words(TYPES),
    id: Type.String(),
    mark: Type.String({ description: "The last four characters of the agent's token, or the host of the endpoint." }),
    certain: Type.Boolean({
      description: "False for what was made before the relay kept which key, or who, made it: it may be somebody else's.",
    }),
    ended: Type.Boolean({
      description:
        "Whether the rotation has ended it: a credential is revoked, an endpoint disabled. What was not delivered to a disabled endpoint can be sent again once it is enabled.",
    }),
    expiresAt: Type.Union([Type.String(), Type.Null()], {
      description: "ISO 8601 UTC; when it ends by itself, at most 90 days after the key. Null: never.",
    }),
    end: Type.Union([Type.String(), Type.Null()], {
      description:
        "The call that ends it, with the new secret key of the same environment, or as a user of the portal. Null: it has ended.",
    }),
  },
  { title: "MadeByKey" },
);

export const MadeItems = described(Type.Array(MadeByKeyItem), "What the replaced secret key made, or changed, and that works without it.");

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
