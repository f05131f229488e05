import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { MadeByKey } from "../../../engine/access/made-by-key.ts";
import { LOCALES } from "../../../engine/accounts/account.ts";
import { createOwnersMailTexts, type OwnersChange } from "../../../engine/accounts/owners-mail-texts.ts";

const texts = createOwnersMailTexts({ publicUrl: () => "https://relay.example", timeZone: "Europe/Rome" });
/** 26 November 2026, 15:30 in Rome. */
const AT_MS = Date.UTC(2026, 10, 26, 14, 30);
const FACTS = { merchantName: "Bar Centrale", atMs: AT_MS };
const PERSON = { type: "person", email: "mara@example.com" } as const;
const PARTNER = { type: "partner" } as const;
const LIVE = { environment: "LIVE", first: false, made: [] } as const;

describe("mails to owners", () => {
  const told: [change: OwnersChange, said: RegExp[]][] = [
    [{ type: "owner invited", email: "anna@example.com" }, [/anna@example\.com/]],
    [{ type: "owner removed", email: "anna@example.com" }, [/anna@example\.com/]],
    [{ type: "invited by the partner", email: "anna@example.com", role: "FINANCE" }, [/anna@example\.com/, /Finance|Contabilità/]],
    [{ type: "factors changed", email: "anna@example.com", change: "passkey added" }, [/anna@example\.com/, /passkey/]],
    [
      { type: "factors changed", email: "anna@example.com", change: "all factors removed" },
      [/anna@example\.com/, /recovery codes|codici di recupero/],
    ],
    [{ type: "webhook changed", host: "shop.example" }, [/shop\.example/]],
    [{ type: "keys changed", change: { type: "replaced", by: PERSON, ...LIVE } }, [/mara@example\.com/, /relay\.example\/portal\/keys\b/]],
    [{ type: "keys changed", change: { type: "replaced", by: PARTNER, ...LIVE } }, [/your payment provider replaced|da chi ti fornisce/]],
    [
      { type: "keys changed", change: { type: "requested", appliesAtMs: AT_MS + 86_400_000, ...LIVE } },
      [/27 [Nn]ovembe?r/, /\/portal\/keys\b/],
    ],
    [{ type: "keys changed", change: { type: "refused", by: PERSON } }, [/mara@example\.com/]],
    [{ type: "keys changed", change: { type: "moved", environment: "LIVE" } }, [/LIVE/, /\/portal\/keys\b/]],
  ];
  for (const [change, said] of told) {
    test(`${JSON.stringify(change)} is told with the merchant, the time and what to do`, () => {
      for (const locale of LOCALES) {
        const { subject, text } = texts(locale, { ...FACTS, change });
        assert.match(subject, /Bar Centrale/);
        for (const one of [...said, /15:30/, /https:\/\/relay\.example\/portal\//]) assert.match(text, one);
        assert.doesNotMatch(text, /undefined/);
      }
    });
  }

  test("what the former key made is listed, with the page that ends each that goes on", () => {
    const made: MadeByKey[] = [
      { type: "webhook_endpoint", id: "we_1", mark: "shop.example", isCertain: true, ended: false, expiresAtMs: null },
      { type: "webhook_endpoint", id: "we_2", mark: "old.example", isCertain: false, ended: false, expiresAtMs: null },
      { type: "agent_credential", id: "ac_1", mark: "x7Qa", isCertain: true, ended: true, expiresAtMs: AT_MS },
    ];
    for (const change of [
      { type: "replaced", by: PERSON, ...LIVE, made },
      { type: "requested", appliesAtMs: AT_MS, ...LIVE, made },
    ] as const) {
      const { text } = texts("en", { ...FACTS, change: { type: "keys changed", change } });
      assert.match(text, /ended with it:\n- credential of an agent, token ending in x7Qa \(ac_1\)\n\n/);
      assert.match(
        text,
        /still active.*:\n- webhook to shop\.example \(we_1\): end it at https:\/\/relay\.example\/portal\/webhooks \(or with DELETE \/api\/merchant\/webhooks\/we_1\)\n\n/,
      );
      assert.match(text, /creates an object\..*:\n- webhook to old\.example \(we_2\): end it at/);
      assert.doesNotMatch(texts("it", { ...FACTS, change: { type: "keys changed", change } }).text, /undefined|ended/);
    }
  });

  test("the longest name of a merchant leaves a subject that a mail may have", () => {
    const { subject } = texts("it", {
      ...FACTS,
      merchantName: "x".repeat(128),
      change: { type: "keys changed", change: { type: "requested", appliesAtMs: AT_MS, ...LIVE } },
    });
    assert.ok(subject.length <= 200);
  });
});
