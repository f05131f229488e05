import type { Clock } from "../../../engine/kernel/clock.ts";
import type { UseLink } from "../../../engine/links/use-link.ts";
import type { TerminalLogStore } from "../../../engine/operators/terminal-log-store.ts";
import type { CloudConfig } from "../../../engine/settings/cloud-config.ts";
import type { CommandLifeOperations, FindTransaction } from "../../../engine/terminals/find-transaction.ts";
import type { RecordResult } from "../../../engine/terminals/record-result.ts";
import type { SendPayment, SendUtility } from "../../../engine/terminals/send-payment.ts";
import type { Terminals } from "../../../engine/terminals/terminals.ts";
import { surface } from "../../endpoint/surface.ts";
import { relayEnvelope } from "../parts/relay-envelope.ts";
import type { LocalTime } from "../parts/time.ts";

export interface TerminalSettings {
  readonly version: number;
  readonly settings: CloudConfig["settings"];
}

/** What the terminal and partner endpoints use. */
export interface RelayOperations {
  sendPayment: SendPayment;
  sendUtility: SendUtility;
  recordResult: RecordResult;
  findTransaction: FindTransaction;
  commandLife: CommandLifeOperations;
  useLink: Pick<UseLink, "transactionOf" | "isDefaultTerminal">;
  terminals: Terminals;
  /** What an administrator gave the terminal to know; null where that is nothing. In memory: every poll asks. */
  terminalSettings(terminalId: string): TerminalSettings | null;
  logs: TerminalLogStore;
  localTime: LocalTime;
  clock: Clock;
}

export const relay = surface<RelayOperations>()({ name: "relay", tags: ["Payments"], envelope: relayEnvelope });
