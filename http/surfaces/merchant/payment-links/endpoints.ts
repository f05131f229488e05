import type { Endpoint } from "../../../endpoint/endpoint.ts";
import type { MerchantOperations } from "../surface.ts";
import { cancelPaymentLink } from "./cancel-payment-link.ts";
import { createPaymentLink } from "./create-payment-link.ts";
import { listPaymentLinks } from "./list-payment-links.ts";
import { sendPaymentLink } from "./send-payment-link.ts";
import { showPaymentLink } from "./show-payment-link.ts";
import type { PaymentLinkOperations } from "./surface.ts";

/** The endpoints of a merchant's payment links, for its people and for its keys. */
export const paymentLinkEndpoints: Endpoint<PaymentLinkOperations & MerchantOperations>[] = [
  listPaymentLinks,
  createPaymentLink,
  showPaymentLink,
  sendPaymentLink,
  cancelPaymentLink,
];
