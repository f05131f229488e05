import { RelayError } from "../kernel/errors.ts";
import type { recordOperations } from "../tables/record-store.ts";

/** What a secret key of a merchant can make that works without that key. */
export type MadeByKeyType = "agent_credential" | "webhook_endpoint";

/**
 * The entry by which a key was found, as it stood then. A rotation because of a leak changes it: a
 * commit that checks it makes nothing in the name of a key that has ended meanwhile.
 */
export interface KeyProof {
  readonly key: string;
  readonly version: number;
}

/** Who makes something with a key, or with none. */
export interface WithKey {
  readonly keyId: string;
  readonly proof?: KeyProof;
}

/** The refusal where a proof holds no longer. */
export function keyEnded(): RelayError {
  return new RelayError("unauthorized", "This API key was replaced by a new one", { detail: "api_key_expired" });
}

/** One of the things that a secret key has made. */
export interface MadeByKey {
  readonly type: MadeByKeyType;
  readonly id: string;
  /** The last characters of a token, or the host of an address: what their maker wrote is not shown. */
  readonly mark: string;
  /** False for one from before the relay kept which key, or who, made it. */
  readonly isCertain: boolean;
  /** Whether the rotation has ended it. */
  readonly ended: boolean;
  /** When it ends by itself; null: never. */
  readonly expiresAtMs: number | null;
}

/** A secret key that a rotation ends. */
export interface RotatedKey {
  readonly merchantId: string;
  readonly livemode: boolean;
  /** `MerchantGrant.keyId`. */
  readonly keyId: string;
  /** Whether somebody else knows it: then all that it made ends with it. */
  readonly leaked: boolean;
  readonly atMs: number;
}

/** What a key has made, and what ends it, for the commit of the rotation. */
export interface ThingsOfKey {
  readonly items: readonly MadeByKey[];
  /** Where something ends: nothing is made, or changed, between the look and the commit. */
  readonly checks: readonly KeyProof[];
  readonly operations: Readonly<ReturnType<typeof recordOperations>>;
  /** To be called once it is stored. Never throws. */
  committed(): void;
}

export type LookAtKey = (key: RotatedKey) => Promise<ThingsOfKey>;

/** Of several kinds together. */
export function lookAtAll(looks: readonly LookAtKey[]): LookAtKey {
  return async (key) => {
    const found = await Promise.all(looks.map((look) => look(key)));
    return {
      items: found.flatMap(({ items }) => items),
      checks: found.flatMap(({ checks }) => checks),
      operations: found.flatMap(({ operations }) => operations),
      committed: () => {
        for (const { committed } of found) committed();
      },
    };
  };
}
