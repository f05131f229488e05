import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AuditEntry } from "../../../../../engine/operators/audit-entry.ts";
import type { SignInEvent } from "../../../../../http/surfaces/merchant/sign-in/surface.ts";
import { createSignInAudit } from "../../../../../infra/node/wiring/access/sign-in-audit.ts";
import { ManualClock, settle } from "../../../../engine/world.ts";

function world(fails = false) {
  const clock = new ManualClock();
  const entries: AuditEntry[] = [];
  const failures: unknown[] = [];
  const record = async (entry: AuditEntry) => {
    if (fails) throw new Error("the store is away");
    entries.push(entry);
    return "id";
  };
  const audited = createSignInAudit({ audit: { record }, clock, failed: (_, error) => void failures.push(error) });
  return { clock, entries, failures, audited };
}

function refused(email = "anna@example.com", merchantIds = ["SHOP-001"]): SignInEvent {
  const outcome = { type: "refused", code: "invalid_login" } as const;
  return { account: { email, merchantIds }, way: "password", outcome, ipAddress: "192.0.2.1", requestId: "r-1" };
}

describe("the audit of sign-ins", () => {
  it("notifies each merchant of the person", async () => {
    const { audited, entries } = world();
    audited(refused("anna@example.com", ["SHOP-001", "SHOP-002"]));
    audited({ ...refused(), way: "passkey", outcome: { type: "done" } });
    await settle();
    assert.deepEqual(
      entries.map(({ actor, merchantId, username, action, subject, outcome }) => [
        actor,
        merchantId,
        username,
        action,
        subject,
        outcome.type,
      ]),
      [
        ["merchant:SHOP-001", "SHOP-001", "anna@example.com", "session.begin", "password", "refused"],
        ["merchant:SHOP-002", "SHOP-002", "anna@example.com", "session.begin", "password", "refused"],
        ["merchant:SHOP-001", "SHOP-001", "anna@example.com", "session.begin", "passkey", "done"],
      ],
    );
  });

  it("writes five refused sign-ins of a person per day, so that strangers cannot erase the log, and every successful one", async () => {
    const { audited, entries, clock } = world();
    const attempt = async (event: SignInEvent) => {
      audited(event);
      await settle();
    };
    for (let guess = 0; guess < 25; guess += 1) await attempt(refused());
    assert.equal(entries.length, 5);
    await attempt({ ...refused(), outcome: { type: "done" } });
    await attempt(refused("bert@example.com"));
    assert.equal(entries.length, 7);
    clock.advance(86_399_999);
    await attempt(refused());
    assert.equal(entries.length, 7);
    clock.advance(1);
    await attempt(refused());
    assert.equal(entries.length, 8);
  });

  it("continues if the store does not respond, and reports that in the log of the node", async () => {
    const { audited, failures } = world(true);
    for (let guess = 0; guess < 3; guess += 1) {
      audited(refused());
      await settle();
    }
    assert.equal(failures.length, 3);
  });

  it("limits the entries that are being written", async () => {
    const { audited, entries } = world();
    for (let person = 0; person < 200; person += 1) audited(refused(`person-${person}@example.com`));
    await settle();
    assert.equal(entries.length, 64);
  });
});
