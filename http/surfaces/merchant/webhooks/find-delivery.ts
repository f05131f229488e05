import { oneDelivery } from "./surface.ts";

export const findWebhookDelivery = oneDelivery.show({
  name: "portalFindWebhookDelivery",
  summary: "Get a webhook delivery of the merchant",
  description:
    "`tries` has the latest 24 attempts, the oldest first, with the first 1,024 bytes of each response; card numbers are masked. For roles that do not see personal data, e-mail addresses and the names of recipients in the body are masked.",
  may: "integrate",
});
