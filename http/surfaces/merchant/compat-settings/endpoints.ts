import type { Endpoint } from "../../../endpoint/endpoint.ts";
import type { MerchantOperations } from "../surface.ts";
import { saveDefaultVersion, saveReturnSchemes, showCompatSettings } from "./compat-settings.ts";
import type { CompatSettingsOperations } from "./surface.ts";

/** The endpoints of a merchant's settings for its software at the compatible API. */
export const compatSettingsEndpoints: Endpoint<CompatSettingsOperations & MerchantOperations>[] = [
  showCompatSettings,
  saveDefaultVersion,
  saveReturnSchemes,
];
