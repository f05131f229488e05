import type { Endpoint } from "../../../endpoint/endpoint.ts";
import type { MerchantOperations } from "../surface.ts";
import { configurePaymentMethod } from "./configure-method.ts";
import { listPaymentMethods } from "./list-methods.ts";
import { confirmKeys, refuseKeys } from "./pending-keys.ts";
import { replaceKeys } from "./replace-keys.ts";
import { showKeys } from "./show-keys.ts";
import type { MethodOperations } from "./surface.ts";
import { disablePaymentMethod, enablePaymentMethod } from "./switch-method.ts";

/** The endpoints of a merchant's payment methods and of the keys of its software. */
export const methodEndpoints: Endpoint<MethodOperations & MerchantOperations>[] = [
  listPaymentMethods,
  configurePaymentMethod,
  enablePaymentMethod,
  disablePaymentMethod,
  showKeys,
  replaceKeys,
  confirmKeys,
  refuseKeys,
];
