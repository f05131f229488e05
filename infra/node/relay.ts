import type { CloudConfig } from "../../engine/domain/cloud-config.ts";
import { createCommandLife } from "../../engine/operations/command-life.ts";
import { createFindTransaction } from "../../engine/operations/find-transaction.ts";
import { createRecordResult } from "../../engine/operations/record-result.ts";
import { createSendPayment } from "../../engine/operations/send-payment.ts";
import { createSendUtility } from "../../engine/operations/send-utility.ts";
import type { Bus } from "../../engine/ports/bus.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Ids } from "../../engine/ports/ids.ts";
import { createLocalTime } from "../../http/surfaces/local-time.ts";
import type { RelayOperations } from "../../http/surfaces/relay/surface.ts";
import type { Kv } from "../../storage/kv/kv.ts";
import { createTerminalLogStore } from "../../storage/stores/terminal-log-store.ts";
import type { Config } from "./config.ts";
import type { NodeProtocol } from "./node-protocol.ts";
import { MAIN } from "./shard-boot.ts";
import type { ComposedTerminals } from "./terminals.ts";

/** How long the main thread has for a page of the list of transactions, which ClickHouse may have to be asked for. */
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
  /** What is configured for a terminal; undefined where nothing is. */
  configOf(terminalId: string): CloudConfig | undefined;
}

/** What terminals and partners do: commands, results and lookups. */
export function composeRelay({ config, kv, bus, clock, ids, writer, terminals: composed, configOf }: RelayParts): RelayOperations {
  const { terminals, lookups } = composed;
  return {
    sendPayment: createSendPayment({ terminals, clock, ids, configuredFamily: (terminalId) => configOf(terminalId)?.family ?? null }),
    sendUtility: createSendUtility({ terminals, clock, ids }),
    recordResult: createRecordResult({ terminals }),
    findTransaction: createFindTransaction({
      terminals: { ...terminals, ...lookups },
      list: { page: (query) => bus.ask(MAIN, "node.transactions", query, PAGE_TIMEOUT_MS) },
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
