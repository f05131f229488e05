import { available, type Kv, type Operation, prefixRange } from "../kernel/kv.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { type AttentionItem, attentionKey, attentionOperation } from "../payments/attention.ts";
import type { ZvtRouteRecord } from "./route-record.ts";

/** `historyLost`: the store has lost acknowledged commits since this was written, so that its next number may have been used. */
export interface LoadedRoute extends Stored<ZvtRouteRecord> {
  historyLost: boolean;
}

export interface ZvtRouteChange {
  routeId: string;
  record: ZvtRouteRecord;
  /** Of what it replaces; 0: there is none. */
  version: number;
  attention?: readonly AttentionItem[];
  /** Items that no longer need anyone's attention. */
  settled?: readonly Pick<AttentionItem, "kind" | "terminalId" | "uuid">[];
}

/** What is kept of routes. Every method rejects with RelayError `unavailable` when the store cannot answer; it is then not known whether a commit happened. */
export interface ZvtRouteStore {
  load(routeId: string): Promise<LoadedRoute | null>;
  /** False where another version stands: load and decide again. */
  commit(change: ZvtRouteChange): Promise<boolean>;
  /** All of them, also those of routes that are no longer configured; at most 1,024. */
  all(): Promise<{ routeId: string; record: ZvtRouteRecord }[]>;
}

const ROUTES = "zvt-route/";

/** Four times what may be configured at once. */
const ROUTES_READ_MAX = 1_024;

/** Routes on the key-value store: `zvt-route/<id>`. */
export function createZvtRouteStore({ kv, lostVersion = () => 0 }: { kv: Kv; lostVersion?(): number }): ZvtRouteStore {
  return {
    load: (routeId) =>
      available(async () => {
        const entry = await kv.get(ROUTES + routeId);
        if (entry === null) return null;
        const { value, version } = entry;
        return { record: readRecord<ZvtRouteRecord>("zvtRoute", "a route", value), version, historyLost: version <= lostVersion() };
      }),
    commit: ({ routeId, record, version, attention = [], settled = [] }) =>
      available(async () => {
        const key = ROUTES + routeId;
        const operations: Operation[] = [
          { type: "put", key, value: recordText("zvtRoute", record) },
          ...attention.map(attentionOperation),
          ...settled.map(({ kind, terminalId, uuid }) => ({ type: "delete", key: attentionKey(kind, terminalId, uuid ?? "") }) as const),
        ];
        const { type } = await kv.commit({ checks: [{ key, version }], operations });
        return type === "committed";
      }),
    all: () =>
      available(async () => {
        const entries = await kv.scan({ ...prefixRange(ROUTES), limit: ROUTES_READ_MAX });
        return entries.map(({ key, value }) => ({
          routeId: key.slice(ROUTES.length),
          record: readRecord<ZvtRouteRecord>("zvtRoute", key, value),
        }));
      }),
  };
}
