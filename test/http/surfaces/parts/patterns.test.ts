import assert from "node:assert/strict";
import { test } from "node:test";
import { Value } from "@sinclair/typebox/value";
import { emailOf } from "../../../../engine/accounts/account.ts";
import { isMailAddress } from "../../../../engine/mails/mail-address.ts";
import { VERSION_PATTERN, versionIn } from "../../../../http/surfaces/compat/versions.ts";
import { CustomerEmail, PersonEmail } from "../../../../http/surfaces/parts/schemas.ts";
import { DAY, FIRST_DAY, LAST_DAY } from "../../../../http/surfaces/parts/time.ts";

const ADDRESSES = [
  ...[
    "anna@example.com",
    " Anna@Example.COM ",
    "a+b%c@sub.example.com",
    "a`b@example.com",
    "0".repeat(64),
    "a@b",
    "a@-b.com",
    "a b@example.com",
  ],
  ...[
    "@example.com",
    "anna@",
    "a@b..com",
    `${"x".repeat(65)}@example.com`,
    "a\r\nTo: b@example.com",
    "anna@example.com, b@example.com",
    "\u00e4@example.com",
  ],
];

test("reads addresses with the patterns of the document", () => {
  for (const address of ADDRESSES) {
    assert.equal(Value.Check(PersonEmail, address), emailOf(address) !== null, address);
    assert.equal(Value.Check(CustomerEmail, address), isMailAddress(address), address);
  }
});

test("accepts a day of a query only within the calendar of ClickHouse", () => {
  const pattern = new RegExp(DAY.pattern);
  for (const day of [FIRST_DAY, LAST_DAY, "2026-11-26", "2024-02-29"]) assert.match(day, pattern);
  for (const day of ["0000-00-00", "1969-12-31", "2149-01-01", "2026-13-01", "2026-00-10", "2026-01-32", "2026-1-1"])
    assert.doesNotMatch(day, pattern);
});

test("rejects a version in the document if its reader rejects it", () => {
  const pattern = new RegExp(VERSION_PATTERN);
  for (const version of [
    "2026-10-28.endive",
    "2020-08-27",
    "2026-10-28.endive; feature=v1; other_one=v2",
    "0",
    "2026",
    "2026-10-28.endive;",
    "latest",
  ]) {
    assert.equal(pattern.test(version), versionIn(version) !== null, version);
  }
});
