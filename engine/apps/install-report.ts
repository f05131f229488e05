import { cutText } from "../kernel/cut-text.ts";
import { isTerminalId } from "../kernel/identifiers.ts";
import { isJsonObject, type JsonObject } from "../payments/payment-request.ts";
import { VERSION_CODE_MAX } from "./app-version.ts";
import type { InstallLog } from "./install-log.ts";

/** What a report says, as far as it can be read. Null: it does not say it, in no form that is known, or contradicts itself. */
export interface InstallFacts {
  terminalId: string | null;
  versionCode: number | null;
  status: Status | null;
}

type Status = NonNullable<InstallLog["status"]>;

/** Names are compared without capitals and separators: `terminalID`, `terminal_id` and `terminalId` are one. */
const TERMINAL_NAMES = ["terminalid", "tid", "terminal"];
const VERSION_NAMES = ["versioncode", "appversioncode", "installedversioncode", "newversioncode", "targetversioncode"];
/** Read where none of the above is there; often a version's name, which is no integer. */
const VERSION_NAMES_LAST = ["version", "appversion"];
/** Each that is there has to be understood. */
const STATUS_NAMES = ["status", "result", "outcome", "state", "installstatus", "installresult", "updatestatus"];
/** Read where none of the above is there; often says only that this is a report. */
const STATUS_NAMES_LAST = ["event"];
const SUCCESS_FLAGS = ["success", "successful", "succeeded", "installed", "ok"];
const FAILURE_FLAGS = ["failed", "failure"];

/** Members with the reason of a failure, the most readable first. */
const REASON_NAMES = [
  "message",
  "errormessage",
  "reason",
  "failurereason",
  "errordescription",
  "error",
  "cause",
  "detail",
  "statusmessage",
];
/** Read where none of the above is there. */
const REASON_NAMES_LAST = ["errorcode", "code", ...STATUS_NAMES];
const REASON_LENGTH_MAX = 120;

/** Objects that a report may be wrapped in; nobody wraps twice. */
const WRAPPERS = ["data", "payload", "body", "report", "result", "details", "install", "installation", "update"];

const COMPLETED = new Set([
  "COMPLETED",
  "COMPLETE",
  "SUCCESS",
  "SUCCESSFUL",
  "SUCCEEDED",
  "INSTALLED",
  "UPDATED",
  "DONE",
  "FINISHED",
  "OK",
]);
const FAILED = new Set(["KO", "ABORTED", "REJECTED"]);
/** Also as a part: Android says `INSTALL_FAILED_INSUFFICIENT_STORAGE` and `STATUS_FAILURE_BLOCKED`. */
const FAILED_PART = /(?:^|_)(?:FAILED|FAILURE|FAIL|ERROR)(?:_|$)/;
const NEGATED = /^(?:NO|NOT|NON)_/;
const PREFIX = /^(?:INSTALL|INSTALLATION|UPDATE|STATUS)_/;

/** A word is not longer. */
const WORD_LENGTH_MAX = 100;

/** Reads a report of an install, which is free-form. Nothing is guessed: a report that is misunderstood would count against a version. */
export function readInstallReport(report: JsonObject): InstallFacts {
  const members = membersOf(report);
  const value = (names: readonly string[]) => names.flatMap((name) => members.get(name) ?? []);
  const codes = value(VERSION_NAMES);
  return {
    terminalId: agreed(value(TERMINAL_NAMES).map(terminalIdIn)),
    versionCode: agreed((codes.length > 0 ? codes : value(VERSION_NAMES_LAST)).map(versionCodeIn)),
    status: agreed(statuses(value)),
  };
}

/** Why an install failed, in the words of the report; null if it gives no reason. Card numbers are to be masked before. */
export function failureReason(report: JsonObject): string | null {
  const members = membersOf(report);
  for (const name of [...REASON_NAMES, ...REASON_NAMES_LAST]) {
    const [value] = members.get(name) ?? [];
    const words = typeof value === "string" || typeof value === "number" ? String(value).trim().replaceAll(/\s+/g, " ") : "";
    // A word for a failure alone is no reason.
    if (words !== "" && !/^(?:FAILED|FAILURE|FAIL|ERROR|KO)$/i.test(words)) return cutText(words, REASON_LENGTH_MAX);
  }
  return null;
}

/** By compared name, those of the report and of what it is wrapped in; null and objects are no values. */
function membersOf(report: JsonObject): Map<string, unknown[]> {
  const members = new Map<string, unknown[]>();
  const take = (object: JsonObject) => {
    for (const [name, value] of Object.entries(object)) {
      if (value === null || typeof value === "object") continue;
      const known = members.get(compared(name));
      if (known === undefined) members.set(compared(name), [value]);
      else known.push(value);
    }
  };
  take(report);
  for (const [name, value] of Object.entries(report)) if (isJsonObject(value) && WRAPPERS.includes(compared(name))) take(value);
  return members;
}

function compared(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** The value that all say; null where one cannot be read, or two differ. */
function agreed<T>(values: readonly (T | null)[]): T | null {
  const [first = null] = values;
  return values.every((value) => value === first) ? first : null;
}

function terminalIdIn(value: unknown): string | null {
  const text = String(value).trim();
  return isTerminalId(text) ? text : null;
}

function versionCodeIn(value: unknown): number | null {
  const text = String(value).trim();
  const code = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return code >= 1 && code <= VERSION_CODE_MAX ? code : null;
}

function statuses(value: (names: readonly string[]) => unknown[]): (Status | null)[] {
  const flags = [
    ...value(SUCCESS_FLAGS).flatMap((flag) => statusOfFlag(flag, true)),
    ...value(FAILURE_FLAGS).flatMap((flag) => statusOfFlag(flag, false)),
  ];
  const said = [...value(STATUS_NAMES).map(statusOfWord), ...flags];
  return said.length > 0 ? said : value(STATUS_NAMES_LAST).map(statusOfWord);
}

/** Empty for what is no yes or no: `installed` may also be a time. */
function statusOfFlag(flag: unknown, whenTrue: boolean): Status[] {
  const text = String(flag).trim().toLowerCase();
  const isTrue = text === "true" || text === "1";
  if (!isTrue && text !== "false" && text !== "0") return [];
  return [isTrue === whenTrue ? "completed" : "failed"];
}

function statusOfWord(value: unknown): Status | null {
  if (typeof value === "boolean") return value ? "completed" : "failed";
  if (typeof value !== "string" || value.length > WORD_LENGTH_MAX) return null;
  const word = value
    .trim()
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "_");
  if (NEGATED.test(word)) return null;
  if (COMPLETED.has(word.replace(PREFIX, ""))) return "completed";
  return FAILED.has(word.replace(PREFIX, "")) || FAILED_PART.test(word) ? "failed" : null;
}
