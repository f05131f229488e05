import type { Endpoint } from "../../endpoint/endpoint.ts";
import { createMerchant } from "./create-merchant.ts";
import { listMerchants } from "./list-merchants.ts";
import { showMe } from "./me.ts";
import { deactivateMerchant, patchMerchant, replaceMerchantKeys, showMerchant } from "./merchant.ts";
import { invitePortalUser, listPortalUsers } from "./portal-users.ts";
import { partnerReconciliation } from "./reconciliation.ts";
import { configureService, disableService, enableService, listServices } from "./services.ts";
import type { PartnerV1Operations } from "./surface.ts";
import { listWebhookDeliveries, resendWebhookDelivery } from "./webhook-deliveries.ts";
import { createWebhook, deleteWebhook, listWebhooks, patchWebhook, showWebhook } from "./webhooks.ts";

/** Partner API v1, including new keys for a merchant that has lost its own. */
export const partnerV1Endpoints: Endpoint<PartnerV1Operations>[] = [
  showMe,
  listMerchants,
  createMerchant,
  showMerchant,
  patchMerchant,
  deactivateMerchant,
  replaceMerchantKeys,
  listServices,
  enableService,
  disableService,
  configureService,
  createWebhook,
  listWebhooks,
  showWebhook,
  patchWebhook,
  deleteWebhook,
  listWebhookDeliveries,
  resendWebhookDelivery,
  invitePortalUser,
  listPortalUsers,
  partnerReconciliation,
];
