import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { agentCredentialObject } from "../../http/surfaces/merchant/agent-credentials/schemas.ts";
import { alertObject } from "../../http/surfaces/merchant/alerts/schemas.ts";
import { disputeObject } from "../../http/surfaces/merchant/disputes/schemas.ts";
import { paymentLinkObject } from "../../http/surfaces/merchant/payment-links/schemas.ts";
import { subscriptionObject } from "../../http/surfaces/merchant/subscriptions/schemas.ts";
import { AGENT_CREDENTIAL, ALERT, DISPUTE, PORTAL_LINK, SUBSCRIPTION } from "./stored-examples.ts";

const GOLDEN = new URL("webhook-objects.json", import.meta.url);

const OBJECTS: { readonly [kind: string]: object } = {
  agent_credential: agentCredentialObject(AGENT_CREDENTIAL),
  alert: alertObject(ALERT),
  dispute: disputeObject(DISPUTE),
  payment_link: paymentLinkObject(PORTAL_LINK),
  subscription: subscriptionObject(SUBSCRIPTION),
};

/** UPDATE_GOLDEN=1 writes the file again. Receivers rely on its members. */
describe("the object of a webhook event", () => {
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(GOLDEN, `${JSON.stringify(OBJECTS, null, 2)}\n`);
  const golden: { readonly [kind: string]: object } = JSON.parse(readFileSync(GOLDEN, "utf8"));

  for (const [kind, object] of Object.entries(OBJECTS)) {
    it(`has the golden form, with its members in the same order: ${kind}`, () => {
      assert.equal(JSON.stringify(object, null, 2), JSON.stringify(golden[kind], null, 2));
    });
  }
});
