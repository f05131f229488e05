import { available, type Kv, type Operation } from "../kernel/kv.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { ApiVersions } from "./api-versions.ts";

const API_VERSIONS = "api-version/";

interface ChosenVersion {
  readonly schema: 1;
  readonly version: string;
}

/**
 * Stores merchants' default versions under `api-version/<merchant>`. Rejects with RelayError
 * `unavailable` when the store cannot answer.
 */
export function createApiVersions(kv: Kv): ApiVersions {
  return {
    versionOf: async (merchantId) => {
      const key = API_VERSIONS + merchantId;
      const entry = await available(() => kv.get(key));
      return entry === null ? null : readRecord<ChosenVersion>("apiVersion", key, entry.value).version;
    },
    choose: async (merchantId, version) => {
      const key = API_VERSIONS + merchantId;
      const operation: Operation =
        version === null ? { type: "delete", key } : { type: "put", key, value: recordText("apiVersion", { version }) };
      await available(() => kv.commit({ checks: [], operations: [operation] }));
    },
  };
}
