import { generatePartnerApiKeys } from "../partner-api.ts";
import { changePartner } from "./change-partner.ts";
import { createPartner } from "./create-partner.ts";
import { deletePartner } from "./delete-partner.ts";
import { generatePartnerApiKey } from "./generate-partner-api-key.ts";
import { listPartners } from "./list-partners.ts";
import { resetPartnerPassword } from "./reset-partner-password.ts";
import { showPartner } from "./show-partner.ts";
import { togglePartner } from "./toggle-partner.ts";

/** Administration of partners, and keys for Partner API v1. */
export const partnerEndpoints = [
  listPartners,
  createPartner,
  showPartner,
  changePartner,
  deletePartner,
  resetPartnerPassword,
  generatePartnerApiKey,
  generatePartnerApiKeys,
  togglePartner,
];
