import type { IntentOwner, Intents } from "../../../engine/intents/intents.ts";
import type { Ids } from "../../../engine/kernel/ids.ts";

export const CURRENCY = "EUR";
export const CUP_MINOR = 1_250;
export const SHIPPING_MINOR = 490;
export const QUANTITY_MAX = 9;

/** What a shop's server does: it decides the amount, makes the intent with its secret key, and gives the page nothing but the client secret. */
export type CreateDemoIntent = (quantity: number) => Promise<{ clientSecret: string }>;

/** The same in this process, for the sandbox's merchant, so that no page has a secret key. */
export function createDemoIntents(intents: Pick<Intents, "create">, owner: IntentOwner, ids: Ids): CreateDemoIntent {
  return async (quantity) => {
    const id = ids.uuid();
    const intent = await intents.create(
      owner,
      {
        amountMinor: quantity * CUP_MINOR + SHIPPING_MINOR,
        currency: CURRENCY,
        captureMethod: "automatic",
        confirmationMethod: "automatic",
        description: `Demo shop: ${quantity} espresso cups`,
        metadata: { demo: "true" },
        receiptEmail: null,
        returnUrl: null,
        shipping: null,
        customer: null,
        statementDescriptor: null,
        statementDescriptorSuffix: null,
        paymentMethodTypes: ["card"],
        automaticPaymentMethods: true,
      },
      { id: `demo-${id}`, requestId: id, idempotencyKey: null },
    );
    return { clientSecret: intent.clientSecret };
  };
}
