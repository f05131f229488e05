import { PAYMENT_SERVICES } from "../../../engine/payments/command.ts";
import type { ReceivedCommand } from "./command.ts";
import type { Settings } from "./options.ts";
import { type Scenario, scenarioOf } from "./outcomes.ts";
import { commonMembers, paymentResult, type ResultBody } from "./payment-result.ts";
import { withSlip } from "./slip.ts";

/** The outcome of a command, decided before it starts. */
export interface Execution {
  outcome: string;
  takesMs: number;
  /** Bodies to post, in order; empty for no result. Built when the command is executed. */
  posts: (atMs: number) => string[];
  /** How long the posts are delayed. */
  postAfterMs: number;
}

/** Decides how a command ends: payments by their amount, scans by option or text, prints by text. See README.md. */
export function executionOf(command: ReceivedCommand, settings: Settings): Execution {
  if (command.text.includes("[no answer]")) return { ...answered("no answer", settings, () => ({})), posts: () => [] };
  if (PAYMENT_SERVICES.some((service) => service === command.service)) return payment(command, scenarioOf(command.amountCents), settings);
  switch (command.service) {
    case "SCAN":
      return scan(command, settings);
    case "PRINT":
      return print(command, settings);
    case "LOGCAT":
      return answered("log sent", settings, (atMs) => ({
        ...administrative(command, settings, atMs),
        result: "OK",
        lines: [`${new Date(atMs).toISOString()} I/SimulatedTerminal: running`],
      }));
    default:
      return answered("not supported", settings, (atMs) => ({
        ...administrative(command, settings, atMs),
        result: "KO",
        message: "SERVICE NOT SUPPORTED",
      }));
  }
}

/** The answer to a CANCEL. */
export function cancelAnswer(command: ReceivedCommand, settings: Settings, stopped: boolean, atMs: number): string {
  const message = stopped ? "CANCELLED" : "TOO LATE";
  return JSON.stringify({ ...administrative(command, settings, atMs), result: stopped ? "OK" : "KO", cancels: command.cancels, message });
}

function payment(command: ReceivedCommand, scenario: Scenario, settings: Settings): Execution {
  const { timing, posting } = scenario;
  return {
    outcome: scenario.name,
    takesMs: timing === "slow" ? settings.slowMs : settings.latencyMs,
    postAfterMs: timing === "late" ? settings.lateAfterMs : 0,
    posts: (atMs) => {
      if (timing === "never") return [];
      const result = paymentResult(command, scenario, settings, atMs);
      const posted = (changes: ResultBody = {}) => {
        const body = { ...result, ...changes };
        return JSON.stringify(settings.slips ? withSlip(body) : body);
      };
      switch (posting) {
        case "once":
          return [posted()];
        case "twice":
          return [posted(), posted()];
        case "twice_different":
          return [posted(), posted({ result: "KO", message: "DECLINED", actionCode: "100" })];
        case "other_amount":
          return [posted({ amount: command.amountCents - 1 })];
        case "unreadable":
          return [JSON.stringify({ ...result, result: "PENDING", message: "ASK THE BANK" })];
      }
    },
  };
}

function scan(command: ReceivedCommand, settings: Settings): Execution {
  const outcome = command.text.includes("[camera error]")
    ? "error"
    : command.text.includes("[customer cancels]")
      ? "cancelled"
      : settings.scanOutcome;
  const scanned = outcome === "ok";
  return answered(`scan ${outcome}`, settings, (atMs) => ({
    uuid: command.uuid,
    service: "SCAN",
    result: outcome.toUpperCase(),
    scannedValue: scanned ? settings.scanValue : null,
    barcodeFormat: scanned ? settings.scanFormat : null,
    ...commonMembers(settings, atMs),
  }));
}

function print(command: ReceivedCommand, settings: Settings): Execution {
  const outOfPaper = command.text.includes("[out of paper]");
  return answered(outOfPaper ? "out of paper" : "printed", settings, (atMs) => ({
    uuid: command.uuid,
    service: "PRINT",
    result: outOfPaper ? "KO" : "OK",
    errorDescription: outOfPaper ? "paper out" : null,
    ...commonMembers(settings, atMs),
  }));
}

function administrative({ uuid, service }: ReceivedCommand, settings: Settings, atMs: number): ResultBody {
  return { uuid, service, ...commonMembers(settings, atMs) };
}

function answered(outcome: string, { latencyMs }: Settings, body: (atMs: number) => ResultBody): Execution {
  return { outcome, takesMs: latencyMs, postAfterMs: 0, posts: (atMs) => [JSON.stringify(body(atMs))] };
}
