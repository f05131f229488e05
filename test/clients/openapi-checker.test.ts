import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { type OpenApiChecker, openApiChecker } from "./openapi-checker.ts";

/** In the manner of the platform's own: `nullable` beside a type and beside alternatives, an id or the object itself, an answer for errors. */
const DOCUMENT = {
  openapi: "3.0.0",
  paths: {
    "/v1/charges/{charge}": {
      get: {
        responses: {
          200: { content: { "application/json": { schema: { $ref: "#/components/schemas/charge" } } } },
          default: { content: { "application/json": { schema: { $ref: "#/components/schemas/error" } } } },
        },
      },
    },
    "/v1/events": {
      get: {
        responses: {
          200: {
            content: {
              "application/json": {
                schema: {
                  properties: { object: { type: "string" }, data: { type: "array", items: { $ref: "#/components/schemas/event" } } },
                  required: ["data"],
                  type: "object",
                },
              },
            },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      charge: {
        type: "object",
        required: ["id", "amount", "status", "object"],
        properties: {
          id: { type: "string" },
          object: { type: "string", enum: ["charge"] },
          amount: { type: "integer" },
          status: { type: "string", enum: ["failed", "succeeded"] },
          failure_code: { type: "string", nullable: true },
          metadata: { type: "object", additionalProperties: { type: "string" } },
          payment_intent: { anyOf: [{ type: "string", maxLength: 40 }, { $ref: "#/components/schemas/payment_intent" }], nullable: true },
          card: { $ref: "#/components/schemas/card" },
        },
      },
      payment_intent: {
        type: "object",
        required: ["id"],
        properties: { id: { type: "string" }, latest_charge: { anyOf: [{ type: "string" }, { $ref: "#/components/schemas/charge" }] } },
      },
      card: {
        type: "object",
        required: ["exp_month"],
        properties: { exp_month: { type: "integer" }, last4: { type: "string", nullable: true } },
      },
      event: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          object: { type: "string" },
          data: { type: "object", properties: { object: { type: "object" } } },
        },
      },
      error: {
        type: "object",
        required: ["error"],
        properties: {
          error: {
            type: "object",
            required: ["type"],
            properties: { type: { type: "string", enum: ["api_error", "invalid_request_error"] }, message: { type: "string" } },
          },
        },
      },
    },
  },
};

const CHARGE = {
  id: "ch_1",
  object: "charge",
  amount: 5,
  status: "succeeded",
  failure_code: null,
  metadata: { any: "name" },
  payment_intent: "pi_1",
};

describe("the check of answers against the platform's description", () => {
  const folder = mkdtempSync(join(tmpdir(), "relay-openapi-"));
  const file = join(folder, "spec3.json");
  writeFileSync(file, JSON.stringify(DOCUMENT));
  after(() => rm(folder, { recursive: true }));
  const checker: OpenApiChecker = openApiChecker(file);
  const faults = (body: unknown, status = 200, path = "/v1/charges/ch_1") =>
    checker.faultsOf({ method: "GET", path, status, body: JSON.stringify(body), query: "", requestBody: "", headers: {} });

  it("finds nothing in what is right: ids, expanded objects, and null where it may be", () => {
    assert.deepEqual(faults(CHARGE), []);
    assert.deepEqual(faults({ ...CHARGE, payment_intent: null }), []);
    assert.deepEqual(faults({ ...CHARGE, payment_intent: { id: "pi_1", latest_charge: "ch_1" } }), []);
    assert.deepEqual(faults({ error: { type: "invalid_request_error", message: "no" } }, 404), []);
  });

  it("finds a wrong type, a member that is missing, and a word that is not in the list", () => {
    assert.deepEqual(faults({ ...CHARGE, amount: "5" }), ["/amount must be integer"]);
    assert.deepEqual(faults({ ...CHARGE, amount: null }), ["/amount must be integer"]);
    assert.deepEqual(faults({ ...CHARGE, status: undefined }), ["/status must have required property 'status'"]);
    assert.deepEqual(faults({ ...CHARGE, status: "pending" }), [
      '/status must be equal to one of the allowed values: ["failed","succeeded"]',
    ]);
    assert.deepEqual(faults({ ...CHARGE, payment_intent: 5 }).length > 0, true);
  });

  it("finds them in an object that was expanded, and in the error of a refusal", () => {
    const expanded = { ...CHARGE, payment_intent: { id: "pi_1", latest_charge: { ...CHARGE, amount: "5" } } };
    assert.deepEqual(faults(expanded), ["/payment_intent/latest_charge/amount must be integer"]);
    assert.deepEqual(faults({ error: "unauthorized" }, 401), ["/error must be object"]);
    assert.deepEqual(faults({ error: { type: "oops" } }, 401), [
      '/error/type must be equal to one of the allowed values: ["api_error","invalid_request_error"]',
    ]);
  });

  it("finds a member that the platform does not have, but lets metadata be", () => {
    assert.deepEqual(faults({ ...CHARGE, terminal: "T1" }), ["/terminal is not a member that the platform has"]);
    assert.deepEqual(faults({ ...CHARGE, payment_intent: { id: "pi_1", token: "t" } }), [
      "/payment_intent/token is not a member that the platform has",
    ]);
  });

  it("looks at the object of an event by its own description", () => {
    const event = (object: object) => ({ id: "evt_1", object: "event", data: { object } });
    assert.deepEqual(faults({ object: "list", data: [event(CHARGE)] }, 200, "/v1/events"), []);
    assert.deepEqual(faults({ object: "list", data: [event({ ...CHARGE, amount: "5" })] }, 200, "/v1/events"), ["/amount must be integer"]);
    assert.deepEqual(checker.faultsOfObject("event", event({ ...CHARGE, status: "x" })).length, 1);
  });

  it("lets the end of a card be null, and nothing else of it", () => {
    assert.deepEqual(faults({ ...CHARGE, card: { exp_month: null, last4: null } }), []);
    assert.deepEqual(faults({ ...CHARGE, card: { exp_month: "12" } }), ["/card/exp_month must be integer"]);
    assert.deepEqual(faults({ ...CHARGE, card: {} }), ["/card/exp_month must have required property 'exp_month'"]);
    assert.deepEqual(faults({ ...CHARGE, payment_intent: { id: "pi_1", latest_charge: { ...CHARGE, card: { exp_month: null } } } }), []);
  });

  it("wants paths and statuses that the platform has; what it has not is refused in its form", () => {
    assert.deepEqual(faults(CHARGE, 200, "/v1/payments/1"), ["GET /v1/payments/1 is not in the platform's document"]);
    assert.deepEqual(faults({ status: "error" }, 404, "/v1/payments/1").length > 0, true);
    assert.deepEqual(faults({ error: { type: "invalid_request_error" } }, 404, "/v1/payments/1"), []);
    assert.deepEqual(faults(CHARGE, 202), ["status 202 is not in the platform's document"]);
  });
});
