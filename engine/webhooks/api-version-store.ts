import { available, type Kv } from "../kernel/kv.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { ApiVersions } from "./api-versions.ts";

const API_VERSIONS = "api-version/";

interface PinnedVersion {
  readonly schema: 1;
  readonly version: string;
}

/** Pinned versions on the key-value store: `api-version/<merchant>`. Rejects with RelayError `unavailable` when the store cannot answer. */
export function createApiVersions(kv: Kv): ApiVersions {
  async function versionOf(merchantId: string): Promise<string | null> {
    const key = API_VERSIONS + merchantId;
    const entry = await available(() => kv.get(key));
    return entry === null ? null : readRecord<PinnedVersion>("apiVersion", key, entry.value).version;
  }

  return {
    versionOf,
    pin: async (merchantId, version) => {
      const pinned = await versionOf(merchantId);
      if (pinned !== null) return pinned;
      const key = API_VERSIONS + merchantId;
      const put = { type: "put", key, value: recordText("apiVersion", { version }) } as const;
      const { type } = await available(() => kv.commit({ checks: [{ key, version: 0 }], operations: [put] }));
      return type === "committed" ? version : ((await versionOf(merchantId)) ?? version);
    },
  };
}
