import type { CloudConfig } from "../../../engine/domain/cloud-config.ts";
import type { CommandLifeOperations } from "../../../engine/operations/command-life.ts";
import type { FindTransaction } from "../../../engine/operations/find-transaction.ts";
import type { RecordResult } from "../../../engine/operations/record-result.ts";
import type { SendPayment } from "../../../engine/operations/send-payment.ts";
import type { SendUtility } from "../../../engine/operations/send-utility.ts";
import type { Clock } from "../../../engine/ports/clock.ts";
import type { TerminalLogStore } from "../../../engine/ports/terminal-log-store.ts";
import type { Terminals } from "../../../engine/ports/terminals.ts";
import { surface } from "../../endpoint/surface.ts";
import type { LocalTime } from "../local-time.ts";
import { relayEnvelope } from "../relay-envelope.ts";

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
  terminals: Terminals;
  /** What an administrator gave the terminal to know; null where that is nothing. In memory: every poll asks. */
  terminalSettings(terminalId: string): TerminalSettings | null;
  logs: TerminalLogStore;
  localTime: LocalTime;
  clock: Clock;
}

export const relay = surface<RelayOperations>()({ name: "relay", tags: ["Terminals and partners"], envelope: relayEnvelope });
