import type { Intents } from "../../../engine/intents/intents.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { Ids } from "../../../engine/kernel/ids.ts";
import type { MerchantParty } from "../../../engine/kernel/merchant-scope.ts";

export const CURRENCY = "EUR";
export const CUP_MINOR = 1_250;
export const SHIPPING_MINOR = 490;
export const QUANTITY_MAX = 9;

/** What a shop's server does: it decides the amount, makes the intent with its secret key, and gives the page nothing but the client secret. */
export type CreateDemoIntent = (quantity: number) => Promise<{ clientSecret: string }>;

interface DemoIntentParts {
  intents: Pick<Intents, "create">;
  /** The sandbox's merchant; null where a developer has removed or switched it off. */
  findOwner(): Promise<MerchantParty | null>;
  ids: Ids;
}

/** The same in this process, for the sandbox's merchant, so that no page has a secret key. */
export function createDemoIntents({ intents, findOwner, ids }: DemoIntentParts): CreateDemoIntent {
  return async (quantity) => {
    const owner = await findOwner();
    if (owner === null) throw new RelayError("unavailable", "The sandbox's shop does not exist.");
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
