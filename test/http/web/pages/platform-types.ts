/**
 * The script's types fit those of the platform's own package. There is nothing to run: `npm run types` compiles it. Its elements and groups of elements are
 * compared by the members that every type of element has, because the package's own have members of their own for each type.
 */
import type { Stripe, StripeConstructorOptions, StripeElementBase, StripeElements } from "@stripe/stripe-js";
import type { CompatClient, CompatElement, CompatElements, CompatFactory } from "../../../../http/web/scripts/compat.d.ts";

type Shared =
  | "confirmPayment"
  | "confirmCardPayment"
  | "retrievePaymentIntent"
  | "handleNextAction"
  | "handleCardAction"
  | "createToken"
  | "createPaymentMethod"
  | "createConfirmationToken"
  | "registerAppInfo";

export const client = (ours: CompatClient): Pick<Stripe, Shared> => ours;
export const group = (ours: CompatElements): Pick<StripeElements, "update" | "submit" | "fetchUpdates" | "on"> => ours;
export const element = (ours: CompatElement): StripeElementBase => ours;
export const made = (ours: CompatFactory, options: StripeConstructorOptions): Pick<Stripe, Shared> => ours("pk_merchant_x", { ...options });
