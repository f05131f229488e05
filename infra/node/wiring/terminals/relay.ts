import type { Bus } from "../../../../engine/kernel/bus.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Ids } from "../../../../engine/kernel/ids.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import { createTerminalLogStore } from "../../../../engine/operators/terminal-log-store.ts";
import type { CloudConfig } from "../../../../engine/settings/cloud-config.ts";
import { createCommandLife, createFindTransaction, type WaitPlaces } from "../../../../engine/terminals/find-transaction.ts";
import { createRecordResult } from "../../../../engine/terminals/record-result.ts";
import { createSendPayment, createSendUtility } from "../../../../engine/terminals/send-payment.ts";
import { createLocalTime } from "../../../../http/surfaces/parts/time.ts";
import type { RelayOperations } from "../../../../http/surfaces/relay/surface.ts";
import type { Config } from "../../boot/config.ts";
import type { NodeProtocol } from "../../boot/node-protocol.ts";
import { MAIN } from "../../boot/shard-boot.ts";
import type { ComposedTerminals } from "./terminals.ts";

/**
 * The time limit of the main thread for a page of the list of transactions, which may need
 * ClickHouse.
 */
const PAGE_TIMEOUT_MS = 8_000;

export interface RelayParts {
  config: Config;
  kv: Kv;
  bus: Bus<NodeProtocol>;
  clock: Clock;
  ids: Ids;
  /** Unique among all writers. */
  writer: string;
  terminals: Pick<ComposedTerminals, "terminals" | "lookups">;
  waits: WaitPlaces;
  /** Returns the configuration of a terminal, or undefined. */
  configOf(terminalId: string): CloudConfig | undefined;
}

/** The operations of terminals and partners: commands, results and lookups. */
export function composeRelay({
  config,
  kv,
  bus,
  clock,
  ids,
  writer,
  terminals: composed,
  waits,
  configOf,
}: RelayParts): Omit<RelayOperations, "useLink"> {
  const { terminals, lookups } = composed;
  return {
    sendPayment: createSendPayment({ terminals, clock, ids, configured: configOf }),
    sendUtility: createSendUtility({ terminals, clock, ids }),
    recordResult: createRecordResult({ terminals }),
    findTransaction: createFindTransaction({
      terminals: { ...terminals, ...lookups },
      waits,
      list: { page: (query, gone) => bus.request(MAIN, "node.transactions", query, PAGE_TIMEOUT_MS, gone) },
    }),
    commandLife: createCommandLife({ terminals, ids }),
    terminals,
    terminalSettings: (terminalId) => {
      const config = configOf(terminalId);
      if (config === undefined || Object.keys(config.settings).length === 0) return null;
      return { version: config.updatedAtMs, settings: config.settings };
    },
    logs: createTerminalLogStore(kv, writer),
    localTime: createLocalTime(config.timeZone),
    clock,
  };
}
