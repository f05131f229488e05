import { onePaymentLink } from "./surface.ts";

export const showPaymentLink = onePaymentLink.show({
  name: "showPaymentLink",
  summary: "Get a payment link",
  description:
    "Returns what the relay knows, with the payments that were started by the link. The `uuid` of a payment is the uuid of its transaction.",
});
