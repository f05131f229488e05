import assert from "node:assert/strict";
import { test } from "node:test";
import { failureReason, readInstallReport } from "../../../engine/apps/install-report.ts";
import type { JsonObject } from "../../../engine/payments/payment-request.ts";

const GOOD = { terminalId: "T1", versionCode: 31 };

test("the end of an install is read in the words that are usual", () => {
  const CASES: [members: object, status: "completed" | "failed" | null][] = [
    [{ status: "completed" }, "completed"],
    [{ status: "SUCCESS" }, "completed"],
    [{ status: " Success " }, "completed"],
    [{ success: true }, "completed"],
    [{ success: "true" }, "completed"],
    [{ success: 1 }, "completed"],
    [{ success: false }, "failed"],
    [{ failed: true }, "failed"],
    [{ result: "OK" }, "completed"],
    [{ result: "KO" }, "failed"],
    [{ outcome: "installed" }, "completed"],
    [{ install_status: "STATUS_SUCCESS" }, "completed"],
    [{ status: "INSTALL_FAILED_INSUFFICIENT_STORAGE" }, "failed"],
    [{ status: "install failed" }, "failed"],
    [{ state: "error" }, "failed"],
    [{ status: "STATUS_FAILURE_BLOCKED" }, "failed"],
    [{ event: "install-completed" }, "completed"],
    [{ event: "app_install", status: "failed" }, "failed"],
    [{ status: "COMPLETED", success: true, installed: "2026-11-21" }, "completed"],
    [{ data: { result: "success" } }, "completed"],
    [{ result: { success: false } }, "failed"],
    [{ status: "completed", success: false }, null],
    [{ status: "completed", data: { status: "failed" } }, null],
    [{ status: "completed", state: "downloading" }, null],
    [{ status: "started" }, null],
    [{ status: "NOT_INSTALLED" }, null],
    [{ status: "no error" }, null],
    [{ status: 0 }, null],
    [{ status: null }, null],
    [{ success: "perhaps" }, null],
    [{ message: "failed" }, null],
    [{}, null],
  ];
  for (const [members, status] of CASES) {
    assert.deepEqual(readInstallReport({ ...GOOD, ...members }), { ...GOOD, status }, JSON.stringify(members));
  }
});

test("terminal and version are read in the forms that are usual, and not guessed", () => {
  const CASES: [report: { [member: string]: unknown }, terminalId: string | null, versionCode: number | null][] = [
    [{ terminalID: "T1", versionCode: "31" }, "T1", 31],
    [{ terminal_id: " T1 ", version_code: 31 }, "T1", 31],
    [{ TerminalId: 12345678, VersionCode: " 31 " }, "12345678", 31],
    [{ payload: { tid: "T1", appVersionCode: 31 } }, "T1", 31],
    [{ terminalId: "T1", version: "2.4.1", versionCode: 31 }, "T1", 31],
    [{ terminalId: "T1", version: "31" }, "T1", 31],
    [{ terminalId: "T1", version: "2.4.1" }, "T1", null],
    [{ terminalId: "T1", data: { terminalId: "T2" }, versionCode: 31 }, null, 31],
    [{ terminalId: "T1", versionCode: 31, version_code: "32" }, "T1", null],
    [{ terminalId: "a/b", versionCode: 0 }, null, null],
    [{ terminalId: "commands", versionCode: 31.5 }, null, null],
    [{ terminalId: {}, versionCode: "9999999999" }, null, null],
    [{ terminalId: ["T1"], versionCode: true }, null, null],
    [{}, null, null],
  ];
  for (const [report, terminalId, versionCode] of CASES) {
    assert.deepEqual(readInstallReport(report), { terminalId, versionCode, status: null }, JSON.stringify(report));
  }
});

test("a report as deep and as broad as may be sent is read at once", () => {
  let deep: { [member: string]: unknown } = { status: "failed" };
  for (let level = 0; level < 2_000; level += 1) deep = { data: deep };
  assert.deepEqual(readInstallReport(deep), { terminalId: null, versionCode: null, status: null });
  assert.equal(readInstallReport({ status: "_".repeat(16_000) }).status, null);
});

test("the reason of a failure is read from the member that says most", () => {
  const CASES: [report: JsonObject, reason: string | null][] = [
    [{ status: "failed", message: " no  space\nleft ", errorCode: 4 }, "no space left"],
    [{ status: "failed", error: "INSTALL_FAILED_VERSION_DOWNGRADE" }, "INSTALL_FAILED_VERSION_DOWNGRADE"],
    [{ status: "INSTALL_FAILED_INSUFFICIENT_STORAGE" }, "INSTALL_FAILED_INSUFFICIENT_STORAGE"],
    [{ status: "failed", error_code: 13 }, "13"],
    [{ result: { success: false, reason: "signature" } }, "signature"],
    [{ status: "FAILED" }, null],
    [{ status: "failed", message: null }, null],
    [{}, null],
    [{ message: "x".repeat(500) }, "x".repeat(120)],
  ];
  for (const [report, reason] of CASES) assert.equal(failureReason(report), reason, JSON.stringify(report));
});
