import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { readPaymentRequest } from "../../engine/payments/payment-request.ts";
import { buildAdministrative, buildPrint, buildScan, type UtilityContext } from "../../engine/payments/utility-request.ts";
import { openApiText, surfacesOf } from "../../infra/node/wiring/shared/endpoints.ts";

/**
 * These tests cover bodies that the engine reads itself. The document has to accept and reject the
 * same bodies as the engine.
 */

const ajv = new Ajv2020({ strict: false });
ajv.addSchema({ ...JSON.parse(openApiText(surfacesOf({ openTerminalLogs: true, packageBytesMax: 524_288_000 }))), $id: "document" });

function documented(path: string): (body: unknown) => boolean {
  const pointer = path.replaceAll("/", "~1").replaceAll("{", "%7B").replaceAll("}", "%7D");
  return ajv.compile({ $ref: `document#/paths/${pointer}/post/requestBody/content/application~1json/schema` });
}

const context: UtilityContext = { terminalId: "T1", generatedUuid: "u1", sender: "partner:1", acceptedAtMs: 0, request: "" };

const LONG = "a".repeat(64);
const IDS = ["u-1", LONG, `${LONG}a`, "", "a b", "ü", "pay", "status", "payment", 7, true, {}, []];
const ODD = [undefined, null, "", "x", 0, 1, -1, 1.5, true, [], {}];
const TAGS = [...ODD, "0A", "0a1", "zz", "00".repeat(255), "00".repeat(256)];

interface Reader {
  path: string;
  /** A valid body. */
  body: { [member: string]: unknown };
  read(body: unknown): unknown;
  /** Values to test for each member. */
  members: { [member: string]: readonly unknown[] };
}

const READERS: Reader[] = [
  {
    path: "/api/v1/{terminalId}/pay",
    body: { uuid: "u1", amount: 1_050, service: "PAYCC" },
    read: (body) => readPaymentRequest(body, "T1"),
    members: {
      uuid: [...ODD, ...IDS],
      amount: [...ODD.filter((value) => value !== undefined), "1", 999_999_999_999, 1_000_000_000_000, Number.MAX_SAFE_INTEGER],
      service: [...ODD, "PAYTAG", "PAYBP", "PAYSAT", "SCAN", "paycc"],
      type: [...ODD, "CARD", "RECEIPT", "card"],
      cardType: [...ODD, 2, 3, "1"],
      terminalId: [undefined, null, 7, "", "T1", "pay", `${LONG}a`],
      tagDF8102: TAGS,
      tagDF8103: TAGS,
      tagDF8105: TAGS,
      tagDF8109: [...ODD, "30", "32", "36", "31"],
      currency: [...ODD, "EUR", "eur", "978", "EURO", "97", "9780", 978],
      description: ODD,
      other: ODD,
    },
  },
  {
    path: "/api/v1/pay",
    body: { uuid: "u1", amount: 1_050, service: "PAYCC", terminalId: "T1" },
    read: (body) => readPaymentRequest(body, null),
    members: { terminalId: ["T1", LONG, `${LONG}a`, "", "a b", "pay", 7] },
  },
  {
    path: "/api/v1/{terminalId}/scan",
    body: {},
    read: (body) => buildScan(body, context),
    members: { uuid: [...ODD, ...IDS], service: [undefined, null, "SCAN", "PAYCC", 7], amount: [undefined, null, 0, 1, "0"], other: ODD },
  },
  {
    path: "/api/v1/{terminalId}/print",
    body: { text: "Thank you", type: "qr" },
    read: (body) => buildPrint(body, context),
    members: {
      uuid: [...ODD, ...IDS],
      text: [...ODD, "a".repeat(4_096), "a".repeat(4_097)],
      type: [...ODD, "qr", "text", "QR"],
      label: [...ODD, "a".repeat(256), "a".repeat(257)],
      service: [undefined, null, "PRINT", "SCAN", "PAYCC"],
      amount: [undefined, null, 0, 1, "0"],
    },
  },
  {
    path: "/admin/terminal/{terminalId}/command",
    body: { service: "LOGCAT" },
    read: (body) => buildAdministrative(body, context),
    members: {
      uuid: [...ODD, ...IDS],
      service: [...ODD, "REBOOT_2", "a", "CANCEL", "PAYCC", "A".repeat(32), "A".repeat(33)],
      amount: [undefined, null, 0, 1, "0", false],
    },
  },
];

for (const { path, body, read, members } of READERS) {
  test(`documents the body of POST ${path} as the engine reads it`, () => {
    const isDocumented = documented(path);
    const isTaken = (given: unknown) => {
      try {
        read(given);
        return true;
      } catch {
        return false;
      }
    };
    assert.ok(isTaken(body) && isDocumented(body));
    const differing: string[] = [];
    for (const [name, values] of Object.entries(members)) {
      for (const value of values) {
        // The value as it arrives, without anything that JSON cannot represent.
        const given: unknown = JSON.parse(JSON.stringify({ ...body, [name]: value }));
        if (isTaken(given) !== isDocumented(given)) differing.push(`${name} ${JSON.stringify(value)} is ${isTaken(given) ? "taken" : "refused"}`);
      }
    }
    assert.deepEqual(differing, []);
  });
}
