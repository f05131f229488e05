import {
  addAdminPasskey,
  beginAdminPasskey,
  beginAdminTotp,
  confirmAdminTotp,
  removeAdminPasskey,
  replaceAdminRecoveryCodes,
  showAdminFactors,
} from "./factors.ts";
import { resetAdministratorFactors } from "./reset-factors.ts";
import {
  adminPasskeyOptions,
  adminPasskeySession,
  adminSecondFactor,
  adminStepUp,
  beginAdminSession,
  endAdminSession,
  showAdminSession,
} from "./session.ts";

/** Signing in to the operators' pages, and an administrator's own second factors. */
export const adminSignInEndpoints = [
  showAdminSession,
  beginAdminSession,
  endAdminSession,
  adminSecondFactor,
  adminPasskeyOptions,
  adminPasskeySession,
  adminStepUp,
  showAdminFactors,
  beginAdminTotp,
  confirmAdminTotp,
  beginAdminPasskey,
  addAdminPasskey,
  removeAdminPasskey,
  replaceAdminRecoveryCodes,
  resetAdministratorFactors,
];
